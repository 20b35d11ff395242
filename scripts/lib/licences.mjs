// Licences and sources of all crates, judged by the lists of deny.toml.

/**
 * Is this SPDX expression satisfied by the allowed licences? `OR` needs one side, `AND` both; the old
 * slash means `OR`.
 *
 * @param {string} expression
 * @param {string[]} allowed
 */
export function licenceAllowed(expression, allowed) {
  const tokens = expression.replaceAll("/", " OR ").match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const either = () => {
    let ok = both();
    while (tokens[at] === "OR") {
      at += 1;
      ok = both() || ok;
    }
    return ok;
  };
  const both = () => {
    let ok = one();
    while (tokens[at] === "AND") {
      at += 1;
      ok = one() && ok;
    }
    return ok;
  };
  /** @returns {boolean} */
  const one = () => {
    const token = tokens[at++];
    if (token === "(") {
      const ok = either();
      at += 1;
      return ok;
    }
    if (tokens[at] === "WITH") {
      const exception = tokens[at + 1];
      at += 2;
      return allowed.includes(`${token} WITH ${exception}`);
    }
    return token !== undefined && allowed.includes(token);
  };
  return either() && at === tokens.length;
}

/**
 * A list of texts from deny.toml.
 *
 * @param {string} toml
 * @param {string} name
 */
export function tomlList(toml, name) {
  const body = toml.match(new RegExp(`^${name} = \\[([^\\]]*)\\]`, "m"))?.[1];
  if (body === undefined) throw new Error(`deny.toml has no list named ${name}`);
  return [...body.matchAll(/"([^"]*)"/g)].map((match) => /** @type {string} */ (match[1]));
}

/**
 * Everything that is wrong, as sentences.
 *
 * @param {{packages: {name: string, version: string, license: string | null, source: string | null, dependencies?: {name: string, req: string, path?: string}[]}[]}} metadata
 * @param {string} deny the text of deny.toml
 * @returns {string[]}
 */
export function licenceProblems({ packages }, deny) {
  const allowed = tomlList(deny, "allow");
  const problems = [];
  for (const { name, version, license, source, dependencies = [] } of packages) {
    const what = `${name} ${version}`;
    if (!license) problems.push(`${what}: no licence is named`);
    else if (!licenceAllowed(license, allowed)) problems.push(`${what}: ${license} is not allowed`);
    if (source === null) {
      for (const { name, req, path } of dependencies) {
        if (req === "*" && !path) problems.push(`${what}: asks for any version of ${name}`);
      }
    } else if (!/^(registry|sparse)\+.*crates[.-]io/.test(source)) {
      problems.push(`${what}: comes from an unknown source`);
    }
  }
  return problems.sort();
}
