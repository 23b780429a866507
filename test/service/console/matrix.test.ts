// Each role, with a session and with a token, on each procedure and each download that there is.
import { initTRPC } from "@trpc/server";
import { beforeAll, describe, expect, test } from "vitest";
import { verbs } from "../../../client/src/console/audit/call-words.ts";
import { consoleDownloads, type ConsoleDownload } from "../../../server/src/console/downloads.ts";
import { consoleProcedures, ruledProcedures } from "../../../server/src/console/router.ts";
import type { OperatorName } from "../../../shared/src/console.ts";
import { roles, type Role } from "../../../shared/src/roles.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { Operator, operator, recordsIn, scriptOf, submitAll } from "../../support/console/operator.ts";

const everyone: readonly Role[] = roles;
const inboxRoles: readonly Role[] = ["admin", "sales", "recruiting"];
const recruiters: readonly Role[] = ["admin", "recruiting"];
const admins: readonly Role[] = ["admin"];
const marketing: readonly Role[] = ["admin", "marketing"];

/** Who may call what: the names of a router behind its own. */
const procedures = new Map<string, readonly Role[] | "anyone">(
  (
    [
      ["anyone", "session: me methods signIn enterCode invitation acceptInvitation useSignInLink"],
      [everyone, "session: changePassword account setName setMailAssigned list end signOut signOutEverywhere"],
      [everyone, "secondFactor: get begin confirm remove"],
      [everyone, "people: get"],
      [everyone, "mails: list retry"],
      [everyone, "overview: get troubles"],
      [inboxRoles, "inbox: list matching counts choices since triage assignees tabs"],
      [recruiters, "inbox: stages"],
      [recruiters, "decline: reasons preview send cancel release"],
      [inboxRoles, "submission: get neighbours addNote release editNote"],
      [inboxRoles, "reply: send undo preview sendMany answers saveAnswer removeAnswer undoMany removeFile"],
      [inboxRoles, "tags: list change"],
      [marketing, "subscribers: list growth arrivals sources add import importProgress unsubscribe"],
      [admins, "tags: rename remove"],
      [admins, "people: erase"],
      [admins, "overview: setup"],
      [admins, "audit: list"],
      [admins, "operators: list invite remove endSessions setRole"],
      [admins, "unmatched: list file remove"],
      [admins, "tokens: list create revoke"],
      [admins, "webhooks: list add test remove rotate deliveries replay replayFailed"],
    ] as const
  ).flatMap(([allowed, names]) => {
    const [router = "", ...own] = names.split(/:? /);
    return own.map((name) => [`${router}.${name}`, allowed] as const);
  }),
);

/** Those that take no input; the others refuse {@link nonsense} with 400 once the caller was admitted. */
const withoutInput =
  /^(?:session\.(?:me|methods|account|list|signOut|signOutEverywhere)|secondFactor\.get|inbox\.(?:counts|choices)|reply\.answers|decline\.reasons|subscribers\.(?:growth|sources|importProgress)|overview\.(?:troubles|setup)|(?:operators|tags|tokens|webhooks)\.list)$/;
const nonsense = "nonsense";

/** Who may download what. */
const downloads = new Map<string, readonly Role[]>(
  (
    [
      [["admin", "recruiting"], ["/console/resumes/:reference"]],
      [inboxRoles, ["/console/answers/files/:id", "/console/replies/files/:id"]],
      [everyone, ["/console/people/:file(^.+\\.ndjson$)"]],
      [admins, exportsOf("audit", "")],
      [["admin", "sales"], exportsOf("inquiries", "", "POST ")],
      [["admin", "recruiting"], exportsOf("applications", "", "POST ")],
      [marketing, exportsOf("subscribers", "", "POST ")],
    ] as const
  ).flatMap(([allowed, names]) => names.map((name) => [name, allowed] as const)),
);

function exportsOf(subject: string, ...methods: readonly string[]): string[] {
  return methods.flatMap((one) => ["csv", "ndjson"].map((format) => `${one}/console/exports/${subject}.${format}`));
}

const nameOf = ({ method, url }: Pick<ConsoleDownload, "method" | "url">) =>
  method === "GET" ? url : `${method} ${url}`;

const service = shared(() => startService());
let references: { readonly inquiry: string; readonly application: string };
const sessions = new Map<Role, Operator>();
const tokens = new Map<Role, Operator>();

