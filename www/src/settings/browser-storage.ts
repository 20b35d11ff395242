/** What the browser says of this origin's storage. */
export interface BrowserStorage {
  usage: number;
  quota: number;
  persisted: boolean;
}

/** Undefined where the browser does not say, as on plain http pages. */
export async function readBrowserStorage(): Promise<BrowserStorage | undefined> {
  const manager: StorageManager | undefined = navigator.storage;
  if (manager?.estimate === undefined || manager.persisted === undefined) return undefined;
  try {
    const [estimate, persisted] = await Promise.all([manager.estimate(), manager.persisted()]);
    return { usage: estimate.usage ?? 0, quota: estimate.quota ?? 0, persisted };
  } catch {
    return undefined;
  }
}
