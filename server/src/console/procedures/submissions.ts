// Submissions: the inbox, one submission, and changes of them.
import type {
  InboxCounts,
  InboxRow,
  Matching,
  Neighbours,
  Note,
  OperatorName,
  Page,
  SubmissionDetail,
  SubmissionKind,
  TriageOutcome,
  WithPerson,
} from "@submissions/shared/console";
import { z } from "zod";
import { neighboursOf, submissionDetail } from "../../desk/detail.ts";
import { inboxRow } from "../../desk/inbox-row.ts";
import { findMatching } from "../../desk/matching.ts";
import { release } from "../../desk/release.ts";
import { Fault, fieldInvalid } from "../../fault.ts";
import type { AccessStore } from "../../storage/access-store.ts";
import type { Scope } from "../../storage/desk-store.ts";
import { inboxFilter, kind, noteText, page, reference, triageRequest } from "../inputs.ts";
import { changes, found, reads, trpc } from "../procedure.ts";
import { scopeOf, submissionRoles } from "../rules.ts";

export const inboxProcedures = trpc.router({
  list: reads(...submissionRoles)
    .input(z.object({ filter: inboxFilter, page }))
    .query(async ({ ctx: { console, desk, scope }, input }): Promise<Page<InboxRow>> => {
      const { rows, next } = await desk.listSubmissions(scope, input.filter, input.page);
      return { rows: rows.map((one) => inboxRow(one, console.packageTitles, input.filter.letter)), next };
    }),

  matching: reads(...submissionRoles)
    .input(z.object({ filter: inboxFilter }))
    .query(({ ctx: { desk, scope }, input }): Promise<Matching> => findMatching(desk, scope, input.filter)),

  counts: reads(...submissionRoles).query(({ ctx: { console, scope, caller } }): Promise<InboxCounts> =>
    console.counts.of(scope, caller.name),
  ),

  since: reads(...submissionRoles)
    .input(z.object({ arrival: z.int().min(0) }))
    .query(({ ctx: { desk, scope }, input }): Promise<{ readonly latest: number; readonly added: number }> =>
      desk.since(scope, input.arrival),
    ),

  triage: changes(...submissionRoles)
    .input(triageRequest)
    .mutation(async ({ ctx, input }): Promise<readonly TriageOutcome[]> => {
      const { access, desk, scope, actor } = ctx;
      const kinds = input.targets.map((target) => (target.reference.startsWith("INQ") ? "inquiry" : "application"));
      const offered = input.assignee == null ? [] : await assignees(access, scope, kinds);
      if (input.assignee != null && !offered.some(({ email }) => email === input.assignee)) {
        throw fieldInvalid("assignee", "No operator who may see this has that address.");
      }
      const outcomes = await desk.triage(scope, input, actor);
      ctx.console.counts.forget();
      return outcomes;
    }),

  assignees: reads(...submissionRoles)
    .input(z.object({ kinds: z.array(kind).max(2) }).optional())
    .query(({ ctx: { access, scope }, input }): Promise<readonly OperatorName[]> =>
      assignees(access, scope, input?.kinds ?? []),
    ),
});

export const submissionProcedures = trpc.router({
  get: reads(...submissionRoles)
    .input(z.object({ reference }))
    .query(async ({ ctx: { desk, scope, console }, input }): Promise<WithPerson<SubmissionDetail>> => {
      const detail = found(await desk.findDetail(scope, input.reference));
      const personId = console.persons.idOf(detail.submission.email);
      return { ...submissionDetail(detail, console), personId };
    }),

  neighbours: reads(...submissionRoles)
    .input(z.object({ reference, filter: inboxFilter }))
    .query(({ ctx: { desk, scope }, input }): Promise<Neighbours> =>
      neighboursOf(desk, scope, input.reference, input.filter),
    ),

  addNote: changes(...submissionRoles)
    .input(z.object({ reference, text: noteText }))
    .mutation(async ({ ctx: { desk, scope, actor }, input }): Promise<Note> =>
      found(await desk.addNote(scope, input.reference, input.text, actor)),
    ),

  release: changes(...submissionRoles)
    .input(z.object({ reference }))
    .mutation(async ({ ctx: { desk, scope, actor, console }, input }): Promise<null> => {
      const result = await release(desk, scope, input.reference, actor);
      if (result === "unknown") throw new Fault("notFound");
      if (result === "not-spam") throw new Fault("notSpam");
      console.counts.forget();
      return null;
    }),
});

/** The operators who see a kind that the caller sees, and every needed kind that the caller sees. */
async function assignees(
  access: Pick<AccessStore, "listOperators">,
  { kinds }: Scope,
  needed: readonly SubmissionKind[],
): Promise<OperatorName[]> {
  const operators = await access.listOperators();
  return operators
    .filter(({ role }) => {
      const theirs = kinds.filter((one) => scopeOf(role).kinds.includes(one));
      return theirs.length > 0 && needed.every((one) => theirs.includes(one) || !kinds.includes(one));
    })
    .map(({ email, name }) => ({ email, name }))
    .toSorted((one, other) => (one.email < other.email ? -1 : 1));
}
