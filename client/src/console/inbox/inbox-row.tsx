// One submission in the list: one line, in columns that are alike in all rows.
import type { InboxRow } from "@submissions/shared/console";
import { memo } from "react";
import type { InboxSearch } from "./inbox-search.ts";
import { useNames } from "../operators.ts";
import { Facts } from "./stages.tsx";
import { Icon } from "../parts/icons.tsx";
import { Marked } from "../parts/marked.tsx";
import { useShortcutsOn } from "../parts/shortcuts.ts";
import { Age, Avatar, Mark, Tag, useNow } from "../parts/states.tsx";
import { age, dayAndTime, submissionPath, word } from "../words.ts";
import { Link } from "../router.tsx";

/** Further ones are counted. */
const tagsShown = 2;

/** What was said last, and until when it is put off. */
function Said({ row: { status, lastReplyAt, lastAnswerAt, snoozedUntil } }: Pick<Props, "row">) {
  const now = useNow();
  const isAnswer = (lastAnswerAt ?? 0) > (lastReplyAt ?? 0);
  const at = isAnswer ? lastAnswerAt : lastReplyAt;
  const isSnoozed = snoozedUntil !== null && snoozedUntil > now && (status === "new" || status === "open");
  if (at === null && !isSnoozed) return null;
  return (
    <span
      className={isAnswer && !isSnoozed ? "answered" : undefined}
      title={isSnoozed ? `Until ${dayAndTime(snoozedUntil)}` : undefined}
    >
      {isSnoozed ? "Snoozed" : `${isAnswer ? "Answered" : "Replied"} ${age(at!, now)}`}
    </span>
  );
}

interface Props {
  readonly row: InboxRow;
  readonly search: InboxSearch;
  readonly selected: boolean;
  readonly open: boolean;
  readonly dimmed: boolean;
  /** Whether it says what helps to choose among those of one kind. */
  readonly byStage: boolean;
  readonly onSelect: (reference: string, range: boolean) => void;
  readonly onDone: (reference: string) => void;
}

export const Row = memo(function Row({ row, search, selected, open, dimmed, byStage, onSelect, onDone }: Props) {
  const { reference, kind, name, email, company, status, assignee, tags, receivedAt, hasResume, disposable } = row;
  const nameOf = useNames();
  const shortcutsOn = useShortcutsOn();
  const state = [selected && "selected", open && "current", dimmed && "dimmed"].filter(Boolean).join(" ");
  return (
    <li className={`row status-${status} ${state}`}>
      <label className="pick">
        <input
          type="checkbox"
          checked={selected}
          aria-label={`Select ${name}`}
          // With the shortcuts x selects, and Tab goes from row to row.
          tabIndex={shortcutsOn ? -1 : undefined}
          onClick={(event) => onSelect(reference, event.shiftKey)}
          readOnly
        />
      </label>
      <Link
        to={submissionPath(reference)}
        params={{ reference }}
        search={search}
        className="row-link"
        data-reference={reference}
        aria-current={open ? "true" : undefined}
      >
        <strong className="clip" dir="auto">
          <Marked text={name} search={search.q} isName />
        </strong>
        <span className="row-company clip" dir="auto">
          <Marked text={company ?? email} search={search.q} isName />
        </span>
        <span className="row-summary">
          <span className="row-kind" title={word(kind)}>
            <Icon name={kind} size={15} />
            <span className="unseen">{word(kind)}: </span>
          </span>
          {byStage ? (
            <Facts of={row.facts} />
          ) : (
            <span className="clip" dir="auto">
              <Marked text={row.match || row.summary} search={search.q} />
            </span>
          )}
          {!byStage && !row.match && row.beginning !== "" && (
            <span className="row-letter" dir="auto">
              {row.beginning}
            </span>
          )}
          <span className="row-signs">
            {hasResume && (
              <span title="With a resume">
                <Icon name="resume" size={15} />
                <span className="unseen">With a resume</span>
              </span>
            )}
            {tags.slice(0, tagsShown).map((tag) => (
              <Tag key={tag} tag={tag} />
            ))}
            {tags.length > tagsShown && (
              <span title={tags.slice(tagsShown).join(", ")}>+{tags.length - tagsShown}</span>
            )}
            {disposable && (
              <span className="disposable" title="Throw-away e-mail address">
                throw-away
              </span>
            )}
          </span>
        </span>
        <span className="row-assignee">
          {assignee !== null && (
            <>
              <Avatar name={nameOf(assignee)} small />
              <span className="assignee-name clip">
                <span className="unseen">Assigned to </span>
                {nameOf(assignee)}
              </span>
            </>
          )}
        </span>
        <span className="row-state">
          <Mark of="status" state={status} />
          <Said row={row} />
        </span>
        <span className="row-age">
          <Age at={receivedAt} />
        </span>
      </Link>
      {/* Not for spam: what leaves it gets its mails at once. */}
      {(status === "new" || status === "open") && (
        <button
          className="row-done"
          aria-hidden="true"
          tabIndex={-1}
          title="Set to done (e)"
          onClick={() => onDone(reference)}
        >
          <Icon name="check" size={15} /> Done
        </button>
      )}
    </li>
  );
});
