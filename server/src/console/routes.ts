// Everything below /console: the typed calls, the downloads, sign-in by OpenID Connect, and the pages.
import { importBytesMax } from "@submissions/shared/console";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AwaitTurn } from "../http/body/body-turns.ts";
import { acceptBodies, isBare, requireJson, takeJson, takeUrlencoded } from "../http/body/content-type.ts";
import { answerOf, refuse } from "../http/fault-reply.ts";
import type { ClientAddresses } from "../http/gate/client-address.ts";
import type { Guard } from "../http/gate/guard.ts";
import { sendPublicJson } from "../http/headers.ts";
import { type Answer, isBatch, objectOnly, sendBatch, sendJson, wantsLines } from "../http/rpc-wire.ts";
import { Fault, fieldInvalid } from "../fault.ts";
import { hashOfSent } from "../secrets.ts";
import { keepAnswer } from "../share-answer.ts";
import { bringsToken, callerOf, countedBy, requireOwnLink, requireOwnPage, type Caller } from "./caller.ts";
import type { Console } from "./console.ts";
import { bindingCookie, deviceCookie, oidcCookie, sessionCookie } from "./cookies.ts";
import { consoleDownloads } from "./downloads.ts";
import type { Context } from "./procedure.ts";
import { sendSlowAnswer } from "./slow-answer.ts";
import { noteRefusedRequests } from "./refused-requests.ts";
import { admit, type RoleRule, submissionRoles, subscriberRoles } from "./role-rules.ts";
import { consolePages } from "./shell.ts";
import { deviceOf, networkOf, type Visitor } from "./visitor.ts";

export interface ConsoleRoutesOptions {
  readonly console: Console;
  readonly addresses: Pick<ClientAddresses, "keysOf">;
  readonly guard: Guard;
  readonly awaitTurn: AwaitTurn;
  readonly limits: { readonly answerMsMax: number };
  /** Counts the calls of each operator and token, from wherever they come. */
  readonly operatorGuard: Guard;
  readonly folder: string;
  readonly version: string;
}

/** Adds the console. The front end may be missing; the calls are there all the same. */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleRoutesOptions): Promise<void> {
  const { console, guard, folder } = options;
  app.addHook("onClose", () => console.gathered.write());
  app.removeContentTypeParser("application/json");
  takeJson(app, options.awaitTurn, { mayBeEmpty: true });
  const noteRefused = noteRefusedRequests(app, console);
  const onRequest = guard.hook({
    refuseAll(request, reply, { fault, retryAfterSeconds = 1 }) {
      const isRate = fault === "rateLimited";
      const refusal = isRate ? new Fault("tooManyRequests", { retryAfterSeconds }) : new Fault("consoleOnly");
      void noteRefused(request, refusal).then(() => refuse(request, reply, refusal));
    },
  });
  rpcRoutes(app, options, onRequest);
  const document = keepAnswer(async () => {
    const { consoleDocument } = await import("./openapi.ts");
    return JSON.stringify(consoleDocument(console.publicUrl(), options.version));
  });
  // Public, as the router is: it tells what can be asked for and nothing of what is stored.
  app.get("/console/openapi.json", { onRequest }, async (_request, reply) => sendPublicJson(reply, await document()));
  downloadRoutes(app, options, onRequest, noteRefused);
  uploadRoutes(app, options, onRequest);
  oidcRoutes(app, options, onRequest);
  if (!consolePages(app, folder, console)) {
    console.log.warn({}, "the console was not built (npm run build): only its calls and downloads are served");
  }
}

type Gate = ReturnType<Guard["hook"]>;

const rpcRoute = "/console/trpc/:paths";
type CallsRoute = { Params: { paths: string } };

const importRoute = "/console/trpc/:paths(^subscribers\\.import$)";
const importRule = { roles: subscriberRoles, changes: true };
/** A file of subscribers is one text in JSON, where line ends and quotation marks take two bytes. */
const importBodyMax = importBytesMax + 1024 * 1024;

/** A page of the console asks for six things at once. */
const callsMax = 10;

/** Counts calls of who makes them. @throws Fault `tooManyRequests` */
async function countCalls(
  { console, operatorGuard }: ConsoleRoutesOptions,
  reply: FastifyReply,
  caller: Caller | null,
  calls: number,
): Promise<void> {
  if (caller === null) return;
  const { left, retryAfterSeconds } = await operatorGuard.count(reply, countedBy(caller), calls);
  if (left >= 0) return;
  console.gathered.note(caller.name, "refused", "", "tooManyRequests");
  throw new Fault("tooManyRequests", { retryAfterSeconds });
}

