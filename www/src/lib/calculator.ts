/** A small arithmetic evaluator: numbers, `+ - * / % ^`, unary minus, parentheses. No `eval`. */
export function calculate(source: string): number {
  const tokens = tokenize(source);
  let at = 0;

  const peek = (): string | undefined => tokens[at];
  const take = (): string | undefined => tokens[at++];

  function sum(): number {
    let value = product();
    for (let op = peek(); op === "+" || op === "-"; op = peek()) {
      take();
      const right = product();
      value = op === "+" ? value + right : value - right;
    }
    return value;
  }

  function product(): number {
    let value = unary();
    for (let op = peek(); op === "*" || op === "/" || op === "%"; op = peek()) {
      take();
      const right = unary();
      if (op !== "*" && right === 0) throw new Error("Division by zero");
      value = op === "*" ? value * right : op === "/" ? value / right : value % right;
    }
    return value;
  }

  function unary(): number {
    const op = peek();
    if (op === "-" || op === "+") {
      take();
      return op === "-" ? -unary() : unary();
    }
    return power();
  }

  function power(): number {
    const base = primary();
    if (peek() !== "^") return base;
    take();
    return base ** unary();
  }

  function primary(): number {
    const token = take();
    if (token === "(") {
      const value = sum();
      if (take() !== ")") throw new Error("A closing parenthesis is missing");
      return value;
    }
    const value = Number(token);
    if (token === undefined || Number.isNaN(value)) {
      throw new Error(
        `A number was expected${token === undefined ? " at the end" : ` at "${token}"`}`,
      );
    }
    return value;
  }

  const result = sum();
  if (at < tokens.length) throw new Error(`"${tokens[at]}" was not expected`);
  if (!Number.isFinite(result)) throw new Error("The result is not a finite number");
  return result;
}

const MAX_LENGTH = 500;

function tokenize(source: string): string[] {
  if (source.length > MAX_LENGTH) throw new Error(`Longer than ${MAX_LENGTH} characters`);
  const tokens: string[] = [];
  const pattern = /\s*(?:((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)|([-+*/%^()×÷−]))/giy;
  const text = source.trim();
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw new Error(`"${text.slice(from, from + 10)}" cannot be read`);
    tokens.push(match[1] ?? plain(match[2] ?? ""));
  }
  return tokens;
}

function plain(operator: string): string {
  return operator === "×" ? "*" : operator === "÷" ? "/" : operator === "−" ? "-" : operator;
}
