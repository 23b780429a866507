// The pages that the links of welcome mails lead to. GET changes nothing, because mail programs and scanners follow links by
// themselves. No page names an address, or says why a link does not work: other people open forwarded links too.
import { html } from "@submissions/shared/html";
import { languageField, languageOf, type Language } from "@submissions/shared/language";
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

type Words = Readonly<Record<"ask" | "explain" | "button" | "done" | "outcome", string>>;

const words: Readonly<Record<Language, Readonly<Record<LinkPurpose, Words>>>> = {
  en: {
    confirm: {
      ask: "Confirm your subscription",
      explain: "Press the button, and our newsletter will come to the address that our e-mail was sent to.",
      button: "Confirm subscription",
      done: "You are subscribed",
      outcome: "Thank you, your subscription is confirmed. Every e-mail from us has a link to unsubscribe.",
    },
    unsubscribe: {
      ask: "Unsubscribe from our newsletter",
      explain: "Press the button, and we will send no more newsletters to the address that our e-mail was sent to.",
      button: "Unsubscribe",
      done: "You are unsubscribed",
      outcome: "We will send you no more newsletters. If you change your mind, you can subscribe again on our site.",
    },
  },
  de: {
    confirm: {
      ask: "Bestätigen Sie Ihr Abonnement",
      explain: "Ein Klick, und unser Newsletter kommt an die Adresse, an die wir Ihnen geschrieben haben.",
      button: "Abonnement bestätigen",
      done: "Sie haben unseren Newsletter abonniert",
      outcome: "Vielen Dank, Ihr Abonnement ist bestätigt. In jeder E-Mail von uns finden Sie einen Link zum Abmelden.",
    },
    unsubscribe: {
      ask: "Vom Newsletter abmelden",
      explain: "Ein Klick, und wir senden keinen Newsletter mehr an die Adresse, an die wir Ihnen geschrieben haben.",
      button: "Abmelden",
      done: "Sie sind abgemeldet",
      outcome: "Wir senden Ihnen keinen Newsletter mehr. Auf unserer Seite können Sie ihn jederzeit wieder abonnieren.",
    },
  },
};

const deadLink: Readonly<Record<Language, Readonly<Record<"heading" | "why" | "leave" | "on", string>>>> = {
  en: {
    heading: "This link does not work",
    why: "It may be incomplete or too old. A link to confirm a subscription works for 7 days.",
    leave: "To unsubscribe, use the link in the latest e-mail from us.",
    on: "Subscribe again on our site",
  },
  de: {
    heading: "Dieser Link funktioniert nicht",
    why: "Er ist unvollständig oder zu alt. Ein Link zum Bestätigen gilt 7 Tage.",
    leave: "Zum Abmelden nehmen Sie bitte den Link in der neuesten E-Mail von uns.",
    on: "Auf unserer Seite neu abonnieren",
  },
};

interface NewsletterOptions {
  readonly site: Pick<Site, "brand" | "hasFrontPage">;
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
    const language = languageAsked(request);
    const { ask, explain, button } = words[language][purpose];
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
    const language = languageAsked(request);
    const { done, outcome } = words[language][purpose];
    const body = html`<p role="status">${outcome}</p>`;
    return sendPage(reply, card({ language, site, root, sign: "done", heading: done, body }));
  });
}

/** The one page for every link that does not work, whatever the reason. */
function sendDeadLink(request: FastifyRequest, reply: FastifyReply, site: NewsletterOptions["site"]): FastifyReply {
  const language = languageAsked(request);
  const { heading, why, leave, on: again } = deadLink[language];
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

const languageAsked = (request: FastifyRequest): Language =>
  languageOf(fieldIn(request.query, languageField) || formField(request, languageField));

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
