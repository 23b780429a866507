// The pages that the links of welcome mails lead to. Looking (GET, HEAD) changes nothing, because mail programs and
// scanners follow links by themselves; only a POST does. No script, no cookie, no redirect.
import { PassThrough } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { Deps } from "../../deps.ts";
import { Fault } from "../../fault.ts";
import { checkLink, confirmSubscription, unsubscribe } from "../../intake/links.ts";
import { describeFailure } from "../../rpc/failure.ts";
import type { LinkPurpose } from "../../storage/records.ts";
import { noteFailure, recognise } from "../fault-reply.ts";
import type { Guard } from "../gate/rate-limit.ts";
import { deadLinkPage, failurePage, outcomePage, questionPage } from "./newsletter-page.ts";
import { sendPage } from "./send-page.ts";

/** A token and the words of RFC 8058, with whatever a mail program puts around them. */
const formBytesMax = 4 * 1024;

/** More than such a form takes over any line; who drips it would hold one of the requests that the process carries. */
const formMsMax = 10_000;

/** How many times the limit on submissions: the one-click POSTs of a mail provider's readers come from few addresses. */
export const followedLinksFactor = 10;

const follow = { confirm: confirmSubscription, unsubscribe };

interface PagesOptions {
  readonly deps: Deps;
  /** Counts the links that a client follows. */
  readonly guard: Guard;
}

interface PageOptions {
  readonly deps: Deps;
  readonly gate: onRequestAsyncHookHandler;
}

/** Adds `/newsletter/confirm`, `/newsletter/unsubscribe`, in a scope of their own. */
export async function newsletterPages(app: FastifyInstance, { deps, guard }: PagesOptions): Promise<void> {
  takeSmallForms(app);
  boundTime(app);
  const fail = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => {
    const error = recognise(thrown);
    noteFailure(request, reply, error);
    const { fault, status, message } = describeFailure(error);
    if (fault === "requestTimedOut") reply.header("connection", "close");
    return send(reply, status, failurePage(deps.mail.brand, message));
  };
  app.setErrorHandler((thrown, request, reply) => fail(request, reply, thrown));
  const gate = guard.hook({ calls: () => 1, refuseAll: (...refused) => void fail(...refused) });
  for (const purpose of ["confirm", "unsubscribe"] as const) addPage(app, purpose, { deps, gate });
}

function addPage(app: FastifyInstance, purpose: LinkPurpose, { deps, gate }: PageOptions): void {
  const url = `/newsletter/${purpose}`;
  const { brand } = deps.mail;

  app.get(url, async (request, reply) => {
    const token = tokenIn(request.query);
    const works = await checkLink(deps, purpose, token);
    return works ? send(reply, 200, questionPage(brand, purpose, token)) : send(reply, 404, deadLinkPage(brand));
  });

  // The button sends the token in the form, and so keeps it out of the address of the next page; a mail program's one
  // click (RFC 8058) has it in the address.
  app.post(url, { onRequest: gate }, async (request, reply) => {
    const done = await follow[purpose](deps, tokenIn(request.query) || tokenOfForm(request));
    return done ? send(reply, 200, outcomePage(brand, purpose)) : send(reply, 404, deadLinkPage(brand));
  });
}

const send = (reply: FastifyReply, status: number, page: string): FastifyReply => sendPage(reply, page, { status });

/** The token in an address; empty when there is none, or more than one. */
function tokenIn(query: unknown): string {
  const token = (query as Readonly<Record<string, unknown>>)["token"];
  return typeof token === "string" ? token : "";
}

const tokenOfForm = ({ body }: FastifyRequest): string =>
  body instanceof URLSearchParams && body.getAll("token").length === 1 ? (body.get("token") ?? "") : "";

// A form that does not come in time is answered 408, and its connection closed.
function boundTime(app: FastifyInstance): void {
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (request.method !== "POST") return done(null, payload);
    const form = payload.pipe(new PassThrough());
    const timer = setTimeout(() => form.destroy(new Fault("requestTimedOut")), formMsMax).unref();
    reply.raw.once("close", () => clearTimeout(timer));
    payload.once("error", (error: Error) => form.destroy(error));
    // Nobody listens where a body is refused unread.
    form.on("error", () => {});
    done(null, form);
  });
}

// Anything may stand in a form of one click, or nothing: the token in the address says it all.
function takeSmallForms(app: FastifyInstance): void {
  // No JSON here, which the scope around takes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: formBytesMax },
    (_request, text, done) => done(null, new URLSearchParams(text.toString())),
  );
  app.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer", bodyLimit: formBytesMax },
    (_request, _bytes, done) => done(null, null),
  );
}
