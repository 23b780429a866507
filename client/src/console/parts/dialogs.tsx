// The dialogs that recur: a form, a question before something that cannot be undone, and a secret to be copied.
import type { ReactNode } from "react";
import { messageOf } from "../calls.ts";
import { CopyButton } from "./copy-button.tsx";
import { Modal } from "./modal.tsx";

interface FormDialogProps {
  readonly title: string;
  /** What the button says. */
  readonly word: string;
  /** The call that the form makes. */
  readonly call: { readonly error: unknown; readonly isPending: boolean };
  /** Id of the place where its error stands, for fields that are described by it. */
  readonly problemId?: string;
  readonly onSubmit: (data: FormData) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export const FormDialog = ({ title, word, call, problemId, onSubmit, onClose, children }: FormDialogProps) => (
  <Modal title={title} onClose={onClose}>
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      <p id={problemId} className="problem" role="alert">
        {call.error !== null && messageOf(call.error)}
      </p>
      <div className="dialog-foot">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={call.isPending}>
          {word}
        </button>
      </div>
    </form>
  </Modal>
);

interface QuestionProps {
  readonly title: string;
  /** What the button says. */
  readonly word: string;
  readonly danger?: boolean;
  /** The call that is made after a yes. */
  readonly call: { readonly error: unknown; readonly isPending: boolean };
  readonly onYes: () => void;
  /** Absent: the dialog stays until the call is answered. */
  readonly onClose: (() => void) | undefined;
  readonly children: ReactNode;
}

export const Question = ({ title, word, danger = false, call, onYes, onClose, children }: QuestionProps) => (
  <Modal title={title} onClose={onClose}>
    {children}
    <p className="problem" role="alert">
      {call.error !== null && messageOf(call.error)}
    </p>
    <div className="dialog-foot">
      <button type="button" onClick={onClose} disabled={onClose === undefined} autoFocus>
        Cancel
      </button>
      <button type="button" className={danger ? "danger solid" : "primary"} disabled={call.isPending} onClick={onYes}>
        {word}
      </button>
    </div>
  </Modal>
);

interface ShownOnceProps {
  readonly title: string;
  /** What the secret is called. */
  readonly label: string;
  readonly text: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A secret that the server shows only once. */
export const ShownOnce = ({ title, label, text, onClose, children }: ShownOnceProps) => (
  <Modal title={title} onClose={onClose}>
    {children}
    <input
      aria-label={label}
      className="secret"
      readOnly
      value={text}
      onFocus={({ target }) => target.select()}
      autoFocus
    />
    <div className="dialog-foot">
      <CopyButton text={text} />
      <button type="button" className="primary" onClick={onClose}>
        Close
      </button>
    </div>
  </Modal>
);
