import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Failure, toFailure } from "../lib/failure.ts";

export interface ConfirmDialogProps {
  title: string;
  /** The button that does it, in words. */
  action: string;
  children: ComponentChildren;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something is lost. Modal; Escape and Cancel change nothing; focus returns by itself. */
export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  async function confirm(): Promise<void> {
    setBusy(true);
    try {
      await props.onConfirm();
      dialog.current?.close();
    } catch (error) {
      setFailure(toFailure(error));
      setBusy(false);
    }
  }

  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      data-testid="confirm-dialog"
      onClose={props.onClose}
    >
      <h2 id={titleId}>{props.title}</h2>
      <div class="dialog-body">{props.children}</div>
      {failure !== undefined && (
        <p class="field-error" role="alert">
          {failure.code}: {failure.message}
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          disabled={busy}
          onClick={() => void confirm()}
        >
          {props.action}
        </button>
      </div>
    </dialog>
  );
}
