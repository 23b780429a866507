// A server of the console for browser tests and for looking at its pages: the same procedures, files and policy, over
// submissions in memory. Tests turn its screws: end sessions, add submissions, change one as another operator, fail.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type {
  AuditRow,
  DeliveryRow,
  InboxFilter,
  InboxRow,
  MailRow,
  Me,
  OperatorRow,
  Page,
  PageRequest,
  Role,
  SubmissionDetail,
  SubmissionKind,
  SubscriberFilter,
  SubscriberRow,
  TokenRow,
  TriageOutcome,
  TriageRequest,
  WebhookEvent,
  WebhookRow,
} from "@submissions/shared/console";
import { initTRPC, TRPCError } from "@trpc/server";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { z } from "zod";
import { personMax } from "../../server/src/storage/sql/belongings.ts";
import { onePagePdf } from "../../server/src/seed/one-page-pdf.ts";
import { fixtures, type Stored } from "./console-fixtures.ts";

const files = join(import.meta.dirname, "../../client/dist/console");
const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** What was built, read once. */
const built: ReadonlyMap<string, Buffer> = new Map(
  ["index.html", "viewer.html", ...readdirSync(join(files, "assets")).map((name) => `assets/${name}`)].map((name) => [
    name,
    readFileSync(join(files, name)),
  ]),
);

/** As the service sends it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const viewerPolicy = (assets: string) =>
  `sandbox allow-scripts; default-src 'none'; script-src ${assets}; style-src ${assets}; worker-src ${assets} blob:; img-src blob: data:; font-src data:; connect-src 'none'; base-uri 'none'; frame-ancestors 'self'`;

/** A delivery that has failed twice. */
export const queuedDelivery: DeliveryRow = {
  number: 7,
  id: "msg_7-mhzk2a8f",
  webhook: 1,
  event: "inquiry.received",
  reference: "INQ-20261121-042137",
  status: "queued",
  attempts: 2,
  createdAt: Date.now() - 60_000,
  dueAt: Date.now() + 300_000,
  endedAt: null,
  lastAnswer: "HTTP 503",
};

export const password = "correct horse battery";

const sees: Readonly<Record<Role, readonly SubmissionKind[]>> = {
  admin: ["inquiry", "application"],
  sales: ["inquiry"],
  recruiting: ["application"],
  marketing: [],
};

interface Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The console behind a server of its own. */
export class ConsoleStandIn implements AsyncDisposable {
  readonly #sessions = new Map<string, Me>();
  readonly #data: ReturnType<typeof fixtures>;
  readonly #tokens: TokenRow[] = [];
  readonly webhooks: WebhookRow[] = [];
  deliveries: readonly DeliveryRow[] = [];
  readonly #server;
  readonly #failures: string[] = [];
  #lastCall: string | null = null;
  /** Procedures in the order of their calls. */
  readonly called: string[] = [];
  /** The role with which the next sign-in happens. */
  role: Role = "admin";
  oidc = false;

