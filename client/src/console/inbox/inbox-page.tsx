// The inbox: the list, and beside it, on a wide screen, the submission that is open.
import { stagedKinds, submissionKinds, type SubmissionKind } from "@submissions/shared/kinds";
import { declinesMax } from "@submissions/shared/stages";
import { Fragment, lazy, Suspense, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type InboxSearch } from "./inbox-search.ts";
import { useMe } from "../operators.ts";
import { seesSubmissions } from "../roles.ts";
import { Icon } from "../parts/icons.tsx";
import { useWide, useTitle } from "../parts/page.tsx";
import { Modal } from "../parts/modal.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { MoreRows, Waiting } from "../parts/states.tsx";
import { useTriage } from "../triage/triage.ts";
import type { Change } from "../triage/triage-words.ts";
import { count, plural } from "../words.ts";
import { AssignDialog } from "../triage/assign-dialog.tsx";
import { Chips, Filters, StatusTabs } from "./filters.tsx";
import { useCounts } from "../navigation.tsx";
import { stillFits, useInboxList, useNewOnes, useNews, useSections } from "./inbox-list.ts";
import { Row } from "./inbox-row.tsx";
import { Nothing } from "./nothing.tsx";
import { isByStage, StageCount, StageTabs } from "./stages.tsx";
import { useCursor, useSelection } from "./selection.ts";
import { Outlet, useEntryState, useNavigate, useParams, useSearch } from "../router.tsx";

const ReplyDialog = lazy(async () => ({ default: (await import("./reply-dialog.tsx")).ReplyDialog }));
const TagBox = lazy(async () => ({ default: (await import("../submission/tags.tsx")).TagBox }));
const SnoozeDialog = lazy(async () => ({ default: (await import("../triage/snooze-dialog.tsx")).SnoozeDialog }));
const MatchingDialog = lazy(async () => ({ default: (await import("./matching-dialog.tsx")).MatchingDialog }));
const DeclineDialog = lazy(async () => ({
  default: (await import("../submission/decline-dialog.tsx")).DeclineDialog,
}));
const StageDialog = lazy(async () => ({ default: (await import("../submission/stage.tsx")).StageDialog }));

export function InboxPage() {
  const me = useMe();
  const navigate = useNavigate();
  const { reference } = useParams();
  const showsList = useWide() || reference === undefined;
  const sees = seesSubmissions(me);
  /** The submission that was open last. Back in the list, the keyboard stands on it. */
  const lastOpen = useRef<string>(undefined);
  // Not in the list, which a phone does not show beside it.
  useEffect(() => {
    if (reference !== undefined) lastOpen.current = reference;
  }, [reference]);
  useEffect(() => {
    if (!sees && reference === undefined) void navigate({ to: "/subscribers", replace: true });
  }, [sees, reference, navigate]);
  return (
    <div className={reference === undefined ? "inbox" : "inbox split"}>
      {showsList && sees ? <InboxList open={reference} lastOpen={lastOpen} /> : sees && <News />}
      <Outlet level={1} />
    </div>
  );
}

/** Follows what others do where no list does. */
function News() {
  useNews(Number.MAX_SAFE_INTEGER);
  return null;
}

/** References, or everything that the filter matches. */
type Chosen = readonly string[] | "all";

type DialogName = "assign" | "reply" | "snooze" | "tag" | "move" | "decline";

/** Mails that one confirmation sends. */
const repliesMax = 50;

interface ListProps {
  readonly open: string | undefined;
  readonly lastOpen: RefObject<string | undefined>;
}

