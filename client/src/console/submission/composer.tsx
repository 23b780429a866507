// Where an operator writes: a reply to the person, and a note for the team. What is typed survives going to another
// submission, a conflict, a reload and the end of the session.
import type { Note, ReplyPreview, SavedAnswer, SubmissionDetail } from "@submissions/shared/console";
import { kinds, type SubmissionKind } from "@submissions/shared/kinds";
import { greetingLanguageOf, type GreetingLanguage } from "@submissions/shared/language";
import { looksLikeName } from "@submissions/shared/names";
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type RefObject } from "react";
import { calls, isRefusal, isWrong, messageOf, queryClient, trpc } from "../calls.ts";
import { useDraft, useSeen } from "../parts/drafts.tsx";
import { Check, LongText } from "../parts/form.tsx";
import { reads, useOffer } from "../triage/offers.tsx";
import { languageName, severalOf } from "../words.ts";
import { useToasts } from "../parts/toasts.tsx";
import { useChange } from "../parts/dialogs.tsx";
import { useQuery } from "@tanstack/react-query";
import { AttachButton, AttachedFiles, useFiles } from "./files.tsx";

interface TextFormProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly rows: number;
  readonly draft: ReturnType<typeof useDraft>;
  /** On Ctrl + Enter. */
  readonly onSubmit: () => void;
  /** On Ctrl + Shift + Enter, where that is something else. */
  readonly onSecond?: () => void;
  readonly call: { readonly error: unknown };
  /** Said before the reason why the call failed. */
  readonly failed: string;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  readonly head?: ReactNode;
  readonly below?: ReactNode;
  /** The buttons. */
  readonly children: ReactNode;
}

function TextForm({
  label,
  draft,
  onSubmit,
  onSecond = onSubmit,
  call,
  failed,
  field,
  head,
  below,
  children,
  ...area
}: TextFormProps) {
  const [text, write] = draft;
  const foot = useRef<HTMLDivElement>(null);
  // With the keys, what was refused may lie below the end of the window.
  useEffect(() => {
    if (call.error !== null) foot.current?.scrollIntoView({ block: "nearest" });
  }, [call.error]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {head}
      <LongText
        ref={field}
        aria-label={label}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          (event.shiftKey ? onSecond : onSubmit)();
        }}
        {...area}
      />
      {below}
      <div className="note-foot" ref={foot}>
        <span className="problem" role="alert">
          {call.error !== null && `${failed} ${messageOf(call.error)}`}
        </span>
        {children}
      </div>
    </form>
  );
}

/** Ends the wait for an answer where the server refused. */
function useRefusal({ error }: { readonly error: unknown }, onAnswer: () => void): void {
  const onRefusal = useEffectEvent(onAnswer);
  useEffect(() => {
    if (error !== null && isRefusal(error)) onRefusal();
  }, [error]);
}