function rpcRoutes(app: FastifyInstance, options: ConsoleRoutesOptions, onRequest: Gate): void {
  const { console } = options;
  const ownPage = async (request: FastifyRequest) => {
    requireOwnPage(request, console.publicUrl());
    // Forms of other sites cannot send JSON. A script with a token sends nothing with a call that takes nothing.
    if (!bringsToken(request) || !isBare(request.headers)) requireJson(request.headers);
  };
  // A large body is read of an operator only, of whom two such requests are served at once.
  const mayImport = async (request: FastifyRequest, reply: FastifyReply) =>
    takeTurn(console, await admitted(console, request, importRule), reply);
  const begin = async (request: FastifyRequest<CallsRoute>, reply: FastifyReply) => {
    const list = isBatch(request) ? request.params.paths.split(",") : [request.params.paths];
    if (list.length > callsMax) throw new Fault("batchTooLarge");
    // Not loaded at the start of a service without operators.
    const { callConsole, describeCall } = await import("./router.ts");
    const calls = list.flatMap((path) => describeCall(path) ?? []);
    request.exchange.observation.called(calls);
    const context = contextOf(request, reply, options);
    await countCalls(options, reply, await context.caller(), list.length);
    const inputs = isBatch(request) ? objectOnly(request.body ?? {}) : { 0: request.body };
    const answers = list.map((path, at) => answerOf(request, reply, path, callConsole(path, context, inputs[at])));
    return { calls, answers };
  };
  const answerCalls = async (request: FastifyRequest<CallsRoute>, reply: FastifyReply) => {
    const { calls, answers } = await begin(request, reply);
    if (!isBatch(request)) return sendJson(reply, await answers[0]!);
    // A change may set a cookie, which goes before the first line of an answer in lines.
    if (calls.some(({ isRead }) => !isRead)) await Promise.all(answers);
    return sendBatch(request, reply, answers);
  };
  const answerImport = async (request: FastifyRequest<CallsRoute>, reply: FastifyReply) => {
    const { answers } = await begin(request, reply);
    if (wantsLines(request)) return sendBatch(request, reply, answers);
    const inList = ({ status, body }: Answer) => ({ status, body: isBatch(request) ? [body] : body });
    return sendSlowAnswer(request, reply, answers[0]!.then(inList));
  };
  app.post<CallsRoute>(rpcRoute, { onRequest, preParsing: ownPage }, answerCalls);
  app.post<CallsRoute>(
    importRoute,
    { onRequest, preParsing: [ownPage, mayImport], bodyLimit: importBodyMax },
    answerImport,
  );
  // Addresses and searches would stand in the logs of proxies if queries came by GET.
  app.route({
    method: app.supportedMethods.filter((method) => method !== "POST"),
    url: rpcRoute,
    config: { matches: () => false },
    onRequest(_request, reply, done) {
      reply.header("allow", "POST");
      done(new Fault("methodNotSupported"));
    },
    // Never called: the hook refuses first.
    handler: () => {},
  });
}

function contextOf(request: FastifyRequest, reply: FastifyReply, options: ConsoleRoutesOptions): Context {
  const { console } = options;
  let caller: Promise<Caller | null> | undefined;
  return {
    console,
    requestId: request.id,
    visitor: visitorOf(request, options),
    hasToken: bringsToken(request),
    key: request.headers["idempotency-key"]?.toString() ?? null,
    caller: () => (caller ??= callerOf(request, console)),
    gone: goneOf(reply),
    setSession(session) {
      if (session === null) console.cookies.clear(reply, sessionCookie);
      else {
        console.cookies.write(reply, sessionCookie, session.id);
        console.cookies.write(reply, deviceCookie, session.device);
      }
    },
    async bind(operator) {
      const kept = console.cookies.read(request, bindingCookie);
      if (kept === null) return;
      console.cookies.clear(reply, bindingCookie);
      await console.openIdConnect?.bind(kept, operator);
    },
    async operatorAwaitingCode() {
      const kept = console.cookies.read(request, bindingCookie);
      return kept === null ? null : ((await console.openIdConnect?.operatorAwaitingCode(kept)) ?? null);
    },
  };
}

function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

function visitorOf(request: FastifyRequest, { console: { cookies }, addresses }: ConsoleRoutesOptions): Visitor {
  const client = addresses.keysOf(request.raw).rate;
  const device = deviceOf(request.headers["user-agent"]);
  return { client, network: networkOf(client), device, deviceCookie: cookies.read(request, deviceCookie) };
}

const ofFilters = acceptBodies(() => ["application/json", "application/x-www-form-urlencoded"]);

