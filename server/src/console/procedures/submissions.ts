// Submissions: the inbox, one submission, changes of them, and their tags.
import type { FilterChoice, InboxRow, News, Page, SubmissionDetail, WithPerson } from "@submissions/shared/console";
import { kindOf, kindOfReference, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { z } from "zod";
import { neighboursOf, submissionDetail } from "../../desk/detail.ts";
import { foundRows, inboxRow } from "../../desk/inbox-row.ts";
import { findMatching } from "../../desk/matching.ts";
import { packageTitle } from "../../desk/package-title.ts";
import { release } from "../../desk/mails.ts";
import { Fault, fieldInvalid } from "../../fault.ts";
import type { AccessStore } from "../../storage/access-store.ts";
import { type Scope, triageMax } from "../../storage/desk-store.ts";
import {
  byFilter,
  byReference,
  inboxFilter,
  kind,
  noteText,
  page,
  reference,
  tag,
  triageRequest,
  wholeNumber,
} from "../inputs.ts";
import { forRoles, found, trpc } from "../procedure.ts";
import { scopeOf, stagedRoles, submissionRoles } from "../role-rules.ts";
import { readUndo, withUndo } from "../undo.ts";

const { changes, reads, shows } = forRoles(...submissionRoles);

/** The clock of the operator's machine may be so much behind. */
const clockDifferenceMs = 60_000;

export const inboxProcedures = trpc.router({
  list: reads(
    z.object({ filter: inboxFilter, page }),
    async ({ console, desk, gone, scope }, input): Promise<Page<InboxRow>> => {
      const { rows, next } = await desk.listSubmissions(scope, input.filter, input.page);
      const { letter } = input.filter;
      if (letter !== undefined) {
        const pieces = console.pace(foundRows(desk, rows, console.packageTitles, letter), gone);
        return { rows: (await Array.fromAsync(pieces)).flat(), next };
      }
      return { rows: rows.map((one) => inboxRow(one, console.packageTitles)), next };
    },
  ),

  matching: reads(byFilter, ({ desk, scope }, input) => findMatching(desk, scope, input.filter)),

  counts: shows(({ console, scope, caller }) => console.counts.of(scope, caller.name)),

  choices: shows(async ({ console, desk, scope }): Promise<readonly FilterChoice[]> =>
    (await desk.choices(scope)).map((one) => {
      const title = one.part === "package" ? packageTitle(one.word, console.packageTitles) : one.title;
      return title === undefined || title === one.word ? one : { ...one, title };
    }),
  ),

  stages: forRoles(...stagedRoles).reads(byFilter, ({ desk, scope }, input) => desk.countByStage(scope, input.filter)),

  since: reads(
    z.object({ arrival: z.int().min(0), change: wholeNumber.exactOptional() }),
    async ({ console, desk, scope }, { arrival, change }): Promise<News> => {
      const news = await desk.since(scope, arrival, change);
      return { ...news, changed: news.changed.map((one) => inboxRow(one, console.packageTitles)) };
    },
  ),

  tabs: reads(byFilter, ({ desk, scope }, input) => desk.countTabs(scope, input.filter)),

  triage: changes(triageRequest, async (ctx, input) => {
    const { access, desk, scope, actor } = ctx;
    // What has no kind is none of ours, and is left as unknown.
    const kinds = input.targets.flatMap((target) => kindOfReference(target.reference) ?? []);
    const offered = input.assignee == null ? [] : await assignees(access, scope, kinds);
    if (input.assignee != null && !offered.some(({ email }) => email === input.assignee)) {
      throw fieldInvalid("assignee", "No operator who may see this has that address.");
    }
    if (input.stage !== undefined && kinds.some((one) => !kindOf(one).staged)) {
      throw fieldInvalid("stage", "Submissions of this kind have no stages.");
    }
    if (input.snoozedUntil != null && input.snoozedUntil < actor.at - clockDifferenceMs) {
      throw fieldInvalid("snoozedUntil", "This time has passed.");
    }
    const outcomes = await desk.triage(scope, readUndo(access.cookieKey, input), actor);
    ctx.console.counts.forget();
    return outcomes.map((one) => withUndo(access.cookieKey, one));
  }),

  assignees: reads(
    z.object({ kinds: z.array(kind).max(submissionKinds.length) }).optional(),
    ({ access, scope }, input) => assignees(access, scope, input?.kinds ?? []),
  ),
});

export const submissionProcedures = trpc.router({
  get: reads(byReference, async ({ desk, scope, console, actor }, input): Promise<WithPerson<SubmissionDetail>> => {
    const detail = found(await desk.findDetail(scope, input.reference));
    const personId = console.persons.idOf(detail.submission.email);
    return { ...submissionDetail(detail, console, actor.operator), personId };
  }),

  neighbours: reads(z.object({ reference, filter: inboxFilter }), ({ desk, scope }, input) =>
    neighboursOf(desk, scope, input.reference, input.filter),
  ),

  /** `seen`: the last note that was seen, so that one whose answer was lost is not added again. */
  addNote: changes(
    z.object({ reference, text: noteText, seen: wholeNumber.exactOptional() }),
    async ({ desk, scope, actor }, { seen, ...input }) => {
      const note = found(await desk.addNote(scope, input.reference, input.text, actor, seen));
      if (note === "full") throw new Fault("notesFull");
      return note;
    },
  ),

  editNote: changes(
    z.object({ reference, id: wholeNumber, text: noteText }),
    async ({ desk, scope, actor }, { id, ...input }) =>
      found(await desk.editNote(scope, input.reference, id, input.text, actor)),
  ),

  release: changes(byReference, async ({ desk, scope, actor, console }, input) => {
    const result = await release(desk, scope, input.reference, actor);
    if (result === "unknown") throw new Fault("notFound");
    if (result === "not-spam") throw new Fault("notSpam");
    console.counts.forget();
    return null;
  }),
});

export const tagProcedures = trpc.router({
  /** Those of submissions that the role sees. */
  list: shows(({ desk, scope }) => desk.listTags(scope)),

  change: changes(
    z.object({
      references: z.array(reference).min(1).max(triageMax, "These are too many at once."),
      add: tag.exactOptional(),
      remove: tag.exactOptional(),
    }),
    async ({ desk, scope, actor }, input) => ({ changed: await desk.changeTags(scope, input, actor) }),
  ),

  /** From all submissions. */
  remove: forRoles("admin").changes(z.object({ tag }), async ({ desk, scope, actor }, input) => ({
    changed: await desk.changeTags(scope, { from: input.tag }, actor),
  })),

  rename: forRoles("admin").changes(z.object({ from: tag, to: tag }), async ({ desk, scope, actor }, input) => ({
    changed: await desk.changeTags(scope, input, actor),
  })),
});

/** The operators who see a kind that the caller sees, and every needed kind that the caller sees. */
async function assignees(
  access: Pick<AccessStore, "listOperators">,
  { kinds }: Scope,
  needed: readonly SubmissionKind[],
) {
  const operators = await access.listOperators();
  return operators
    .filter(({ role }) => {
      const theirs = kinds.filter((one) => scopeOf(role).kinds.includes(one));
      return theirs.length > 0 && needed.every((one) => theirs.includes(one) || !kinds.includes(one));
    })
    .map(({ email, name }) => ({ email, name }))
    .toSorted((one, other) => (one.email < other.email ? -1 : 1));
}
