// Runs before the first paint, so a chosen colour scheme never flashes the other one.
try {
  const theme = localStorage.getItem("mnemograph.playground.theme");
  if (theme === '"light"' || theme === '"dark"') {
    document.documentElement.dataset.theme = theme.slice(1, -1);
  }
} catch {
  // Storage is denied: the system's scheme is used.
}