  private constructor(now: number) {
    this.#data = fixtures(now);
    const router = this.#router();
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://stand-in");
      response.setHeader("content-security-policy", policy);
      response.setHeader("x-content-type-options", "nosniff");
      if (pathname.startsWith("/console/trpc/")) {
        const path = pathname.slice("/console/trpc/".length);
        this.called.push(path);
        if (path === this.#lastCall) {
          this.#lastCall = null;
          this.#sessions.clear();
        }
        const context = { request, response };
        void nodeHTTPRequestHandler({
          router,
          path,
          req: request,
          res: response,
          createContext: () => context,
          allowMethodOverride: true,
        });
      } else this.#file(pathname, response);
    });
  }

  static async open(now = Date.now()): Promise<ConsoleStandIn> {
    const standIn = new ConsoleStandIn(now);
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/console`;
  }

  get submissions(): readonly Stored[] {
    return this.#data.submissions;
  }

  get subscribers(): readonly SubscriberRow[] {
    return this.#data.subscribers;
  }

  /** All sessions end with the next call of a procedure. Ended at once, they could end with a call that a page repeats. */
  endSessionsAt(path: string): void {
    this.#lastCall = path;
  }

  /** The next call of a procedure fails. */
  failNext(path: string): void {
    this.#failures.push(path);
  }

  add(name: string): Stored {
    const one = this.#data.make({ name });
    this.#data.submissions.unshift(one);
    return one;
  }

  /** What another operator does meanwhile. */
  changeAs(operator: string, reference: string, change: Partial<Pick<Stored, "status" | "assignee">>): void {
    const one = this.#find(reference);
    Object.assign(one, change, { version: one.version + 1, changedBy: operator, changedAt: Date.now() - 120_000 });
  }

  /** What another operator or a command does meanwhile. */
  erase(reference: string): void {
    const { submissions } = this.#data;
    submissions.splice(submissions.indexOf(this.#find(reference)), 1);
  }

  empty(): void {
    for (const list of [this.#data.submissions, this.#data.subscribers, this.#data.mails, this.#data.audit])
      list.splice(0);
    this.#data.growth.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #find(reference: string): Stored {
    const one = this.#data.submissions.find((submission) => submission.reference === reference);
    if (one === undefined) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such submission." });
    return one;
  }

  #file(path: string, response: ServerResponse): void {
    const resume = /^\/console\/resumes\/(APP-[\d-]+)$/.exec(path)?.[1];
    if (resume !== undefined) {
      response
        .writeHead(200, { "content-type": "application/pdf", "content-disposition": "attachment" })
        .end(onePagePdf("Curriculum vitae"));
      return;
    }
    if (/^\/console\/(?:exports|people)\/.*\.(?:csv|ndjson)$/.test(path)) {
      response.writeHead(200, { "content-type": "text/plain", "content-disposition": "attachment" }).end("{}\n");
      return;
    }
    const asset = /^\/console\/(assets\/[\w.-]+)$/.exec(path)?.[1];
    const type = types[extname(path)];
    if (asset !== undefined && type !== undefined) {
      response.writeHead(200, {
        "content-type": type,
        "access-control-allow-origin": "*",
        "cache-control": "public, max-age=31536000, immutable",
      });
      response.end(built.get(asset));
      return;
    }
    if (path === "/console/viewer.html") {
      const origin = `${this.url}/assets/`;
      response.setHeader("content-security-policy", viewerPolicy(origin));
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "access-control-allow-origin": "*" });
      response.end(built.get("viewer.html"));
      return;
    }
    if (!/^\/console(?:\/|$)/.test(path)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(built.get("index.html"));
  }

  #router() {
    const t = initTRPC.context<Context>().create();
    const data = this.#data;
    const tokenOf = ({ request }: Context) => /session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    const open = t.procedure.use(({ next, path }) => {
      const at = this.#failures.indexOf(path);
      if (at >= 0) {
        this.#failures.splice(at, 1);
        throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: "Something went wrong." });
      }
      return next();
    });
    const signedIn = open.use(({ ctx, next }) => {
      const me = this.#sessions.get(tokenOf(ctx));
      if (me === undefined) throw new TRPCError({ code: "UNAUTHORIZED", message: "Please sign in." });
      return next({ ctx: { me } });
    });
    const begin = ({ response }: Context, me: Me): Me => {
      const token = randomUUID();
      this.#sessions.set(token, me);
      response.setHeader("set-cookie", `session=${token}; HttpOnly; SameSite=Strict; Path=/console`);
      return me;
    };
    return t.router({
      session: t.router({
        me: open.query(({ ctx }) => this.#sessions.get(tokenOf(ctx)) ?? null),
        methods: open.query(() => ({ password: true as const, oidc: this.oidc })),
        signIn: open.input(z.custom<{ email: string; password: string }>()).mutation(({ ctx, input: typed }) => {
          if (typed.password !== password)
            throw new TRPCError({ code: "FORBIDDEN", message: "The e-mail address or the password is wrong." });
          return begin(ctx, { email: typed.email, role: this.role });
        }),
        changePassword: signedIn.input(z.custom<{ current: string }>()).mutation(({ input: { current } }) => {
          if (current !== password)
            throw new TRPCError({ code: "BAD_REQUEST", message: "This is not your current password." });
          return null;
        }),
        signOut: signedIn.mutation(({ ctx }) => {
          this.#sessions.delete(tokenOf(ctx));
          return null;
        }),
        signOutEverywhere: signedIn.mutation(() => {
          this.#sessions.clear();
          return null;
        }),
        acceptInvitation: open
          .input(z.custom<{ token: string; password: string }>())
          .mutation(({ ctx, input: { token, password: chosen } }) => {
            if (token !== "invited")
              throw new TRPCError({ code: "NOT_FOUND", message: "There is no such invitation." });
            if (/^password/i.test(chosen))
              throw new TRPCError({ code: "BAD_REQUEST", message: "This password is too common." });
            return begin(ctx, { email: "cleo@kalomi.example", role: "sales" });
          }),
      }),
      inbox: t.router({
        list: signedIn
          .input(z.custom<{ filter: InboxFilter; page: PageRequest }>())
          .query(({ input: { filter, page } }) =>
            pageOf(matching(data.submissions, filter).map(rowOf), page, filter.order === "oldest"),
          ),
        matching: signedIn.input(z.custom<{ filter: InboxFilter }>()).query(({ input: { filter } }) => ({
          targets: matching(data.submissions, filter).map(({ reference, version }) => ({ reference, version })),
          more: false,
        })),
        counts: signedIn.query(({ ctx }) => {
          const count = (status: string) => data.submissions.filter((one) => one.status === status).length;
          const mine = data.submissions.filter(
            ({ status, assignee }) => /new|open/.test(status) && assignee === ctx.me.email,
          ).length;
          return { new: count("new"), open: count("open"), done: count("done"), spam: count("spam"), mine };
        }),
        since: signedIn.input(z.custom<{ arrival: number }>()).query(({ input: { arrival } }) => ({
          latest: Math.max(0, ...data.submissions.map((one) => one.arrival)),
          added: data.submissions.filter((one) => one.arrival > arrival).length,
        })),
        assignees: signedIn
          .input(z.custom<{ kinds: readonly SubmissionKind[] }>())
          .query(({ input: { kinds } }) =>
            data.operators
              .filter(({ role }) => kinds.every((kind) => sees[role].includes(kind)))
              .map(({ email }) => email),
          ),
        triage: signedIn.input(z.custom<TriageRequest>()).mutation(({ ctx, input: request }) =>
          request.targets.map(({ reference, version }): TriageOutcome => {
            const one = data.submissions.find((submission) => submission.reference === reference);
            if (one === undefined) return { reference, result: "unknown" };
            if (one.version !== version) {
              const { status, assignee, changedBy, changedAt } = one;
              return { reference, result: "conflict", version: one.version, status, assignee, changedBy, changedAt };
            }
            const { status, assignee } = request;
            const entry = { at: Date.now(), operator: ctx.me.email };
            if (status) one.history.push({ ...entry, action: "status", detail: { from: one.status, to: status } });
            if (assignee !== undefined) {
              one.history.push({ ...entry, action: "assignee", detail: { from: one.assignee, to: assignee } });
            }
            Object.assign(one, status && { status }, assignee !== undefined && { assignee }, {
              version: version + 1,
              changedBy: ctx.me.email,
              changedAt: Date.now(),
            });
            return { reference, result: "changed", version: one.version };
          }),
        ),
      }),
      submission: t.router({
        get: signedIn.input(z.custom<{ reference: string }>()).query(({ input: { reference } }): SubmissionDetail => {
          const { changedBy: _by, changedAt: _at, ...detail } = this.#find(reference);
          const same = data.submissions.filter((one) => one.email === detail.email && one.reference !== reference);
          return {
            ...detail,
            duplicates: same.map(({ reference: other, kind, receivedAt, status }) => ({
              reference: other,
              kind,
              receivedAt,
              status,
            })),
          };
        }),
        neighbours: signedIn
          .input(z.custom<{ reference: string; filter: InboxFilter }>())
          .query(({ input: { reference, filter } }) => {
            const list = data.submissions.filter(
              (one) => one.reference === reference || matching([one], filter).length > 0,
            );
            const at = list.findIndex((one) => one.reference === reference);
            const named = (one: Stored | undefined) =>
              one === undefined ? null : { reference: one.reference, kind: one.kind };
            return { previous: named(list[at - 1]), next: named(list[at + 1]) };
          }),
        addNote: signedIn
          .input(z.custom<{ reference: string; text: string }>())
          .mutation(({ ctx, input: { reference, text } }) => {
            const one = this.#find(reference);
            const note = { id: Date.now(), author: ctx.me.email, at: Date.now(), text };
            one.notes.push(note);
            return note;
          }),
        release: signedIn.input(z.custom<{ reference: string }>()).mutation(({ input: { reference } }) => {
          const one = this.#find(reference);
          one.status = "new";
          one.version += 1;
          const template = data.submissions.flatMap(({ mails }) => mails)[0]!;
          one.mails = [{ ...template, id: randomUUID(), reference, status: "queued", attempts: 0, sentAt: null }];
          return null;
        }),
      }),
      people: t.router({
        get: signedIn.input(z.custom<{ email: string }>()).query(({ input: { email } }) => {
          const all = data.submissions.filter((one) => one.email === email).map(rowOf);
          const submissions = all.slice(0, personMax);
          const subscription = data.subscribers.find((one) => one.email === email) ?? null;
          if (submissions.length === 0 && subscription === null)
            throw new TRPCError({ code: "NOT_FOUND", message: "There is nothing from this address." });
          return { email, submissions, more: all.length > personMax, subscription, suppressed: null };
        }),
        erase: signedIn.input(z.custom<{ email: string }>()).mutation(({ input: { email } }) => {
          const gone = data.submissions.filter((one) => one.email === email);
          for (const one of gone) data.submissions.splice(data.submissions.indexOf(one), 1);
          const at = data.subscribers.findIndex((one) => one.email === email);
          if (at >= 0) data.subscribers.splice(at, 1);
          return {
            submissions: gone.length,
            subscriptions: at >= 0 ? 1 : 0,
            resumes: gone.filter(({ hasResume }) => hasResume).length,
          };
        }),
      }),
      subscribers: t.router({
        list: signedIn
          .input(z.custom<{ filter: SubscriberFilter; page: PageRequest }>())
          .query(({ input: { filter, page } }) =>
            pageOf(
              data.subscribers.filter(
                ({ status, email }) => (filter.status ?? status) === status && email.startsWith(filter.search ?? ""),
              ),
              page,
            ),
          ),
        growth: signedIn.query(() => data.growth),
      }),
      mails: t.router({
        list: signedIn
          .input(z.custom<{ status?: MailRow["status"]; page: PageRequest }>())
          .query(({ input: { status } }) => ({
            rows: data.mails.filter((mail) => (status ?? mail.status) === mail.status),
            next: null,
          })),
        retry: signedIn.input(z.custom<{ id: string }>()).mutation(({ input: { id } }) => {
          const again = (mail: MailRow): MailRow =>
            mail.id === id ? { ...mail, status: "queued", dueAt: Date.now(), lastError: null } : mail;
          data.mails = data.mails.map(again);
          for (const one of data.submissions) one.mails = one.mails.map(again);
          return null;
        }),
      }),
      overview: t.router({
        get: signedIn.query(() => ({
          days: data.days,
          firstResponseMs: data.submissions.length > 0 ? 4.2 * 3_600_000 : null,
          waiting: data.submissions
            .filter(({ status }) => status === "new")
            .slice(-5)
            .toReversed()
            .map(rowOf),
          mails: {
            queued: 2,
            sent: 1284,
            failed: data.mails.filter(({ status }) => status === "failed").length,
            inDoubt: 1,
          },
        })),
      }),
      audit: t.router({
        list: signedIn.query((): { rows: readonly AuditRow[]; next: null } => ({ rows: data.audit, next: null })),
      }),
      operators: t.router({
        list: signedIn.query((): readonly OperatorRow[] => data.operators),
        invite: signedIn.input(z.custom<{ email: string; role: Role }>()).mutation(({ input: { email, role } }) => {
          data.operators.push({ email, role, state: "invited", createdAt: Date.now() });
          return { link: `${this.url}/invitation?token=invited` };
        }),
        remove: signedIn.input(z.custom<{ email: string }>()).mutation(({ input: { email } }) => {
          data.operators.splice(
            data.operators.findIndex((one) => one.email === email),
            1,
          );
          return null;
        }),
        setRole: signedIn.input(z.custom<{ email: string; role: Role }>()).mutation(({ input: { email, role } }) => {
          const at = data.operators.findIndex((one) => one.email === email);
          const one = data.operators[at];
          if (one !== undefined) data.operators[at] = { ...one, role };
          return null;
        }),
      }),
      tokens: t.router({
        list: signedIn.query((): readonly TokenRow[] => this.#tokens),
        create: signedIn
          .input(z.custom<{ name: string; role: Role; expiresAt: number | null }>())
          .mutation(({ input: { name, role, expiresAt } }) => {
            this.#tokens.push({
              id: this.#tokens.length + 1,
              name,
              role,
              createdAt: Date.now(),
              expiresAt,
              usedAt: null,
            });
            return { token: "sub_7fPq1ZxW9mKc2VnE4tRb8YsA6dHu3LgJ" };
          }),
        revoke: signedIn.input(z.custom<{ id: number }>()).mutation(({ input: { id } }) => {
          this.#tokens.splice(
            this.#tokens.findIndex((one) => one.id === id),
            1,
          );
          return null;
        }),
      }),
      webhooks: t.router({
        list: signedIn.query((): readonly WebhookRow[] => this.webhooks),
        add: signedIn.input(z.custom<{ url: string; events: WebhookEvent[] }>()).mutation(({ input }) => {
          const [id, createdAt] = [this.webhooks.length + 1, Date.now()];
          this.webhooks.push({ id, ...input, createdAt, oldSecretUntil: null });
          return { secret: "whsec_c2VjcmV0IG9mIGEgd2ViaG9vaywgc2hvd24gb25jZQ==" };
        }),
        remove: signedIn.input(z.custom<{ id: number }>()).mutation(({ input: { id } }) => {
          this.webhooks.splice(
            this.webhooks.findIndex((one) => one.id === id),
            1,
          );
          return null;
        }),
        rotate: signedIn
          .input(z.custom<{ id: number }>())
          .mutation(() => ({ secret: "whsec_YW5vdGhlciBzZWNyZXQgb2YgYSB3ZWJob29rLCBzaG93bg==" })),
        deliveries: signedIn
          .input(z.custom<{ webhook: number | null; page: PageRequest }>())
          .query((): Page<DeliveryRow> => ({ rows: this.deliveries, next: null })),
        replay: signedIn.input(z.custom<{ id: string }>()).mutation(() => null),
        replayFailed: signedIn.input(z.custom<{ id: number }>()).mutation(() => ({ replayed: 1 })),
      }),
    });
  }
}

const rowOf = ({
  fields: _fields,
  packageTitles: _titles,
  resume: _resume,
  mails: _mails,
  ...row
}: Stored): InboxRow => {
  const { notes: _notes, history: _history, changedBy: _by, changedAt: _at, ...shown } = row;
  return shown;
};

function matching(submissions: readonly Stored[], filter: InboxFilter): readonly Stored[] {
  const words = (text: string | undefined) => (text ?? "").toLowerCase();
  return submissions.filter(
    (one) =>
      (filter.kind ?? one.kind) === one.kind &&
      (filter.status === undefined ? one.status !== "spam" : one.status === filter.status) &&
      (filter.assignee === undefined ||
        (filter.assignee === "none" ? one.assignee === null : one.assignee === filter.assignee)) &&
      (filter.from ?? 0) <= one.receivedAt &&
      one.receivedAt < (filter.until ?? Infinity) &&
      (filter.hasResume !== true || one.hasResume) &&
      (filter.disposable !== true || one.disposable) &&
      words(`${one.name} ${one.email} ${one.company ?? ""}`).includes(words(filter.search)) &&
      words(`${one.name} ${one.summary} ${String(one.fields["coverLetter"])}`).includes(words(filter.letter)),
  );
}

/** Newest first, or the other way round. */
function pageOf<Row extends { readonly arrival: number }>(
  newestFirst: readonly Row[],
  { after, limit = 50 }: PageRequest,
  oldest = false,
) {
  const list = oldest ? newestFirst.toReversed() : newestFirst;
  const rest = list.filter(({ arrival }) => after === undefined || (oldest ? arrival > after : arrival < after));
  const rows = rest.slice(0, limit);
  return { rows, next: rest.length > limit ? (rows.at(-1)?.arrival ?? null) : null };
}
