// Marks the requests that are answered with pages, so that refusals become pages too, wherever they happen. What the
// pages say, it is told.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Failure } from "../../rpc/failure.ts";
import { wantsPage } from "./wants-page.ts";

/** What is needed to answer a request with a page. */
export interface PageAnswer {
  /** The fields of the form, once they are being read. */
  fields: FormData | null;
  /** Writes the page of a refusal. */
  refusal(failure: Failure): string;
}

/** Writes the page of a refusal, with the form again where it is known. */
export type RefusalPage = (request: FastifyRequest, failure: Failure, fields: FormData | null) => string;

/** Must be added before the first hook that refuses. */
export function answerWithPages(app: FastifyInstance, refusalPage: RefusalPage): void {
  app.decorateRequest("page", null);
  app.addHook("onRequest", (request, _reply, done) => {
    if (wantsPage(request)) request.page = newAnswer(request, refusalPage);
    done();
  });
}

const newAnswer = (request: FastifyRequest, refusalPage: RefusalPage): PageAnswer => ({
  fields: null,
  refusal(failure) {
    return refusalPage(request, failure, this.fields);
  },
});

declare module "fastify" {
  interface FastifyRequest {
    /** Set when the request is to be answered with a page. */
    page: PageAnswer | null;
  }
}
