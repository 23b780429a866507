// The pages that the links of welcome mails lead to. GET changes nothing, because mail programs and scanners follow links by
// themselves. No page names an address, or says why a link does not work: other people open forwarded links too.
import { html } from "@submissions/shared/html";
import { languageField, type Language } from "@submissions/shared/language";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../clock.ts";
import { Fault } from "../../fault.ts";
import { hashOfSent } from "../../secrets.ts";
import type { LinkPurpose } from "../../storage/records.ts";
import type { Store } from "../../storage/store.ts";
import type { Guard } from "../gate/guard.ts";
import { card } from "./frame.ts";
import { sendPage } from "./page-answer.ts";
import type { Site } from "./site.ts";

/** A token and the words of RFC 8058, with what mail programs put around them. */
const formBytesMax = 4 * 1024;

/** The pages are one level below the root. */
const root = "../";

interface NewsletterOptions {
  readonly site: Pick<Site, "brand" | "hasFrontPage" | "words" | "languageOf">;
  readonly store: Pick<Store, "checkLink" | "followLink">;
  readonly clock: Clock;
  readonly guard: Guard;
}

/** Adds `/newsletter/confirm` and `/newsletter/unsubscribe`, in a scope of their own. */
export async function newsletterPages(app: FastifyInstance, options: NewsletterOptions): Promise<void> {
  takeSmallForms(app);
  for (const purpose of ["confirm", "unsubscribe"] as const) addPages(app, purpose, options);
}

function addPages(app: FastifyInstance, purpose: LinkPurpose, options: NewsletterOptions): void {
  const { site, store, clock, guard } = options;
  const url = `/newsletter/${purpose}`;
  const linkOf = (token: string) => {
    const tokenHash = hashOfSent(token);
    return tokenHash === null ? null : { tokenHash, at: clock.now() };
  };

  app.get(url, async (request, reply) => {
    const token = fieldIn(request.query, "token");
    const link = linkOf(token);
    if (link === null || !(await store.checkLink(purpose, link))) return sendDeadLink(request, reply, site);
    const language = languageAsked(request, site);
    const { ask, explain, button } = site.words(language).pages[purpose];
    const body = html`<p>${explain}</p>
      <form method="post" action="${purpose}">
        <input type="hidden" name="token" value="${token}" />
        ${language !== "en" && html`<input type="hidden" name="${languageField}" value="${language}" />`}
        <button class="button">${button}</button>
      </form>`;
    return sendPage(reply, card({ language, site, root, sign: "mail", heading: ask, body }), { posts: true });
  });

  // The button sends the token in the form, so that the next page's address does not hold it. A mail program's one click
  // (RFC 8058) has it in the address, and may come from a page: its token is all that it needs.
  app.post(url, { onRequest: guard.hook({ fromAnywhere: purpose === "unsubscribe" }) }, async (request, reply) => {
    const link = linkOf(fieldIn(request.query, "token") || formField(request, "token"));
    // Answered alike when it was done before.
    if (link === null || !(await store.followLink(purpose, link))) return sendDeadLink(request, reply, site);
    const language = languageAsked(request, site);
    const { done, outcome } = site.words(language).pages[purpose];
    const body = html`<p role="status">${outcome}</p>`;
    return sendPage(reply, card({ language, site, root, sign: "done", heading: done, body }));
  });
}

/** The one page for every link that does not work, whatever the reason. */
function sendDeadLink(request: FastifyRequest, reply: FastifyReply, site: NewsletterOptions["site"]): FastifyReply {
  const language = languageAsked(request, site);
  const { heading, why, leave, on: again } = site.words(language).pages.deadLink;
  const body = html`<p>${why}</p>
    <p>${leave}</p>`;
  const on = site.hasFrontPage && html`<a href="${root}#newsletter">${again}</a>`;
  return sendPage(reply, card({ language, site, root, sign: "stop", heading, body, on }), { status: 404 });
}

/** A field of an address; empty when there is none, or more than one. */
function fieldIn(query: unknown, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : "";
}

const formField = ({ body }: FastifyRequest, name: string): string =>
  body instanceof URLSearchParams && body.getAll(name).length === 1 ? (body.get(name) ?? "") : "";

const languageAsked = (request: FastifyRequest, site: Pick<Site, "languageOf">): Language =>
  site.languageOf(fieldIn(request.query, languageField) || formField(request, languageField));

function takeSmallForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: formBytesMax },
    (_request, text, done) => done(null, new URLSearchParams(text.toString())),
  );
  app.addHook("onRequest", ({ query, raw }, _reply, done) => {
    // Fastify refuses a type that is none before it looks for a parser.
    if (fieldIn(query, "token") !== "") delete raw.headers["content-type"];
    done();
  });
  // The token in the address is enough: what comes with it may be of any kind, and is thrown away unread.
  app.addContentTypeParser("*", ({ query }, _payload, done) =>
    fieldIn(query, "token") === "" ? done(new Fault("contentTypeUnsupported")) : done(null, null),
  );
}
