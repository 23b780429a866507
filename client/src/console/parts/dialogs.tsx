// The dialogs that recur: a form, a question before something that cannot be undone, and a secret to be copied.
import { useState, type ComponentProps, type ReactNode } from "react";
import { messageOf, type DecorateMutationProcedure, type ResolverDef } from "../calls.ts";
import { CopyButton } from "./copy-button.tsx";
import { Form, type Call } from "./form.tsx";
import { Modal } from "./modal.tsx";
import { useChange, type Effects } from "./use-change.ts";

interface DialogButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly word: ReactNode;
  /** The dialog. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ word, children, ...button }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button {...button} onClick={() => setOpen(true)}>
        {word}
      </button>
      {open && children(() => setOpen(false))}
    </>
  );
}

interface FormDialogProps extends Pick<ComponentProps<typeof Form>, "call" | "onSubmit" | "children"> {
  readonly title: string;
  /** What the button says. */
  readonly word: string;
  readonly onClose: () => void;
}

export const FormDialog = ({ title, word, onClose, ...form }: FormDialogProps) => (
  <Modal title={title} onClose={onClose}>
    <Form
      {...form}
      foot={
        <div className="dialog-foot">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button className="primary" disabled={form.call.isPending}>
            {word}
          </button>
        </div>
      }
    />
  </Modal>
);

interface QuestionProps {
  readonly title: string;
  /** What the button says. */
  readonly word: string;
  readonly danger?: boolean;
  /** The call that is made after a yes. */
  readonly call: Call;
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
      <button onClick={onClose} disabled={onClose === undefined} autoFocus>
        Cancel
      </button>
      <button className={danger ? "danger solid" : "primary"} disabled={call.isPending} onClick={onYes}>
        {word}
      </button>
    </div>
  </Modal>
);

interface RemoveButtonProps<Def extends ResolverDef> extends Effects<Def> {
  readonly word?: string;
  readonly title: string;
  readonly procedure: DecorateMutationProcedure<Def>;
  readonly input: Def["input"];
  readonly children: ReactNode;
  /** Of the button. */
  readonly label?: string;
  readonly disabled?: boolean;
}

/** A small button that asks, and then makes a call that cannot be undone. */
export const RemoveButton = <Def extends ResolverDef>(props: RemoveButtonProps<Def>) => {
  const { word = "Remove", label, disabled } = props;
  return (
    <DialogButton word={word} className="small-button" aria-label={label} disabled={disabled}>
      {(close) => <RemoveQuestion {...props} word={word} onClose={close} />}
    </DialogButton>
  );
};

type RemoveQuestionProps<Def extends ResolverDef> = RemoveButtonProps<Def> & {
  readonly word: string;
  readonly onClose: () => void;
};

function RemoveQuestion<Def extends ResolverDef>({ procedure, input, children, ...props }: RemoveQuestionProps<Def>) {
  const call = useChange(procedure, { ...props, onDone: props.onClose });
  return (
    <Question {...props} danger call={call} onYes={() => call.mutate(input)}>
      <p>{children}</p>
    </Question>
  );
}

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
      <button className="primary" onClick={onClose}>
        Close
      </button>
    </div>
  </Modal>
);