interface NoteFormProps {
  readonly detail: Pick<SubmissionDetail, "reference" | "notes">;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

export function NoteForm({ detail: { reference, notes: shown }, field }: NoteFormProps) {
  const [text, write, read] = useDraft(`note ${reference}`);
  const { seen, onSend, onAnswer } = useSeen(`note-seen ${reference}`, Math.max(0, ...shown.map(({ id }) => id)));
  const edit = (next: string) => {
    write(next);
    // What is written after that is another note.
    if (next === "") onAnswer();
  };
  const detailKey = trpc.submission.get.queryKey({ reference });
  const add = useChange(trpc.submission.addNote, {
    reads: [trpc.submission.get],
    onDone: (note, sent) => {
      // A read that began since may show it already.
      const besides = (notes: readonly Note[]) => notes.filter(({ id }) => id !== note.id);
      queryClient.setQueryData(detailKey, (detail) => detail && { ...detail, notes: [...besides(detail.notes), note] });
      // What was typed meanwhile stays.
      if (read().trim() === sent.text) write("");
      onAnswer();
    },
  });
  useRefusal(add, onAnswer);
  const words = text.trim();
  const submit = () => {
    if (words === "" || add.isPending) return;
    onSend();
    add.mutate({ reference, text: words, seen });
  };
  return (
    <TextForm
      label="Note"
      placeholder="Write a note for the team…"
      field={field}
      rows={2}
      draft={[text, edit, read]}
      onSubmit={submit}
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

export function greetingOf({ name, kind, reference, fields }: SubmissionDetail): string {
  const language = greetingLanguageOf(fields["language"]);
  const greeting = greetings[language](looksLikeName(name) ? ` ${name}` : "");
  return `${greeting} ${kinds[kind].yours[language]} ${reference}: `;
}

/** Says which placeholders of a saved answer were not filled. */
export const leftOutWords = (leftOut: readonly string[]): string =>
  `Left out, because it may be a link or advertising: ${leftOut.join(", ")}.`;

/** A mail as it will go out. */
export const MailPreview = ({ subject, leftOut, mail }: Pick<ReplyPreview, "subject" | "leftOut" | "mail">) => (
  <>
    <p className="small">{subject}</p>
    {leftOut.length > 0 && <p className="problem small">{leftOutWords(leftOut)}</p>}
    <p className="note-text small">{mail}</p>
  </>
);

/** Types a text at the cursor, so that Ctrl + Z takes it out. @param all in place of everything */
export function typeIn(field: HTMLTextAreaElement, text: string, all: boolean): void {
  field.focus();
  if (all) field.select();
  // Deprecated, and the only way into the history of a field.
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

interface ReplyFormProps {
  readonly detail: SubmissionDetail;
  readonly draft: ReturnType<typeof useDraft>;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onSent: () => void;
}

export function ReplyForm({ detail, draft, field, onSent }: ReplyFormProps) {
  const [text, write, read] = draft;
  const { reference, kind, email, version, status, lastReplyAt, lastAnswerAt } = detail;
  const shown = Math.max(lastReplyAt ?? 0, lastAnswerAt ?? 0);
  const { seen, onSend, onAnswer } = useSeen(`reply-seen ${reference}`, shown);
  const [quote, setQuote] = useState<boolean>(kinds[kind].quoted);
  const { showToast, showFailure } = useToasts();
  const offer = useOffer();
  const send = useChange(trpc.reply.send, {
    reads,
    onDone: ({ id }, sent) => {
      if (read().trim() === sent.text) write("");
      onAnswer();
      onSent();
      const said = `The reply to ${email} goes out in ten seconds.`;
      offer({ said, undone: { reply: id, reference, text: sent.text } });
    },
  });
  const chosen = useRef("");
  const fill = async (answer: string) => {
    chosen.current = answer;
    try {
      const [filled] = await calls.reply.preview.query({ references: [reference], text: answer });
      // Arrow keys pass over several: the last one is meant.
      if (filled === undefined || field.current === null || chosen.current !== answer) return;
      typeIn(field.current, filled.text, read() === greetingOf(detail));
      if (filled.leftOut.length > 0) showToast(leftOutWords(filled.leftOut), { tone: "bad" });
    } catch (error) {
      showFailure("Not filled in.", error);
    }
  };
  const files = useFiles(detail);
  const words = text.trim();
  useRefusal(send, onAnswer);
  const isReady = words !== "" && !send.isPending && files.underWay.length === 0;
  const submit = (more: { readonly doneAt?: number; readonly seen?: number }) => {
    if (!isReady) return;
    onSend();
    send.mutate({ reference, text: words, quote, files: files.attached.map(({ id }) => id), ...more });
  };
  const isDone = status === "done";
  const [sendOnly, sendDone] = [() => submit({ seen }), () => submit({ seen, doneAt: version })];
  const isOvertaken = isWrong(send.error, "seen");
  return (
    <TextForm
      label="Message"
      rows={8}
      draft={draft}
      onSubmit={isDone ? sendOnly : sendDone}
      onSecond={sendOnly}
      call={send}
      failed="Not sent."
      field={field}
      below={
        <>
          <AttachedFiles files={files} />
          <AttachButton files={files} />
        </>
      }
      head={
        <div className="note-foot">
          <p className="quiet small">To {email}.</p>
          <AnswerSelect
            kind={kind}
            language={greetingLanguageOf(detail.fields["language"])}
            onChoose={(answer) => void fill(answer)}
            isRepeatable
          />
        </div>
      }
    >
      <Check checked={quote} onChange={setQuote}>
        Quote their message
      </Check>
      {isOvertaken && (
        <button
          type="button"
          disabled={!isReady}
          onClick={() => submit(send.variables?.doneAt === undefined ? {} : { doneAt: version })}
        >
          Send anyway
        </button>
      )}
      <button
        type="button"
        className={isDone ? "primary" : ""}
        disabled={!isReady}
        title={isDone ? "Ctrl + Enter" : "Ctrl + Shift + Enter"}
        onClick={sendOnly}
      >
        Send
      </button>
      {!isDone && (
        <button className="primary" disabled={!isReady} title="Ctrl + Enter">
          Send and mark done
        </button>
      )}
    </TextForm>
  );
}

interface AnswerSelectProps {
  /** Undefined: of any kind. */
  readonly kind: SubmissionKind | undefined;
  /** Of the submission: answers in it come first. */
  readonly language?: GreetingLanguage;
  /** Told of its text, with placeholders. */
  readonly onChoose: (text: string) => void;
  /** It goes in at the cursor, and may do so again. */
  readonly isRepeatable?: boolean;
}

export function AnswerSelect({ kind, language, onChoose, isRepeatable = false }: AnswerSelectProps) {
  const answers = useQuery(trpc.reply.answers.queryOptions(undefined, { staleTime: 60_000 })).data ?? [];
  const ofKind = answers.filter((answer) => kind === undefined || answer.kind === kind);
  const rank = (answer: SavedAnswer) => (answer.language === language ? 0 : answer.language === null ? 1 : 2);
  const offered = ofKind.toSorted((one, other) => rank(one) - rank(other));
  const byKind = Map.groupBy(offered, (answer) => answer.kind);
  const optionsOf = (some: readonly SavedAnswer[]) =>
    some.map(({ id, title, language: its }) => (
      <option key={id} value={id}>
        {its === null || its === language ? title : `${title} (${languageName(its)})`}
      </option>
    ));
  return (
    <select
      aria-label="Saved answer"
      defaultValue=""
      // What went into the message can be chosen again.
      onBlur={isRepeatable ? ({ target }) => (target.value = "") : undefined}
      onChange={({ target }) => {
        const chosen = offered.find(({ id }) => String(id) === target.value);
        if (chosen !== undefined) onChoose(chosen.text);
      }}
    >
      <option value="" disabled>
        {offered.length === 0 ? "No saved answer yet" : "Saved answer…"}
      </option>
      {byKind.size < 2
        ? optionsOf(offered)
        : Array.from(byKind, ([one, its]) => (
            <optgroup key={one} label={`For ${severalOf(one)}`}>
              {optionsOf(its)}
            </optgroup>
          ))}
    </select>
  );
}
