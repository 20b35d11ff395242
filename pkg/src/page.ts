/**
 * Calls back whenever the page may be about to go: browsers promise no later moment than `pagehide`, and on
 * phones often none after it was hidden. Returns how to stop; does nothing where there is no page.
 */
export function onLeaving(leave: () => void): () => void {
  if (typeof document !== "object" || typeof addEventListener !== "function") return () => {};
  const hidden = (): void => {
    if (document.visibilityState === "hidden") leave();
  };
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", hidden);
  return () => {
    removeEventListener("pagehide", leave);
    document.removeEventListener("visibilitychange", hidden);
  };
}
