// Decides which requests are answered with pages, and sends pages. Programs that do not ask for HTML get JSON.
import { faults } from "@submissions/shared/faults";
import { referenceIn } from "@submissions/shared/kinds";
import { languageField, type Language } from "@submissions/shared/language";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { faultOf } from "../../rpc/failure.ts";
import type { Fault } from "../../fault.ts";
import type { FormBody } from "../body/form-body.ts";
import { qualitiesIn } from "../headers.ts";
import { isRpc } from "../rpc-wire.ts";
import { formOf, nextAddress, type Site } from "./site.ts";

export type PageAnswer = ReturnType<typeof pageAnswer>;

/** How a request is answered with pages. They show the form that was sent, where it was read. */
const pageAnswer = (request: FastifyRequest, site: Site) => ({
  after: (receipt: unknown, form: FormBody | null): string =>
    nextAddress(form?.fields, site) ??
    thanksAddress(request, receipt, site.languageOf(form?.fields.get(languageField))),
  /** Answers with the page of a refusal; with the form again, where its fields are known. Never rejects. */
  async sendRefusal(reply: FastifyReply, fault: Fault, form: FormBody | null): Promise<void> {
    try {
      const { refusalPage } = await import("./refusal-page.ts");
      const { status } = faults[fault.fault];
      // Only the script can prove work, so there it comes with the form.
      const policy = site.proofOfWork && form !== null ? policies.forms : policies.still;
      // Browsers hold the redirect after a form against its page's policy, too.
      const leadsTo = URL.parse(nextAddress(form?.fields, site) ?? "")?.origin;
      sendPage(reply, refusalPage(site, request, fault, form), { status, policy, posts: true, leadsTo });
    } catch (error) {
      // A bug in a page. The page of its refusal would fail in the same way.
      request.exchange.observation.refused(faultOf(error), error, []);
      reply.code(faults.internal.status).type("text/plain; charset=utf-8").send(faults.internal.message);
    }
  },
});

export function answerWithPages(app: FastifyInstance, site: Site): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (wantsPage(request)) request.exchange = { ...request.exchange, page: pageAnswer(request, site) };
    done();
  });
}

// A page answers a request that prefers `text/html` to JSON, sends no JSON itself (some HTTP libraries ask for HTML by
// default), and is not for typed RPC. The links of newsletter mails are always answered with pages.
const wantsPage = (request: FastifyRequest): boolean =>
  (prefersHtml(request.headers.accept) &&
    !isRpc(request) &&
    !/^\s*application\/json/i.test(request.headers["content-type"] ?? "")) ||
  (request.url.startsWith("/newsletter/") && request.routeOptions.url?.startsWith("/newsletter/") === true);

/** Whether an Accept header (RFC 9110 12.5.1) names `text/html` with a higher quality than JSON has in it. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false;
  const qualities = qualitiesIn(accept);
  const html = qualities.get("text/html") ?? 0;
  // The most specific range counts.
  const json = qualities.get("application/json") ?? qualities.get("application/*") ?? qualities.get("*/*") ?? 0;
  return html > json;
}

/** The page of thanks, seen from the address that the form was sent to. */
function thanksAddress({ routeOptions: { url } }: FastifyRequest, receipt: unknown, language: Language): string {
  const reference = referenceIn(receipt as Parameters<typeof referenceIn>[0]);
  const query = new URLSearchParams({
    kind: formOf(url) ?? "",
    ...(reference !== undefined && { reference }),
    ...(language !== "en" && { [languageField]: language }),
  });
  return `../../thanks?${query.toString()}`;
}

/** The policy of a page (CSP). Without more it has styles and images of this service. */
export const policyOf = (...more: readonly string[]): string =>
  `default-src 'none'; ${more.join("; ")}; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'`;

/** What a page may load: only what this service serves, and nothing inline. */
export const policies = {
  still: policyOf("form-action 'self'"),
  /** The forms' script. Its worker solves proofs of work. */
  forms: policyOf("script-src 'self'", "connect-src 'self'", "worker-src 'self'", "form-action 'self'"),
  /** The reader of the API document, which sends requests to try the operations. */
  reader: policyOf("script-src 'self'", "connect-src 'self'", "font-src 'self'", "form-action 'none'"),
};

interface Sent {
  readonly status?: number;
  readonly policy?: string;
  readonly indexed?: boolean;
  // Whether it holds a form. With `no-referrer` a browser that sends no Sec-Fetch-Site would post it with `Origin: null`, and
  // be refused as another site's. `strict-origin` sends no path, and so no token in it.
  readonly posts?: boolean;
  /** Another origin that its form leads to. */
  readonly leadsTo?: string | undefined;
}

export function sendPage(
  reply: FastifyReply,
  page: string,
  { status = 200, policy = policies.still, indexed = false, posts = false, leadsTo }: Sent = {},
): FastifyReply {
  if (!indexed) reply.header("x-robots-tag", "noindex, nofollow");
  if (posts) reply.header("referrer-policy", "strict-origin");
  reply.header("content-security-policy", leadsTo ? policy.replace("form-action 'self'", `$& ${leadsTo}`) : policy);
  return reply.code(status).type("text/html; charset=utf-8").send(page);
}
