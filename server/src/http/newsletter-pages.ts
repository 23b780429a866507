// The pages that the links of welcome mails lead to. Looking (GET, HEAD) changes nothing, because mail programs and
// scanners follow links by themselves; only a POST does. No script, no cookie, no redirect.
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { checkLink, confirmSubscription, unsubscribe } from "../intake/newsletter-links.ts";
import { describeFailure } from "../rpc/failure.ts";
import type { LinkPurpose } from "../storage/records.ts";
import { noteFailure, recognise } from "./fault-reply.ts";
import { deadLinkPage, failurePage, outcomePage, questionPage } from "./pages/newsletter.ts";

// The pages need their style sheet and their own form, and nothing else in the world.
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** A token and the words of RFC 8058, with whatever a mail program puts around them. */
const formBytesMax = 4 * 1024;

const follow = { confirm: confirmSubscription, unsubscribe };

/** Adds `/newsletter/confirm`, `/newsletter/unsubscribe` and their style sheet, in a scope of their own. */
export async function newsletterPages(app: FastifyInstance, deps: Deps): Promise<void> {
  takeSmallForms(app);
  app.setErrorHandler((thrown, request, reply) => {
    const error = recognise(thrown);
    noteFailure(request, reply, error);
    const { status, message } = describeFailure(error);
    return send(reply, status, failurePage(deps.mail.brand, message));
  });
  for (const purpose of ["confirm", "unsubscribe"] as const) addPage(app, deps, purpose);

  const style = readFileSync(new URL("pages/style.css", import.meta.url), "utf8");
  app.get("/newsletter/style.css", (_request, reply) =>
    reply.type("text/css; charset=utf-8").header("cache-control", "public, max-age=300").send(style),
  );
}

function addPage(app: FastifyInstance, deps: Deps, purpose: LinkPurpose): void {
  const url = `/newsletter/${purpose}`;
  const { brand } = deps.mail;

  app.get(url, async (request, reply) => {
    const token = tokenIn(request.query);
    const works = await checkLink(deps, purpose, token);
    return works ? send(reply, 200, questionPage(brand, purpose, token)) : send(reply, 404, deadLinkPage(brand));
  });

  // The button sends the token in the form, and so keeps it out of the address of the next page; a mail program's one
  // click (RFC 8058) has it in the address.
  app.post(url, async (request, reply) => {
    const done = await follow[purpose](deps, tokenIn(request.query) || tokenOfForm(request));
    return done ? send(reply, 200, outcomePage(brand, purpose)) : send(reply, 404, deadLinkPage(brand));
  });
}

const send = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply
    .code(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", pagePolicy)
    .header("x-robots-tag", "noindex, nofollow")
    .send(page);

/** The token in an address; empty when there is none, or more than one. */
function tokenIn(query: unknown): string {
  const token = (query as Readonly<Record<string, unknown>>)["token"];
  return typeof token === "string" ? token : "";
}

const tokenOfForm = ({ body }: FastifyRequest): string =>
  body instanceof URLSearchParams && body.getAll("token").length === 1 ? (body.get("token") ?? "") : "";

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
