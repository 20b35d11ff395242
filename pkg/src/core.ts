import type { Changes } from "./changes.js";
import type { RunControl } from "./run.js";
import type { Opened, Session } from "./session.js";
import type { Turn } from "./turns.js";
import type { OnBusy } from "./types.js";

/** What a graph needs of its runtime. */
export interface Core {
  readonly session: Session;
  readonly changes: Changes;
  /** True if the page listens to all events of all runs. */
  readonly isFollowed: boolean;
  now(): number;
  id(): string;
  /** The run exists: its events go to it from now on. Throws `E_CLOSED`. */
  enter(run: RunControl): void;
  /** The run is over or never began. */
  leave(run_id: string): void;
  /** Waits for the thread; a run without one waits for nobody. */
  takeTurn(run: RunControl, thread: string | undefined, onBusy: OnBusy | undefined): Promise<Turn>;
  /** Where a new message cancels the previous run: also one that waits for a person. */
  giveWaitingUp(
    opened: Opened,
    thread: string | undefined,
    onBusy: OnBusy | undefined,
  ): Promise<void>;
}
