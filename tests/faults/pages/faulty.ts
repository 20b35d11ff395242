/** A browser whose database fails where it is told to. */

/** The n-th transaction on the conversations from now on, and the `length - 1` after it, cannot begin. */
export interface Fault {
  name: string;
  n: number;
  length: number;
}

let fault: Fault | undefined;
let begun = 0;

/** Plants a fault, or none. */
export function plantFault(next: Fault | undefined): void {
  fault = next;
  begun = 0;
}

/** True if the fault that was planted has been met. */
export const wasMet = (): boolean => fault !== undefined && begun >= fault.n;

/** Only the conversations' own database fails, not the copy of it. */
const isMeant = (db: IDBDatabase): boolean => db.objectStoreNames.contains("round_ids");

const begin = IDBDatabase.prototype.transaction;
IDBDatabase.prototype.transaction = function (...given: Parameters<typeof begin>) {
  if (isMeant(this)) {
    begun += 1;
    if (fault && begun >= fault.n && begun < fault.n + fault.length) {
      throw new DOMException("a fault on request", fault.name);
    }
  }
  return begin.apply(this, given);
};
