// Reading lock files: which version is asked for, and is it what is installed?

/**
 * The version of a crate in the text of a Cargo.lock.
 *
 * @param {string} lock
 * @param {string} name
 */
export function lockedVersion(lock, name) {
  const version = lock.match(new RegExp(`^name = "${name}"\\nversion = "([^"]+)"`, "m"))?.[1];
  if (!version) throw new Error(`${name} is not in Cargo.lock`);
  return version;
}

/**
 * The first npm package that is installed in another version than the lock names, or not at all.
 *
 * @param {string} wanted the text of package-lock.json
 * @param {string} installed the text of node_modules/.package-lock.json
 * @returns {string | undefined}
 */
export function staleNpmPackage(wanted, installed) {
  const have = JSON.parse(installed).packages;
  for (const [path, { version, link, optional, devOptional }] of Object.entries(
    JSON.parse(wanted).packages,
  )) {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) continue;
    const found = have[path];
    if (!found && (optional || devOptional)) continue;
    if (!found || (!link && found.version !== version)) return path;
  }
  return undefined;
}

/**
 * Is a version, such as 1.95.0, not older than another?
 *
 * @param {string} version
 * @param {string} wanted
 */
export function atLeast(version, wanted) {
  const want = wanted.split(".").map(Number);
  const have = version.split(".").map(Number);
  const at = want.findIndex((part, i) => part !== (have[i] ?? 0));
  return at < 0 || (have[at] ?? 0) > (want[at] ?? 0);
}
