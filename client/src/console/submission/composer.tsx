// Where an operator writes: a reply to the person, and a note for the team. What is typed survives going to another
// submission, a conflict, a reload and the end of the session.
import type { SubmissionDetail } from "@submissions/shared/console";
import { kinds, type SubmissionKind } from "@submissions/shared/kinds";
import { greetingLanguageOf, type GreetingLanguage } from "@submissions/shared/language";
import { looksLikeName } from "@submissions/shared/names";
import { useRef, type ReactNode, type RefObject } from "react";
import { calls, messageOf, queryClient, trpc } from "../calls.ts";
import { useDraft } from "../parts/drafts.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { useChange } from "../parts/dialogs.tsx";
import { useQuery } from "@tanstack/react-query";

const lengthMax = 10_000;
/** As long as the server holds a reply. */
const undoMs = 10_000;

interface TextFormProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly rows: number;
  readonly draft: ReturnType<typeof useDraft>;
  readonly onSubmit: () => void;
  readonly call: { readonly error: unknown };
  /** Said before the reason why the call failed. */
  readonly failed: string;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  /** Above the text. */
  readonly head?: ReactNode;
  /** The buttons. */
  readonly children: ReactNode;
}

function TextForm({ label, draft, onSubmit, call, failed, field, head, children, ...area }: TextFormProps) {
  const [text, write] = draft;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {head}
      <textarea
        ref={field}
        aria-label={label}
        dir="auto"
        maxLength={lengthMax}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
        {...area}
      />
      <div className="note-foot">
        <span className="problem" role="alert">
          {call.error !== null && `${failed} ${messageOf(call.error)}`}
        </span>
        {children}
      </div>
    </form>
  );
}

export function NoteForm({ reference }: { readonly reference: string }) {
  const draft = useDraft(`note ${reference}`);
  const [text, write, read] = draft;
  const detailKey = trpc.submission.get.queryKey({ reference });
  const add = useChange(trpc.submission.addNote, {
    reads: [trpc.submission.get],
    onDone: (note, sent) => {
      queryClient.setQueryData(detailKey, (detail) => detail && { ...detail, notes: [...detail.notes, note] });
      // What was typed meanwhile stays.
      if (read().trim() === sent.text) write("");
    },
  });
  const words = text.trim();
  return (
    <TextForm
      label="Note"
      placeholder="Write a note for the team…"
      rows={2}
      draft={draft}
      onSubmit={() => words !== "" && !add.isPending && add.mutate({ reference, text: words })}
      call={add}
      failed="Not saved."
    >
      <button disabled={words === "" || add.isPending} title="Ctrl + Enter">
        Add note
      </button>
    </TextForm>
  );
}

const greetings: Readonly<Record<GreetingLanguage, (called: string) => string>> = {
  en: (called) => `Hello${called},\n\nabout`,
  de: (called) => `Guten Tag${called},\n\nzu`,
};

/** What a message begins with. */
export function greetingOf({ name, kind, reference, fields }: SubmissionDetail): string {
  const language = greetingLanguageOf(fields["language"]);
  const greeting = greetings[language](looksLikeName(name) ? ` ${name}` : "");
  return `${greeting} ${kinds[kind].yours[language]} ${reference}: `;
}

/** Says which placeholders of a saved answer were not filled. */
export const leftOutWords = (leftOut: readonly string[]): string =>
  `Left out, because it may be a link or advertising: ${leftOut.join(", ")}.`;

/** The counts and the list show the state, too. */
const reads = [trpc.inbox.list, trpc.inbox.counts, trpc.submission.get];

interface ReplyFormProps {
  readonly detail: SubmissionDetail;
  readonly draft: ReturnType<typeof useDraft>;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onClose: (isDone: boolean) => void;
}

export function ReplyForm({ detail, draft, field, onClose }: ReplyFormProps) {
  const [text, write, read] = draft;
  const { reference, email, version, status } = detail;
  const { showToast, showFailure } = useToasts();
  const sentText = useRef("");
  // The form is gone by then, and with it what a single call would be told of its end.
  const undo = useChange(trpc.reply.undo, {
    said: "The reply is taken back.",
    failed: "Not taken back.",
    reads,
    onDone: () => {
      if (read() === "") write(sentText.current);
    },
  });
  const send = useChange(trpc.reply.send, {
    reads,
    onDone: ({ id }, sent) => {
      if (read().trim() === sent.text) write("");
      onClose(sent.doneAt !== undefined);
      sentText.current = sent.text;
      showToast(`The reply to ${email} goes out in ten seconds.`, { undo: () => undo.mutate({ id }), forMs: undoMs });
    },
  });
  const fill = async (answer: string) => {
    try {
      const [filled] = await calls.reply.preview.query({ references: [reference], text: answer });
      if (filled === undefined) return;
      write(filled.text);
      if (filled.leftOut.length > 0) showToast(leftOutWords(filled.leftOut), { tone: "bad" });
    } catch (error) {
      showFailure("Not filled in.", error);
    }
  };
  const words = text.trim();
  const submit = (doneAt?: number) => {
    if (words !== "" && !send.isPending)
      send.mutate({ reference, text: words, ...(doneAt !== undefined && { doneAt }) });
  };
  return (
    <TextForm
      label="Message"
      rows={8}
      draft={draft}
      onSubmit={submit}
      call={send}
      failed="Not sent."
      field={field}
      head={
        <div className="note-foot">
          <p className="quiet small">To {email}. What was sent is quoted below.</p>
          <AnswerSelect kind={detail.kind} onChoose={(answer) => void fill(answer)} />
        </div>
      }
    >
      <button
        className={status === "done" ? "primary" : ""}
        disabled={words === "" || send.isPending}
        title="Ctrl + Enter"
      >
        Send
      </button>
      {status !== "done" && (
        <button
          type="button"
          className="primary"
          disabled={words === "" || send.isPending}
          onClick={() => submit(version)}
        >
          Send and mark done
        </button>
      )}
    </TextForm>
  );
}

interface AnswerSelectProps {
  /** Undefined: of any kind. */
  readonly kind: SubmissionKind | undefined;
  /** Told of its text, with placeholders. */
  readonly onChoose: (text: string) => void;
}

/** Chooses a saved answer. */
export function AnswerSelect({ kind, onChoose }: AnswerSelectProps) {
  const answers = useQuery(trpc.reply.answers.queryOptions(undefined, { staleTime: 60_000 })).data ?? [];
  const offered = answers.filter((answer) => kind === undefined || answer.kind === kind);
  return (
    <select
      aria-label="Saved answer"
      defaultValue=""
      onChange={({ target }) => {
        const chosen = offered.find(({ id }) => String(id) === target.value);
        if (chosen !== undefined) onChoose(chosen.text);
      }}
    >
      <option value="" disabled>
        {offered.length === 0 ? "No saved answer yet" : "Saved answer…"}
      </option>
      {offered.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