beforeAll(async () => {
  references = await submitAll(service());
  for (const role of roles) sessions.set(role, await operator(service(), `${role}@example.org`, role));
  for (const role of roles) tokens.set(role, await scriptOf(sessions.get("admin")!, role));
});

test("every change has words for the audit log, should it be refused", () => {
  const changes = consoleProcedures.filter(({ rule }) => rule !== "anyone" && rule.changes);
  expect(changes.map(({ path }) => path).filter((path) => !Object.hasOwn(verbs, path))).toEqual([]);
});

test("every procedure and every download is in the tables", () => {
  expect(consoleProcedures.map(({ path }) => path).toSorted()).toEqual([...procedures.keys()].toSorted());
  expect(consoleDownloads.map(nameOf).toSorted()).toEqual([...downloads.keys()].toSorted());
});

test("a procedure without a rule, or with the wrong kind of one, does not start", () => {
  const { router, procedure } = initTRPC.meta<{ rule?: object }>().create();
  const ruleless = router({ some: router({ thing: procedure.query(() => 1) }) });
  expect(() => ruledProcedures(ruleless)).toThrow("some.thing of the console has no rule");
  const wrong = router({ thing: procedure.meta({ rule: { roles: [], changes: false } }).mutation(() => 1) });
  expect(() => ruledProcedures(wrong)).toThrow("does not say that it changes");
});

const admitted = (path: string) => (withoutInput.test(path) ? 200 : 400);
const inputOf = (path: string) => (withoutInput.test(path) ? undefined : nonsense);
const rows = consoleProcedures.map(({ path, type }) => ({ path, type, allowed: procedures.get(path) ?? [] }));

const noOne = () => new Operator(service());

/** What each role is answered, with a session and with a token. */
async function answersTo(statusOf: (one: Operator, role: Role) => Promise<number>) {
  const answers: [Role, session: number, token: number][] = [];
  for (const role of roles) {
    const session = await statusOf(sessions.get(role)!, role);
    answers.push([role, session, await statusOf(tokens.get(role)!, role)]);
  }
  return answers;
}

test.each(rows)("$path is for $allowed", async ({ path, type, allowed }) => {
  const of = (one: Operator) => one.call(path, inputOf(path)).then(({ status }) => status);
  expect(await of(noOne())).toBe(allowed === "anyone" ? admitted(path) : 401);
  const statusOf = async (one: Operator, role: Role) => {
    const isEnding = path.startsWith("session.signOut") && one.cookie !== null;
    const status = await of(one);
    // The session is that of the other tests, too.
    if (isEnding) await one.signIn(`${role}@example.org`);
    return status;
  };
  const isOfSession = allowed === "anyone" || /^(?:session|secondFactor)\./.test(path);
  const expected = roles.map((role) => {
    const may = allowed === "anyone" || allowed.includes(role);
    const withToken = may && type === "query" ? admitted(path) : may ? 403 : 404;
    return [role, may ? admitted(path) : 404, isOfSession ? 403 : withToken];
  });
  expect(await answersTo(statusOf)).toEqual(expected);
});

