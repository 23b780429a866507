// One submission: what was sent, what became of it, and what to do next.
import { useQuery } from "@tanstack/react-query";
import {
  triageStatuses,
  type InboxRow,
  type SubmissionDetail,
  type TriageStatus,
  type WithPerson,
} from "@submissions/shared/console";
import { kindOfReference, kindsOf } from "@submissions/shared/kinds";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { calls, isMissing, trpc } from "../calls.ts";
import { useInboxList } from "../inbox/inbox-list.ts";
import { compact, filterOf } from "../inbox/inbox-search.ts";
import { isByStage } from "../inbox/stages.tsx";
import { SnoozeDialog } from "../triage/snooze-dialog.tsx";
import { AssignDialog } from "../triage/assign-dialog.tsx";
import { useAssignees, useMe, useNames } from "../operators.ts";
import { seesSubmissions } from "../roles.ts";
import { Icon } from "../parts/icons.tsx";
import { useTitle } from "../parts/page.tsx";
import { Options } from "../parts/form.tsx";
import { Age, Avatar, Fact, useNow, Waiting } from "../parts/states.tsx";
import { CopyButton } from "../parts/boxes.tsx";
import { forgetDraftsOf, useDraft } from "../parts/drafts.tsx";
import { useOpensNext, useShortcuts, useShortcutsOn } from "../parts/shortcuts.ts";
import { useChange } from "../parts/dialogs.tsx";
import { TriageSelect } from "../triage/triage-select.tsx";
import { showNews, useTriage } from "../triage/triage.ts";
import { dayAndTime, exactTime, submissionPath, word } from "../words.ts";
import "../styles/pages.css";
import { Fields, MoreFields, Request } from "./fields.tsx";
import { TagBox } from "./tags.tsx";
import { greetingOf, NoteForm, ReplyForm } from "./composer.tsx";
import { itemsOf, Submissions, Timeline } from "./timeline.tsx";
import { Decision, DeclineButton, StageSelect } from "./stage.tsx";
import { ResumePanel } from "./resume-panel.tsx";
import { useNavigate, useParams, useSearch } from "../router.tsx";

/** How often the page is read again while a mail is on its way. */
const mailsEveryMs = 5_000;

export function SubmissionPage() {
  const { reference = "" } = useParams();
  const detail = useQuery({
    ...trpc.submission.get.queryOptions({ reference }),
    refetchInterval: ({ state: { data, status } }) =>
      status === "success" && data?.mails.some((mail) => mail.status === "queued") === true && mailsEveryMs,
  });
  const me = useMe();
  const isGone = isMissing(detail.error);
  const shown = isGone ? undefined : detail.data;
  useEffect(() => {
    if (isGone) void forgetIfErased(reference);
    if (shown) showNews([shown]);
  }, [isGone, reference, shown]);
  useTitle(shown ? `${shown.name}, ${reference}` : reference);
  return (
    <article className="submission" aria-label={reference}>
      {shown ? (
        <Submission key={reference} detail={shown} />
      ) : (
        <>
          {seesSubmissions(me) && (
            <header className="submission-head">
              <Back />
            </header>
          )}
          <Waiting query={detail} rows={6} className="skeleton-block" />
        </>
      )}
    </article>
  );
}

/** Its person may have been erased elsewhere. What only the role does not see any more, it may see again. */
async function forgetIfErased(reference: string): Promise<void> {
  const me = await calls.session.me.query().catch(() => null);
  const kind = kindOfReference(reference);
  if (me !== null && kind !== undefined && kindsOf(me.role).includes(kind)) forgetDraftsOf(reference);
}

interface DetailProps {
  readonly detail: WithPerson<SubmissionDetail>;
}

