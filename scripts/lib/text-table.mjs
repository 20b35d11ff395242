// Rows of equal shape as a table in plain text.

/**
 * Numbers stand to the right with at most three significant decimals, texts to the left.
 *
 * @param {Record<string, string | number>[]} rows
 */
export function textTable(rows) {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const right = columns.map((column) => rows.every((row) => typeof row[column] === "number"));
  return cells
    .map((row) =>
      row
        .map((cell, i) => (right[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** @param {string | number | undefined} value */
function shown(value) {
  if (typeof value !== "number") return value ?? "";
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(2);
}
