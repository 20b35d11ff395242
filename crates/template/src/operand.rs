//! Operands: literals, names, fields, and the arguments of calls.

use serde_json::Value;

use crate::ast::{Expr, Path, Step};
use crate::error::Flaw;
use crate::lexer::Token;
use crate::ops::negative;
use crate::parser::Parser;

/// Arguments a call may have. It also bounds how far `map("map", …)` can nest.
const MAX_ARGS: usize = 16;

/// One argument: its keyword, the value, the place.
pub(crate) type Arg<'s> = (Option<&'s str>, Expr, usize);

impl<'s> Parser<'s> {
    #[inline(never)]
    pub(crate) fn arguments(&mut self) -> Result<Vec<Arg<'s>>, Flaw> {
        self.expect("(")?;
        let mut args: Vec<Arg<'s>> = Vec::new();
        while !self.skip(")")? {
            if !args.is_empty() {
                self.expect(",")?;
                if self.skip(")")? {
                    break;
                }
            }
            let at = self.at;
            if args.len() >= MAX_ARGS {
                return Err(Flaw::new(at, format!("more than {MAX_ARGS} arguments")));
            }
            let word = match self.token {
                Token::Name(word) => Some(word),
                _ => None,
            };
            let expr = self.expression()?;
            let bare = matches!(&expr, Expr::Path(path) if path.keys.len() == 1);
            let keyword = word.filter(|_| bare && self.is("="));
            if keyword.is_some() {
                self.advance()?;
                args.push((keyword, self.expression()?, at));
            } else {
                if args.last().is_some_and(|(keyword, ..)| keyword.is_some()) {
                    return Err(Flaw::new(
                        at,
                        "an argument without a name follows one with a name",
                    ));
                }
                args.push((None, expr, at));
            }
        }
        Ok(args)
    }

    /// A value with its sign and its fields.
    pub(crate) fn operand(&mut self) -> Result<Expr, Flaw> {
        let at = self.at;
        if !self.skip("-")? {
            let value = self.value()?;
            return self.fields(value);
        }
        let inner = self.nested(Parser::operand)?;
        if let Expr::Literal(value) = &inner
            && let Ok(value) = negative(value)
        {
            return Ok(Expr::literal(value));
        }
        Ok(Expr::Negative(Box::new(inner), at))
    }

    #[inline(never)]
    fn fields(&mut self, mut expr: Expr) -> Result<Expr, Flaw> {
        loop {
            let at = self.at;
            if self.skip(".")? {
                if expr.is_number() {
                    return Err(Flaw::new(at, "a number has no fields")
                        .hint("a name with a dash is a subtraction; write nodes[\"a-1\"]"));
                }
                let at = self.at;
                expr = match self.advance()? {
                    Token::Name(key) => add_step(expr, Step::Key(key.to_owned(), at)),
                    Token::Int(index) => add_step(expr, Step::Index(Expr::literal(index), at)),
                    other => {
                        let found = other.describe();
                        return Err(Flaw::new(at, format!("{found} where a field is expected")));
                    }
                };
            } else if self.skip("[")? {
                let step = self.bracket(at)?;
                expr = add_step(expr, step);
            } else if self.is("(") {
                return Err(Flaw::new(at, "values cannot be called")
                    .hint("the functions are get(path, fallback) and range(start, end, step); all else are filters: x|upper"));
            } else {
                return Ok(expr);
            }
        }
    }

    /// After `[`: an index or a slice.
    #[inline(never)]
    fn bracket(&mut self, at: usize) -> Result<Step, Flaw> {
        let start = if self.is(":") {
            None
        } else {
            Some(self.expression()?)
        };
        let step = if self.skip(":")? {
            let end = if self.is("]") {
                None
            } else {
                Some(self.expression()?)
            };
            Step::Slice(start, end, at)
        } else {
            match start {
                Some(index) => match index.as_text() {
                    Some(key) => Step::Key(key.to_owned(), at),
                    None => Step::Index(index, at),
                },
                None => return Err(self.unexpected("an index")),
            }
        };
        self.expect("]")?;
        Ok(step)
    }

    fn value(&mut self) -> Result<Expr, Flaw> {
        let at = self.at;
        match self.token {
            Token::Sym("(") => {
                self.advance()?;
                let expr = self.expression()?;
                if self.is(",") {
                    return Err(Flaw::new(at, "there are no tuples").hint("write a list: [1, 2]"));
                }
                self.expect(")")?;
                Ok(expr)
            }
            Token::Sym("[") => self.list(at),
            Token::Sym("{") => self.map(at),
            Token::Name("and" | "or" | "not" | "in" | "is" | "if" | "else")
            | Token::Sym(_)
            | Token::Text(_)
            | Token::Print
            | Token::PrintEnd
            | Token::Tag
            | Token::TagEnd
            | Token::End => Err(self.unexpected("a value")),
            Token::Name(_) | Token::Str(_) | Token::Int(_) | Token::Float(_) => self.atom(at),
        }
    }

    #[inline(never)]
    fn list(&mut self, at: usize) -> Result<Expr, Flaw> {
        self.advance()?;
        let mut items = Vec::new();
        while !self.skip("]")? {
            items.push(self.expression()?);
            if !self.is("]") {
                self.expect(",")?;
            }
        }
        Ok(Expr::List(items, at))
    }

    #[inline(never)]
    fn map(&mut self, at: usize) -> Result<Expr, Flaw> {
        self.advance()?;
        let mut pairs = Vec::new();
        while !self.skip("}")? {
            let key = self.expression()?;
            self.expect(":")?;
            pairs.push((key, self.expression()?));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(Expr::Map(pairs, at))
    }

    #[inline(never)]
    fn atom(&mut self, at: usize) -> Result<Expr, Flaw> {
        match self.advance()? {
            Token::Name(name) => self.word(name, at),
            Token::Str(text) => Ok(Expr::literal(text)),
            Token::Int(int) => Ok(Expr::literal(int)),
            Token::Float(float) => Ok(Expr::literal(float)),
            other => Err(Flaw::new(at, other.describe())),
        }
    }

    fn word(&mut self, name: &str, at: usize) -> Result<Expr, Flaw> {
        Ok(match name {
            "true" | "True" => Expr::literal(true),
            "false" | "False" => Expr::literal(false),
            "none" | "None" => Expr::literal(Value::Null),
            "get" if self.is("(") => return self.get(at),
            "range" if self.is("(") => {
                let args = self.positional("range", at, 1..=3)?;
                Expr::Range(args, at)
            }
            _ => Expr::Path(Path {
                keys: vec![name.to_owned()],
                at,
            }),
        })
    }

    fn positional(
        &mut self,
        name: &str,
        at: usize,
        count: std::ops::RangeInclusive<usize>,
    ) -> Result<Vec<Expr>, Flaw> {
        let args = self.arguments()?;
        if !count.contains(&args.len()) || args.iter().any(|(keyword, ..)| keyword.is_some()) {
            let (from, to) = (count.start(), count.end());
            let message = format!("`{name}` takes {from} to {to} arguments without names");
            return Err(Flaw::new(at, message));
        }
        Ok(args.into_iter().map(|(_, expr, _)| expr).collect())
    }

    #[inline(never)]
    fn get(&mut self, at: usize) -> Result<Expr, Flaw> {
        let mut args = self.positional("get", at, 1..=2)?.into_iter();
        let mut target = args.next().unwrap_or(Expr::literal(Value::Null));
        if let Some(text) = target.as_text() {
            // What the lexer finds has its place inside of the text.
            target = self
                .nested(|outer| outer.quoted_path(text, at))
                .map_err(|flaw| flaw.moved_to(at))?;
        }
        if !matches!(target, Expr::Path(_) | Expr::Steps(..)) {
            return Err(Flaw::new(at, "the first argument of `get` is not a path")
                .hint("write get(nodes.a.output, \"fallback\")"));
        }
        Ok(Expr::Get(Box::new((target, args.next()))))
    }
}

impl Parser<'_> {
    fn quoted_path(&self, text: &str, at: usize) -> Result<Expr, Flaw> {
        let mut parser = self.quoted(text, at)?;
        let expr = parser.operand()?;
        if parser.token == Token::End {
            Ok(expr)
        } else {
            Err(parser.unexpected("the end of the path"))
        }
    }
}

/// Constant keys become part of the path; all else makes a list of steps.
fn add_step(expr: Expr, step: Step) -> Expr {
    match (expr, step) {
        (Expr::Path(mut path), Step::Key(key, _)) => {
            path.keys.push(key);
            Expr::Path(path)
        }
        (Expr::Steps(base, mut steps), step) => {
            steps.push(step);
            Expr::Steps(base, steps)
        }
        (base, step) => Expr::Steps(Box::new(base), vec![step]),
    }
}