function downloadRoutes(
  app: FastifyInstance,
  options: ConsoleRoutesOptions,
  onRequest: Gate,
  noteRefused: ReturnType<typeof noteRefusedRequests>,
): void {
  const { console, awaitTurn } = options;
  takeUrlencoded(app, awaitTurn);
  for (const { method, url, rule, isExport, send } of consoleDownloads) {
    // A HEAD would be recorded like a download.
    app.route({
      method,
      url,
      onRequest,
      ...(method === "POST" && { preParsing: ofFilters }),
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        // A resume may be opened from a bookmark. What a browser asks of a list goes to pages of the console only: programs and
        // old browsers send neither header with a GET.
        const { origin, "sec-fetch-site": site } = request.headers;
        const isSilent = origin === undefined && site === undefined;
        if (method === "GET" && (isSilent || !url.startsWith("/console/exports/"))) requireOwnLink(request);
        else requireOwnPage(request, console.publicUrl());
        const caller = await admitted(console, request, rule);
        const stillAdmitted = async () => {
          try {
            return await admitted(console, request, rule);
          } catch (error) {
            await noteRefused(request, error);
            throw error;
          }
        };
        await countCalls(options, reply, caller, 1);
        if (isExport) await takeTurn(console, caller, reply);
        const call = { console, caller, admitted: stillAdmitted, request, reply, gone: goneOf(reply) };
        return send(await import("./send-downloads.ts"), call);
      },
    });
  }
}

const uploadRule = { roles: submissionRoles, changes: true };

/** Files of replies. The body stays a stream, and two of an operator are read at once. */
function uploadRoutes(app: FastifyInstance, options: ConsoleRoutesOptions, onRequest: Gate): void {
  const { console } = options;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/octet-stream", async (_request: unknown, bytes: unknown) => bytes);
    const preParsing = acceptBodies(() => ["application/octet-stream"]);
    scope.post("/console/replies/files/:reference", { onRequest, preParsing }, async (request, reply) => {
      requireOwnPage(request, console.publicUrl());
      const caller = await admitted(console, request, uploadRule);
      await countCalls(options, reply, caller, 1);
      await takeTurn(console, caller, reply);
      const { receiveFile } = await import("./receive-file.ts");
      const attached = await receiveFile(console, caller, request, options.limits.answerMsMax);
      console.acted("reply.attach");
      return reply.send(attached);
    });
  });
}

/** Who calls. @throws Fault as `admit` does */
const admitted = async (console: Console, request: FastifyRequest, rule: RoleRule): Promise<Caller> =>
  admit(await callerOf(request, console), rule);

/** Waits for a turn of the caller. It ends after the last byte of the answer, or when the client has gone. */
async function takeTurn(console: Console, caller: Caller, reply: FastifyReply): Promise<void> {
  const turn = await console.turns.exports.take(countedBy(caller), goneOf(reply));
  if (reply.raw.closed) turn[Symbol.dispose]();
  else reply.raw.once("close", () => turn[Symbol.dispose]());
}

function oidcRoutes(app: FastifyInstance, options: ConsoleRoutesOptions, onRequest: Gate): void {
  const { console } = options;
  const { openIdConnect, cookies, publicUrl } = console;
  if (openIdConnect === null) return;
  const noHead = { onRequest, exposeHeadRoute: false };
  // Begun by a page of the console only: otherwise another site could sign its visitor in.
  app.post("/console/oidc/start", noHead, async (request, reply) => {
    requireOwnPage(request, publicUrl());
    const caller = await callerOf(request, console);
    const former = caller?.kind === "operator" ? caller.sessionHash : null;
    const [token = "", ...others] = request.body instanceof URLSearchParams ? request.body.getAll("token") : [];
    if (others.length > 0) throw fieldInvalid("token", "Send this field once.");
    const { location, pending } = await openIdConnect.start(former, hashOfSent(token));
    cookies.write(reply, oidcCookie, pending);
    return reply.redirect(location, 303);
  });
  app.get("/console/oidc/callback", noHead, async (request, reply) => {
    const pending = cookies.read(request, oidcCookie);
    if (pending === null) throw new Fault("oidcFailed");
    cookies.clear(reply, oidcCookie);
    const vouched = await openIdConnect.finish(request.url.replace(/^[^?]*\??/, ""), pending);
    const operator = await openIdConnect.operatorOf(vouched);
    if (operator === null) {
      cookies.write(reply, bindingCookie, openIdConnect.bindingOf(vouched));
      return reply.redirect(`${publicUrl()}/console#connect`);
    }
    if (operator.totpSecret !== null && !vouched.isStrong) {
      cookies.write(reply, bindingCookie, openIdConnect.codeWaitOf(vouched));
      return reply.redirect(`${publicUrl()}/console#code`);
    }
    const { id } = await console.signIns.begin(operator, visitorOf(request, options), vouched.isStrong);
    if (vouched.former !== null) {
      const actor = { operator: operator.email, at: console.clock.now() };
      await console.access.endSessions({ idHash: vouched.former }, actor);
    }
    cookies.write(reply, sessionCookie, id);
    return reply.redirect(`${publicUrl()}/console`);
  });
}
