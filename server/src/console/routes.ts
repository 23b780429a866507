// Everything below /console: the typed calls, the downloads, sign-in by OpenID Connect, and the pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyKind, takeJson, takeUrlencoded } from "../http/body/content-type.ts";
import { refuse } from "../http/fault-reply.ts";
import type { ClientAddresses } from "../http/gate/client-address.ts";
import type { Guard } from "../http/gate/guard.ts";
import { answerOf, inputsOf, sendAnswer, sendBatch } from "../http/rpc.ts";
import { isBatch } from "../http/rpc-batch.ts";
import { Fault } from "../fault.ts";
import { hashOfSent } from "../secrets.ts";
import { bringsToken, callerOf, countedBy, requireOwnLink, requireOwnPage, type Caller } from "./caller.ts";
import type { Console } from "./console.ts";
import { bindingCookie, deviceCookie, oidcCookie, sessionCookie } from "./cookies.ts";
import { consoleDownloads } from "./downloads.ts";
import type { Context } from "./procedure.ts";
import { admit, noteRefusal } from "./rules.ts";
import { consolePages } from "./shell.ts";
import { deviceOf, networkOf, type Visitor } from "./visitor.ts";

export interface ConsoleRoutesOptions {
  readonly console: Console;
  readonly addresses: Pick<ClientAddresses, "keysOf">;
  readonly guard: Guard;
  /** Counts the calls of each operator and token, from wherever they come. */
  readonly operatorGuard: Guard;
  /** Where the front end was built to. */
  readonly folder: string;
}

/** Adds the console. The front end may be missing; the calls are there all the same. */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleRoutesOptions): Promise<void> {
  const { console, guard, folder } = options;
  app.addHook("onClose", () => console.gathered[Symbol.asyncDispose]());
  app.removeContentTypeParser("application/json");
  takeJson(app, { mayBeEmpty: true });
  const onRequest = guard.hook({
    refuseAll(request, reply, { fault, retryAfterSeconds = 1 }) {
      const isRate = fault === "rateLimited";
      refuse(request, reply, isRate ? new Fault("tooManyRequests", { retryAfterSeconds }) : new Fault("consoleOnly"));
    },
  });
  rpcRoutes(app, options, onRequest);
  downloadRoutes(app, options, onRequest);
  oidcRoutes(app, options, onRequest);
  if (!consolePages(app, folder, console)) {
    console.log.warn({}, "the console was not built (npm run build): only its calls and downloads are served");
  }
}

type Gate = ReturnType<Guard["hook"]>;

const rpcRoute = "/console/trpc/:paths";
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
  const { console, addresses } = options;
  app.post<{ Params: { paths: string } }>(
    rpcRoute,
    {
      onRequest,
      async preParsing(request) {
        requireOwnPage(request, console.publicUrl());
        bodyKind(request.headers, ["application/json"]);
      },
    },
    async (request, reply) => {
      const list = isBatch(request) ? request.params.paths.split(",") : [request.params.paths];
      if (list.length > callsMax) throw new Fault("batchTooLarge");
      // Loaded with the first call: a service whose console is not used does without the memory.
      const { callConsole, describeCall } = await import("./router.ts");
      request.calls = list.flatMap((path) => describeCall(path) ?? []);
      const context = contextOf(request, reply, console, addresses);
      await countCalls(options, reply, await context.caller(), list.length);
      const answer = (path: string, input: unknown) =>
        answerOf(request, reply, path, callConsole(path, context, input));
      if (!isBatch(request)) return sendAnswer(reply, await answer(request.params.paths, request.body));
      const inputs = inputsOf(request.body ?? {});
      return sendBatch(
        request,
        reply,
        list.map((path, position) => answer(path, inputs[position])),
      );
    },
  );
  // Addresses and searches would stand in the logs of proxies if queries came by GET.
  app.route({
    method: app.supportedMethods.filter((method) => method !== "POST"),
    url: rpcRoute,
    onRequest(_request, reply, done) {
      reply.header("allow", "POST");
      done(new Fault("methodNotSupported"));
    },
    // Never called: the hook refuses first.
    handler: () => {},
  });
}

function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  console: Console,
  addresses: Pick<ClientAddresses, "keysOf">,
): Context {
  let caller: Promise<Caller | null> | undefined;
  return {
    console,
    requestId: request.id,
    visitor: visitorOf(request, console, addresses),
    hasToken: bringsToken(request),
    caller: () => (caller ??= callerOf(request, console)),
    gone: goneOf(reply),
    keep(session) {
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
      await console.openIdConnect?.bindLater(kept, operator);
    },
  };
}

function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

function visitorOf(
  request: FastifyRequest,
  { cookies }: Pick<Console, "cookies">,
  addresses: Pick<ClientAddresses, "keysOf">,
): Visitor {
  const client = addresses.keysOf(request.raw).rate;
  const device = deviceOf(request.headers["user-agent"]);
  return { client, network: networkOf(client), device, deviceCookie: cookies.read(request, deviceCookie) };
}

function downloadRoutes(app: FastifyInstance, options: ConsoleRoutesOptions, onRequest: Gate): void {
  const { console } = options;
  takeUrlencoded(app);
  for (const { method, url, rule, isExport, send } of consoleDownloads) {
    // A HEAD would be recorded like a download.
    app.route({
      method,
      url,
      onRequest,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        // A resume may be opened from a bookmark. Everything of a list goes to pages of the console and to tokens only.
        if (method === "GET" && !url.startsWith("/console/exports/")) requireOwnLink(request);
        else requireOwnPage(request, console.publicUrl());
        const admitted = async () => {
          const caller = await callerOf(request, console);
          try {
            return admit(caller, rule);
          } catch (error) {
            noteRefusal(console, caller, url.replace(/:.*/, ""), error);
            throw error;
          }
        };
        const caller = await admitted();
        await countCalls(options, reply, caller, 1);
        const gone = goneOf(reply);
        if (isExport) {
          const turn = await console.turns.exports.take(countedBy(caller), gone);
          // After the last byte, or when the client has gone.
          if (reply.raw.closed) turn[Symbol.dispose]();
          else reply.raw.once("close", () => turn[Symbol.dispose]());
        }
        return send({ console, caller, admitted, request, reply, gone });
      },
    });
  }
}

function oidcRoutes(app: FastifyInstance, { console, addresses }: ConsoleRoutesOptions, onRequest: Gate): void {
  const { openIdConnect, cookies, publicUrl } = console;
  if (openIdConnect === null) return;
  const noHead = { onRequest, exposeHeadRoute: false };
  // Begun by a page of the console only: otherwise another site could sign its visitor in.
  app.post("/console/oidc/start", noHead, async (request, reply) => {
    requireOwnPage(request, publicUrl());
    const caller = await callerOf(request, console);
    const former = caller?.kind === "operator" ? caller.sessionHash : null;
    const token = request.body instanceof URLSearchParams ? request.body.get("token") : null;
    const { location, pending } = await openIdConnect.start(former, hashOfSent(token ?? ""));
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
      cookies.write(reply, bindingCookie, await openIdConnect.later(vouched));
      return reply.redirect(`${publicUrl()}/console#connect`);
    }
    const { id } = await console.signIns.begin(operator, visitorOf(request, console, addresses), true);
    const { former } = vouched;
    if (former !== null) {
      await console.access.endSessions({ idHash: former }, { operator: operator.email, at: console.clock.now() });
    }
    cookies.write(reply, sessionCookie, id);
    return reply.redirect(`${publicUrl()}/console`);
  });
}
