const bytesFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${bytesFormat.format(bytes / 1_000)} kB`;
  return `${bytesFormat.format(bytes / 1_000_000)} MB`;
}

export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${bytesFormat.format(ms / 1_000)} s`;
}

/** The time today, the day before that. */
export function formatWhen(at: number, now: number): string {
  const date = new Date(at);
  return date.toDateString() === new Date(now).toDateString()
    ? timeFormat.format(date)
    : dayFormat.format(date);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first words of a message, as the title of its conversation. */
export function toTitle(text: string, limit = 48): string {
  const line = text.trim().replace(/\s+/g, " ");
  const letters = Array.from(line);
  return letters.length <= limit ? line : `${letters.slice(0, limit - 1).join("")}…`;
}
