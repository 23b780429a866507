// Calls that change something, and the dialogs that make them: a form, a question before something that cannot be undone,
// and a secret to be copied.
import { useMutation, type QueryKey } from "@tanstack/react-query";
import { useState, type ComponentProps, type ReactNode } from "react";
import { isRefusal, queryClient, type DecorateMutationProcedure, type ResolverDef } from "../calls.ts";
import { useMe } from "../operators.ts";
import { CopyButton } from "./boxes.tsx";
import { draftName, useDraft, writeDraft } from "./drafts.tsx";
import { Form, LongText } from "./form.tsx";
import { Modal } from "./modal.tsx";
import { useToasts } from "./toasts.tsx";

type Reads = readonly { pathKey(): QueryKey }[];

const readAll = (reads: Reads) =>
  Promise.all(reads.map((read) => queryClient.invalidateQueries({ queryKey: read.pathKey() })));

interface Effects<Def extends ResolverDef> {
  readonly said?: string | ((data: Def["output"], input: Def["input"]) => string);
  /** Said before the reason. Absent: the form or dialog of the call says why it failed. */
  readonly failed?: string;
  /** Procedures of the console, or groups of them. */
  readonly reads?: Reads;
  /** A refusal is shown where what is read again may be gone, with all that stands in it. */
  readonly isShownInside?: boolean;
  readonly onDone?: (data: Def["output"], input: Def["input"]) => void;
  readonly onFailed?: (error: unknown, input: Def["input"]) => void;
}

export function useChange<Def extends ResolverDef>(
  procedure: DecorateMutationProcedure<Def>,
  { said, failed, reads = [], isShownInside = false, onDone, onFailed }: Effects<Def>,
) {
  const { showToast, showFailure } = useToasts();
  return useMutation({
    ...procedure.mutationOptions(),
    onSuccess: (data, input) => {
      onDone?.(data, input);
      if (said !== undefined) showToast(typeof said === "string" ? said : said(data, input));
    },
    onError: (error, input) => {
      if (failed !== undefined) showFailure(failed, error);
      onFailed?.(error, input);
    },
    onSettled: (_data, error) => (isShownInside && isRefusal(error) ? undefined : readAll(reads)),
  });
}

interface DialogButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly word: ReactNode;
  /** The dialog. */
  readonly children: (close: () => void) => ReactNode;
}

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

type FormProps = ComponentProps<typeof Form>;

interface FormDialogProps extends Pick<FormProps, "call" | "onSubmit" | "children"> {
  readonly title: string;
  /** What the button says. */
  readonly word: string;
  /** It is a question: the keyboard stands on Cancel, and the button looks like this. */
  readonly asks?: "primary" | "danger solid" | undefined;
  /** Another button beside the first. */
  readonly second?: ReactNode;
  /** Absent: the dialog stays until the call is answered. */
  readonly onClose: (() => void) | undefined;
  /** On Cancel, where that does more than to close. */
  readonly onCancel?: (() => void) | undefined;
}

export const FormDialog = ({ title, word, asks, second, onClose, onCancel = onClose, ...form }: FormDialogProps) => (
  <Modal title={title} onClose={onClose}>
    <Form
      {...form}
      foot={
        <div className="dialog-foot">
          <button type="button" onClick={onCancel} disabled={onClose === undefined} autoFocus={asks !== undefined}>
            Cancel
          </button>
          {second}
          <button className={asks ?? "primary"} disabled={form.call.isPending}>
            {word}
          </button>
        </div>
      }
    />
  </Modal>
);

interface FormButtonProps<Def extends ResolverDef>
  extends Effects<Def>, Pick<FormDialogProps, "title" | "asks" | "children"> {
  readonly word: string;
  /** What the button in the dialog says, if it says something else. */
  readonly yes?: string;
  readonly label?: string;
  /** What it acts on, read after its name, where several have one name. */
  readonly about?: string;
  readonly className?: string;
  readonly disabled?: boolean;
  /** The key of the text that is written in it (`DraftText`). Cancel forgets it, and so does the call. */
  readonly draft?: string;
  readonly procedure: DecorateMutationProcedure<Def>;
  readonly input: (...form: Parameters<FormProps["onSubmit"]>) => Def["input"];
  /** The dialog after the call. Absent: it closes. */
  readonly result?: (data: Def["output"], input: Def["input"], close: () => void) => ReactNode;
}

/** A button that opens a dialog with a form or a question, which then makes a call. */
export const FormButton = <Def extends ResolverDef>(props: FormButtonProps<Def>) => {
  const { word, label, about, asks, className = asks && "small-button", disabled } = props;
  return (
    <DialogButton word={word} aria-label={label} aria-description={about} className={className} disabled={disabled}>
      {(close) => <CallDialog {...props} onClose={close} />}
    </DialogButton>
  );
};

function CallDialog<Def extends ResolverDef>(props: FormButtonProps<Def> & { readonly onClose: () => void }) {
  const { title, word, yes = word, asks, draft, procedure, input, result, reads = [], children } = props;
  const { email } = useMe();
  const end = () => {
    if (draft !== undefined) writeDraft(draftName(email, draft), "");
    onClose();
  };
  const call = useChange(procedure, {
    ...props,
    isShownInside: true,
    onDone: () => result === undefined && end(),
  });
  const onClose = () => {
    props.onClose();
    if (call.isError) void readAll(reads);
  };
  if (call.data !== undefined && result !== undefined) return result(call.data, call.variables, onClose);
  return (
    <FormDialog
      title={title}
      word={yes}
      asks={asks}
      call={call}
      onSubmit={(...form) => call.mutate(input(...form))}
      // What it shows once, and why it failed, would not be seen.
      onClose={call.isPending ? undefined : onClose}
      onCancel={end}
    >
      {children}
      {call.isError && !isRefusal(call.error) && (
        <p className="quiet small">It may have been done all the same. Please look before you try again.</p>
      )}
    </FormDialog>
  );
}

interface DraftTextProps extends ComponentProps<typeof LongText> {
  readonly draft: string;
  /** What is stored. */
  readonly stored: string;
}

/** A text of a dialog that is kept when the dialog is left by Escape, by a click beside it or by going back. */
export function DraftText({ draft, stored, ...area }: DraftTextProps) {
  const [kept, keep] = useDraft(draft);
  const [text, setText] = useState(kept || stored);
  // What was stored when it was begun, which another operator may have changed since.
  const [base, keepBase] = useDraft(`was ${draft}`);
  const [was] = useState((kept && base) || stored);
  const write = (next: string) => {
    setText(next);
    keep(next === stored ? "" : next);
    keepBase(was);
  };
  return (
    <>
      <LongText {...area} value={text} onChange={({ target }) => write(target.value)} />
      <input type="hidden" name="was" value={was} />
    </>
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
