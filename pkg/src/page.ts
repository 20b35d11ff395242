/**
 * Calls back whenever the page may be about to go. `pagehide` is the last moment, too late for what takes a
 * transaction: so it is told of `beforeunload`, and of the page being hidden, which on phones is often the last
 * that is heard. Returns how to stop; does nothing where there is no page.
 */
export function onLeaving(leave: () => void): () => void {
  if (typeof document !== "object" || typeof addEventListener !== "function") return () => {};
  const hidden = (): void => {
    if (document.visibilityState === "hidden") leave();
  };
  addEventListener("beforeunload", leave);
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", hidden);
  return () => {
    removeEventListener("beforeunload", leave);
    removeEventListener("pagehide", leave);
    document.removeEventListener("visibilitychange", hidden);
  };
}