describe("downloads", () => {
  const listed = consoleDownloads.map((one) => ({ ...one, allowed: downloads.get(nameOf(one)) ?? [] }));
  const init = (method: string): RequestInit =>
    method === "GET" ? {} : { method, body: new URLSearchParams({ filter: "{}" }) };
  const addressOf = (url: string) =>
    url.replace(":reference", references.application).replace(/:file\(.*/, "ann@example.org.ndjson");

  test.each(listed)("$method $url is for $allowed", async ({ method, url, allowed }) => {
    const statusOf = async (one: Operator) => {
      const response = await one.fetch(addressOf(url), init(method));
      await response.arrayBuffer();
      return response.status;
    };
    expect(await statusOf(noOne())).toBe(401);
    // None with a file came in or went out here. `answers/door.test.ts` and `reply-files.test.ts` ask for one.
    const granted = url.endsWith("/:id") ? 404 : 200;
    const expected = roles.map((role) => [role, ...Array(2).fill(allowed.includes(role) ? granted : 404)]);
    expect(await answersTo(statusOf)).toEqual(expected);
  });
});

describe("what a role may not see answers like what does not exist", () => {
  const withoutId = (body: unknown) => JSON.stringify(body).replaceAll(/"(?:requestId|path)":"[^"]*",?/g, "");

  test("procedures", async () => {
    const sales = sessions.get("sales")!;
    const unknown = withoutId((await sales.call("audit.nothing", {})).body);
    expect(withoutId((await sales.call("audit.list", { page: {} })).body)).toBe(unknown);
    expect(withoutId((await sales.call("operators.list")).body)).toBe(unknown);
  });

  test("submissions of the other kind, their neighbours, mails and resumes", async () => {
    const [sales, admin] = [sessions.get("sales")!, sessions.get("admin")!];
    const { inquiry, application } = references;
    const unknown = "APP-20200101-000000";
    const alike = async (path: string, input: (reference: string) => object) => {
      const [hidden, absent] = [await sales.call(path, input(application)), await sales.call(path, input(unknown))];
      expect([path, hidden.status, withoutId(hidden.body)]).toEqual([path, 404, withoutId(absent.body)]);
    };
    await alike("submission.get", (reference) => ({ reference }));
    await alike("submission.addNote", (reference) => ({ reference, text: "x" }));
    await alike("submission.release", (reference) => ({ reference }));
    const targets = [{ reference: application, version: 1 }];
    const triaged = await sales.call("inbox.triage", { targets, status: "done" });
    expect(triaged.data).toEqual([{ reference: application, result: "unknown" }]);

    expect((await sales.call("submission.get", { reference: inquiry })).status).toBe(200);
    const { data } = await admin.call("submission.get", { reference: application });
    const [mail] = (data as { mails: { id: string }[] }).mails;
    expect((await sales.call("mails.retry", { id: mail!.id })).status).toBe(404);
  });

  test("lists, counts, people and exports hold the role's own only", async () => {
    const inbox = async (role: Role) =>
      (await sessions.get(role)!.call("inbox.list", { filter: {}, page: {} })).data as object;
    const [inquiry, application] = [{ reference: references.inquiry }, { reference: references.application }];
    expect(await inbox("admin")).toMatchObject({ rows: [application, inquiry] });
    expect(await inbox("sales")).toMatchObject({ rows: [inquiry] });
    expect(await inbox("recruiting")).toMatchObject({ rows: [application] });

    const person = async (role: Role) => {
      const { data } = await sessions.get(role)!.call("people.get", { person: "ann@example.org" });
      const { submissions, subscription } = data as { submissions: object[]; subscription: object | null };
      return [submissions.length, subscription !== null];
    };
    expect(await person("admin")).toEqual([2, true]);
    expect(await person("sales")).toEqual([1, false]);
    expect(await person("marketing")).toEqual([0, true]);
    const known = async (role: Role) => {
      const text = await (await sessions.get(role)!.fetch("/console/people/ann@example.org.ndjson")).text();
      return recordsIn(text).map(({ kind }) => kind);
    };
    expect(await known("admin")).toEqual(expect.arrayContaining(["inquiry", "application", "subscription"]));
    expect(await known("sales")).not.toContain("application");
    expect(await known("marketing")).not.toContain("inquiry");
  });

  test("an assignee must be an operator who sees the submission", async () => {
    const sales = sessions.get("sales")!;
    const [all, sees] = ["admin@example.org", "sales@example.org"];
    const named = [all, sees].map((email) => ({ email, name: null }));
    expect((await sales.call("inbox.assignees")).data).toEqual(named);
    const assign = (assignee: string) =>
      sales.call("inbox.triage", { targets: [{ reference: references.inquiry, version: 1 }], assignee });
    for (const other of ["recruiting@example.org", "nobody@example.org"]) {
      const { status, issues } = await assign(other);
      expect([status, issues?.[0]?.path]).toEqual([400, ["assignee"]]);
    }
    const admin = sessions.get("admin")!;
    const offered = async (...kinds: string[]) =>
      ((await admin.call("inbox.assignees", { kinds })).data as OperatorName[]).map(({ email }) => email);
    expect(await offered()).toEqual([all, "recruiting@example.org", sees]);
    expect(await offered("inquiry")).toEqual([all, sees]);
    expect(await offered("inquiry", "application")).toEqual([all]);
    const targets = Object.values(references).map((reference) => ({ reference, version: 1 }));
    const refused = await admin.call("inbox.triage", { targets, assignee: sees });
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["assignee"]]);
  });
});