function Submission({ detail }: DetailProps) {
  const { reference, kind, name, status, receivedAt, resume } = detail;
  const triage = useTriage();
  const nameOf = useNames();
  const me = useMe();
  const shortcutsOn = useShortcutsOn();
  const release = useChange(trpc.submission.release, {
    said: "Released. Its mails are on their way.",
    failed: "Not released.",
    reads: [trpc.inbox.list, trpc.inbox.counts, trpc.submission.get],
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const draft = useDraft(`reply ${reference}`);
  const [replying, setReplying] = useState(draft[0] !== "" || detail.attached.length > 0);
  const message = useRef<HTMLTextAreaElement>(null);
  const startReply = () => {
    // It may have been begun elsewhere, or taken back.
    const [, write, read] = draft;
    write(read() || greetingOf(detail));
    flushSync(() => setReplying(true));
    const field = message.current;
    field?.focus();
    // With its buttons.
    field?.form?.scrollIntoView({ block: "nearest" });
    field?.setSelectionRange(field.value.length, field.value.length);
  };
  const note = useRef<HTMLTextAreaElement>(null);
  const startNote = () => {
    flushSync(() => setReplying(false));
    note.current?.focus();
  };
  useShortcuts({ r: status === "spam" ? undefined : startReply, n: startNote });
  const { next } = useNeighbours(reference);
  const opensNext = useOpensNext();
  const search = useSearch("/");
  const navigate = useNavigate();
  const openNext = () => {
    // The answer may come after another page was gone to, which stays.
    if (heading.current === null) return;
    flushSync(() => setReplying(false));
    if (next === null || !opensNext) heading.current?.focus({ preventScroll: true });
    else void navigate({ to: submissionPath(next.reference), params: { reference: next.reference }, search });
  };
  /** Where there is no list, to the button that leads there. */
  const goToNextRow = () => {
    const row = document.querySelector<HTMLElement>(`[data-reference="${next?.reference ?? ""}"]`);
    (row ?? document.querySelector<HTMLElement>(".steps button:last-child:enabled") ?? heading.current)?.focus();
  };
  return (
    <>
      <header className="submission-head">
        <Neighbourhood detail={detail} />
        <div className="submission-title">
          <Avatar name={name} />
          <div>
            <h1 tabIndex={-1} ref={heading}>
              {name}
            </h1>
            <p className="quiet facts">
              <span>
                {word(kind)} <span className="reference">{reference}</span>
              </span>
              <Age at={receivedAt} ago />
              <span className="unseen">, {exactTime(receivedAt)}</span>
            </p>
          </div>
        </div>
        <div className="actions">
          {status !== "spam" && (
            <button className="primary" aria-keyshortcuts="r" title="Reply (r)" onClick={startReply}>
              Reply {shortcutsOn && <kbd aria-hidden="true">r</kbd>}
            </button>
          )}
          <DeclineButton of={detail} />
          <button
            aria-keyshortcuts="e"
            title="Set to done (e)"
            disabled={status === "done" || status === "spam"}
            onClick={() => {
              triage([reference], { status: "done" });
              goToNextRow();
            }}
          >
            <Icon name="check" size={16} /> Done {shortcutsOn && <kbd aria-hidden="true">e</kbd>}
          </button>
        </div>
      </header>
      {status === "spam" && (
        <div className="notice">
          <Icon name="warning" />
          <p>This is kept as spam. Mails of it are sent once it is released.</p>
          <button disabled={release.isPending} onClick={() => release.mutate({ reference })}>
            Release
          </button>
        </div>
      )}
      <div className="submission-body">
        <div className="column">
          <Request detail={detail} />
          <MoreFields detail={detail} />
          {resume && <ResumePanel reference={reference} resume={resume} />}
        </div>
        <aside className="column" aria-label="Properties">
          <section className="box">
            <Controls detail={detail} />
            <Fields detail={detail} />
            <dl className="fields">
              <Decision of={detail} />
              <Fact label="Received">{exactTime(receivedAt)}</Fact>
              <Fact label="Reference">
                {reference} <CopyButton text={reference} className="link small" />
              </Fact>
            </dl>
          </section>
          {detail.duplicates.length > 0 && (
            <Submissions title="Other submissions of the person" of={detail.duplicates} />
          )}
        </aside>
        <section className="box story" aria-label="Timeline">
          <Timeline items={itemsOf(detail, nameOf, me.email)} />
          {replying ? (
            <>
              <ReplyForm detail={detail} draft={draft} field={message} onSent={openNext} />
              <button className="link small" aria-keyshortcuts="n" title="Write a note (n)" onClick={startNote}>
                Write a note instead
              </button>
            </>
          ) : (
            <NoteForm detail={detail} field={note} />
          )}
        </section>
      </div>
    </>
  );
}

/** The ones beside it in the list. A search is in an order of its own, in which it is read where it is loaded. */
function useNeighbours(reference: string) {
  const search = useSearch("/");
  const { rows } = useInboxList(search, false);
  const { data } = useQuery(trpc.submission.neighbours.queryOptions({ reference, filter: filterOf(search) }));
  const { previous = null, next = null } = data ?? {};
  // Until the answer is there, the rows say it, so that a quick key goes on.
  const isAsked = search.q === undefined && !isByStage(search) && data !== undefined;
  const at = isAsked ? -1 : rows.findIndex((row) => row.reference === reference);
  // One that is moved on changes its place in a list by stage. The next one is still that which was next when it was opened.
  const [opened, setOpened] = useState<{
    readonly of: string;
    readonly previous?: InboxRow;
    readonly next?: InboxRow;
  }>();
  if (at >= 0 && opened?.of !== reference)
    setOpened({ of: reference, ...compact({ previous: rows[at - 1], next: rows[at + 1] }) });
  if (at < 0) return { previous, next };
  const then = opened?.of === reference && isByStage(search) ? opened : undefined;
  return { previous: then?.previous ?? rows[at - 1] ?? null, next: then?.next ?? rows[at + 1] ?? null };
}

/** To the list, also from a submission that is not there. */
function Back() {
  const search = useSearch("/");
  const navigate = useNavigate();
  const back = () => void navigate({ to: "/", search });
  useShortcuts({ Escape: back });
  return (
    <button className="bare back" onClick={back}>
      <Icon name="back" /> Inbox
    </button>
  );
}

/** Back to the list, previous and next, and the keys for it. */
function Neighbourhood({ detail: { reference, kind, status, snoozedUntil } }: DetailProps) {
  const search = useSearch("/");
  const navigate = useNavigate();
  const triage = useTriage();
  const [dialog, setDialog] = useState<"assign" | "snooze" | null>(null);
  const { previous, next } = useNeighbours(reference);
  const go = (to: typeof next) => {
    if (to !== null) void navigate({ to: submissionPath(to.reference), params: { reference: to.reference }, search });
  };
  const isToDo = status === "new" || status === "open";
  const now = useNow();
  const isSnoozed = snoozedUntil !== null && snoozedUntil > now;
  useShortcuts({
    j: () => go(next),
    k: () => go(previous),
    // What leaves spam gets its mails at once: that takes more than a key.
    e:
      status === "spam"
        ? undefined
        : () => {
            if (status !== "done") triage([reference], { status: "done" });
            go(next);
          },
    a: () => setDialog("assign"),
    h: isToDo ? () => setDialog("snooze") : undefined,
  });
  const steps = [
    ["previous", "k", previous],
    ["next", "j", next],
  ] as const;
  return (
    <nav className="neighbours" aria-label="In the list">
      <Back />
      {isToDo && (
        <button aria-keyshortcuts="h" title="Snooze (h)" onClick={() => setDialog("snooze")}>
          <Icon name="snooze" size={16} /> {isSnoozed ? `Snoozed until ${dayAndTime(snoozedUntil)}` : "Snooze"}
        </button>
      )}
      <span className="steps">
        {steps.map(([name, keys, to]) => (
          <button
            key={name}
            aria-label={word(name)}
            aria-keyshortcuts={keys}
            title={`${word(name)} (${keys})`}
            disabled={to === null}
            onClick={() => go(to)}
          >
            <Icon name={name} />
          </button>
        ))}
      </span>
      {dialog === "assign" && (
        <AssignDialog
          count={1}
          kinds={[kind]}
          onClose={() => setDialog(null)}
          onChoose={(assignee) => {
            triage([reference], { assignee });
            setDialog(null);
          }}
        />
      )}
      {dialog === "snooze" && (
        <SnoozeDialog
          count={1}
          snoozedUntil={isSnoozed ? snoozedUntil : null}
          onClose={() => setDialog(null)}
          onChoose={(until) => {
            triage([reference], { snoozedUntil: until });
            setDialog(null);
            if (until !== null) go(next);
          }}
        />
      )}
    </nav>
  );
}

function Controls({ detail }: DetailProps) {
  const { reference, kind, status, assignee } = detail;
  const me = useMe();
  const triage = useTriage();
  const nameOf = useNames();
  const assignees = useAssignees([kind]).map(({ email }) => email);
  const known = [...new Set([me.email, ...assignees, ...(assignee === null ? [] : [assignee])])];
  return (
    <div className="controls">
      <label>
        <span>Status</span>
        <TriageSelect value={status} onChoose={(to) => triage([reference], { status: to as TriageStatus })}>
          <Options of={triageStatuses} />
        </TriageSelect>
      </label>
      <StageSelect of={detail} />
      <label>
        <span>Assignee</span>
        <TriageSelect
          value={assignee ?? ""}
          onChoose={(to) => triage([reference], { assignee: to === "" ? null : to })}
        >
          <option value="">Unassigned</option>
          {known.map((email) => (
            <option key={email} value={email}>
              {email === me.email ? `${nameOf(email)} (me)` : nameOf(email)}
            </option>
          ))}
        </TriageSelect>
      </label>
      <div className="tags-line">
        <span aria-hidden="true">Tags</span>
        <TagBox references={[reference]} tags={detail.tags} />
      </div>
    </div>
  );
}
