// The addresses that the links of welcome mails lead to. GET and HEAD change nothing, because mail programs and scanners
// follow links by themselves; only POST does. No script, no cookie, no redirect. A link that is unknown, forged, expired,
// dead or meant for something else does not work, and the answer does not tell which of these it is.
import { languageField, languageOf, type Language } from "@submissions/shared/language";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../clock.ts";
import { hashOfSent } from "../../secrets.ts";
import type { LinkPurpose } from "../../storage/records.ts";
import type { Store } from "../../storage/store.ts";
import type { Guard } from "../gate/guard.ts";
import type { Spoken } from "./newsletter-page.ts";
import { sendPage } from "./page-answer.ts";

/** A token and the words of RFC 8058, with what mail programs put around them. */
const formBytesMax = 4 * 1024;

interface NewsletterOptions {
  readonly site: Spoken["site"];
  readonly store: Pick<Store, "checkLink" | "followLink">;
  readonly clock: Clock;
  /** Counts the links that a client follows. */
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
    const works = link !== null && (await store.checkLink(purpose, link));
    const { questionPage, deadLinkPage } = await import("./newsletter-page.ts");
    const spoken = { site, language: languageAsked(request) };
    return works
      ? sendPage(reply, questionPage(spoken, purpose, token), { posts: true })
      : sendPage(reply, deadLinkPage(spoken), { status: 404 });
  });

  // The button sends the token in the form, so that the next page's address does not hold it. A mail program's one click
  // (RFC 8058) has it in the address.
  app.post(url, { onRequest: guard.hook() }, async (request, reply) => {
    const link = linkOf(fieldIn(request.query, "token") || formField(request, "token"));
    // Answered alike when it was done before.
    const done = link !== null && (await store.followLink(purpose, link));
    const { outcomePage, deadLinkPage } = await import("./newsletter-page.ts");
    const spoken = { site, language: languageAsked(request) };
    return done
      ? sendPage(reply, outcomePage(spoken, purpose))
      : sendPage(reply, deadLinkPage(spoken), { status: 404 });
  });
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

// The token in the address is enough, so a form of one click may hold anything or nothing.
function takeSmallForms(app: FastifyInstance): void {
  // The scope around takes JSON; these pages do not.
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