function InboxList({ open, lastOpen }: ListProps) {
  const search = useSearch("/");
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<{ name: DialogName; chosen: Chosen } | null>(null);
  const close = () => setDialog(null);
  /** What is to be done with everything that matches. */
  const [asked, setAsked] = useState<Change | null>(null);
  const list = useInboxList(search);
  const { rows } = list;
  const byStage = isByStage(search);
  const sections = useSections(rows, list.isSearch, byStage);
  const newOnes = useNewOnes(search, list.data?.pages);
  const references = useMemo(() => rows.map(({ reference }) => reference), [rows]);
  const cursor = useCursor(references);
  const { goTo } = cursor;
  const { selected, everything, select, selectAll, selectEverything, clear } = useSelection(references, goTo);
  const selectedRows = rows.filter(({ reference }) => selected.has(reference));
  const triage = useTriage();
  /** Where the keyboard goes after an erasure. */
  const landing = useEntryState().row;
  const canMove =
    selectedRows.length > 0 && selectedRows.every(({ stage, status }) => stage !== null && status !== "spam");
  const todo = useCounts()?.todo ?? 0;
  useTitle(open ?? (todo > 0 ? `(${count(todo)}) Inbox` : "Inbox"));

  useEffect(clear, [search, clear]);
  const loaded = rows.length > 0;
  useEffect(() => {
    if (open !== undefined) return;
    if (loaded && lastOpen.current !== undefined) {
      goTo(lastOpen.current);
      lastOpen.current = undefined;
    } else if (loaded && landing !== undefined && ["BODY", "MAIN"].includes(document.activeElement?.tagName ?? ""))
      goTo(references.includes(landing) ? landing : references[0]);
  }, [open, loaded, lastOpen, goTo, landing, references]);

  // The list follows the submission that is open.
  useEffect(() => {
    if (open !== undefined && loaded) document.querySelector(".rows .current")?.scrollIntoView({ block: "nearest" });
  }, [open, loaded]);

  const onSearch = (next: InboxSearch, replace = false) => void navigate({ to: "/", search: next, replace });
  // A search that begins looks in every state. One of them can be chosen then.
  const onWords = (words: string) =>
    onSearch(
      { ...search, q: words || undefined, ...(search.q === undefined && { status: undefined, waiting: undefined }) },
      true,
    );
  const targets = (): Chosen => {
    if (everything) return "all";
    if (selected.size > 0) return selectedRows.map(({ reference }) => reference);
    const at = cursor.current();
    return at === undefined ? [] : [at];
  };
  /** Without spam: what leaves it gets its mails at once, which no single key should do. */
  const besideSpam = (chosen: Chosen): Chosen => {
    if (chosen === "all") return search.status === "spam" ? [] : chosen;
    return chosen.filter((one) => rows.every(({ reference, status }) => reference !== one || status !== "spam"));
  };
  const kindsOfChosen = (chosen: Chosen): readonly SubmissionKind[] => {
    if (chosen === "all") return search.kind === undefined ? submissionKinds : [search.kind];
    const some = rows.filter(({ reference }) => chosen.includes(reference)).map(({ kind }) => kind);
    return submissionKinds.filter((kind) => some.includes(kind));
  };
  const snoozedUntilOf = (chosen: readonly string[]): number | null => {
    const until = Math.max(
      0,
      ...rows.flatMap((row) => (chosen.includes(row.reference) ? (row.snoozedUntil ?? 0) : [])),
    );
    return until > Date.now() ? until : null;
  };
  const change = (chosen: Chosen, what: Change) => {
    if (chosen === "all") return setAsked(what);
    if (chosen.length === 0) return;
    // What is done with stays where it is, and the keyboard goes on behind it.
    const leaves = what.status === "done" || what.status === "spam" || what.snoozedUntil != null;
    if (leaves || what.stage !== undefined) goTo(references[references.indexOf(chosen.at(-1) ?? "") + 1]);
    triage(chosen, what);
    clear();
  };
  const onDone = useCallback(
    (reference: string) => {
      goTo(references[references.indexOf(reference) + 1]);
      triage([reference], { status: "done" });
    },
    [goTo, references, triage],
  );
  const ask = (name: DialogName) => {
    const chosen = targets();
    if (chosen.length > 0) setDialog({ name, chosen });
  };
  const canMoveAll = (chosen: Chosen) =>
    chosen !== "all" && kindsOfChosen(chosen).every((kind) => stagedKinds.includes(kind));
  const selectAtCursor = (range: boolean) => {
    const at = cursor.current();
    if (at !== undefined) select(at, range);
  };
  // With a submission open its page answers to these keys.
  useShortcuts({
    ...(open === undefined && {
      j: () => cursor.move(1),
      k: () => cursor.move(-1),
      e: () => change(besideSpam(targets()), { status: "done" }),
      a: () => ask("assign"),
      s: () => canMoveAll(targets()) && ask("move"),
      h: everything ? undefined : () => ask("snooze"),
      x: () => selectAtCursor(false),
      "shift+x": () => selectAtCursor(true),
      Escape: clear,
    }),
  });

  /** It takes the place of the filters, at the same height. */
  const bulkBar = (
    <div className="filters bulk" role="toolbar" aria-label="Selected submissions">
      <strong>{everything ? "All that match" : `${count(selected.size)} selected`}</strong>
      <button onClick={() => change(targets(), { status: "done" })}>
        <Icon name="check" size={16} /> Done
      </button>
      <button onClick={() => change(targets(), { status: "open" })}>Open</button>
      <button onClick={() => ask("assign")}>Assign</button>
      {!everything && (
        <>
          <button
            disabled={selected.size > repliesMax}
            title={selected.size > repliesMax ? `At most ${repliesMax} at once` : undefined}
            onClick={() => ask("reply")}
          >
            Reply to selected
          </button>
          <button onClick={() => ask("tag")}>Tag</button>
          <button onClick={() => ask("snooze")}>Snooze</button>
          {canMove && (
            <>
              <button aria-keyshortcuts="s" title="Move (s)" onClick={() => ask("move")}>
                Move selected
              </button>
              <button
                disabled={selected.size > declinesMax}
                title={selected.size > declinesMax ? `At most ${declinesMax} at once` : undefined}
                onClick={() => ask("decline")}
              >
                Decline selected
              </button>
            </>
          )}
        </>
      )}
      <button onClick={() => change(targets(), { status: "spam" })}>Spam</button>
      {!everything && selected.size < references.length && (
        <button className="link" onClick={selectAll}>
          Select all {count(references.length)}
        </button>
      )}
      {!everything && selected.size >= references.length && list.hasNextPage && (
        <button className="link" onClick={selectEverything}>
          Select all that match
        </button>
      )}
      <button className="link" onClick={clear}>
        Clear
      </button>
    </div>
  );
  return (
    <section className="list" aria-label="Submissions">
      <header className="list-head">
        <div className="list-top">
          <h1>Inbox</h1>
          <SearchBox shown={search.q ?? ""} onPause={onWords} placeholder="People and letters" maxLength={200}>
            <kbd aria-hidden="true">/</kbd>
          </SearchBox>
        </div>
        <StatusTabs search={search} isNarrow={open !== undefined} />
        <StageTabs search={search} isNarrow={open !== undefined} />
        {selected.size > 0 ? (
          bulkBar
        ) : open === undefined ? (
          <Filters search={search} onChange={onSearch} />
        ) : (
          <Chips search={search} all />
        )}
        {newOnes.added > 0 && (
          <button className="new-ones" onClick={newOnes.load}>
            {count(newOnes.added)} new
          </button>
        )}
      </header>
      <div className="list-body" aria-busy={list.isPlaceholderData}>
        {list.isPending || (list.isError && !loaded) ? (
          <Waiting query={list} rows={10} />
        ) : (
          <>
            {!loaded && !list.hasNextPage && <Nothing search={search} />}
            {sections.map((section) => (
              <Fragment key={section.name}>
                <h2 className="section-name">
                  {section.name} {byStage && <StageCount search={search} of={section.rows} />}
                </h2>
                <ul className={list.isPlaceholderData ? "rows old" : "rows"}>
                  {section.rows.map((row) => (
                    <Row
                      key={row.reference}
                      row={row}
                      search={search}
                      selected={selected.has(row.reference)}
                      open={row.reference === open}
                      dimmed={!stillFits(row, search)}
                      byStage={byStage}
                      onSelect={select}
                      onDone={onDone}
                    />
                  ))}
                </ul>
              </Fragment>
            ))}
            <MoreRows list={list} label={search.order === "oldest" ? "Show newer" : "Show older"} />
          </>
        )}
      </div>
      <Suspense>
        {dialog?.name === "reply" && dialog.chosen !== "all" && (
          <ReplyDialog references={dialog.chosen} kinds={kindsOfChosen(dialog.chosen)} onClose={close} onSent={clear} />
        )}
        {dialog?.name === "snooze" && dialog.chosen !== "all" && (
          <SnoozeDialog
            count={dialog.chosen.length}
            snoozedUntil={snoozedUntilOf(dialog.chosen)}
            onClose={close}
            onChoose={(snoozedUntil) => {
              close();
              change(dialog.chosen, { snoozedUntil });
            }}
          />
        )}
        {dialog?.name === "move" && (
          <StageDialog
            count={dialog.chosen === "all" ? "all" : dialog.chosen.length}
            // Its row moves to another group: the keyboard is on its way before.
            onClose={() => flushSync(close)}
            onChoose={(stage) => change(dialog.chosen, { stage })}
          />
        )}
        {dialog?.name === "decline" && dialog.chosen !== "all" && (
          <DeclineDialog
            references={dialog.chosen}
            kind={kindsOfChosen(dialog.chosen)[0]!}
            onClose={(isDone) => {
              close();
              if (isDone) clear();
            }}
          />
        )}
        {dialog?.name === "tag" && (
          <Modal title={`Tags of ${plural(selectedRows.length, "submission")}`} onClose={close}>
            <Suspense>
              <TagBox
                references={selectedRows.map(({ reference }) => reference)}
                tags={[...new Set(selectedRows.flatMap(({ tags }) => tags))]}
              />
            </Suspense>
          </Modal>
        )}
        {asked && (
          <MatchingDialog
            search={search}
            change={asked}
            onClose={() => {
              setAsked(null);
              clear();
            }}
          />
        )}
      </Suspense>
      {dialog?.name === "assign" && (
        <AssignDialog
          count={dialog.chosen === "all" ? "all" : dialog.chosen.length}
          kinds={kindsOfChosen(dialog.chosen)}
          onClose={close}
          onChoose={(assignee) => {
            change(dialog.chosen, { assignee });
            close();
          }}
        />
      )}
    </section>
  );
}
