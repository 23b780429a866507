// Notes in the audit log which requests of operators and tokens were refused before any call of theirs began, or with all of
// them: from a page of another site, for something unknown, with too many calls in a batch.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { callerOf } from "./caller.ts";
import type { Console } from "./console.ts";
import { noteRefusal, unknownCall } from "./role-rules.ts";

/** The calls of a request, by the names that the audit log has for them. */
async function callsOf({ params, routeOptions: { url = "" } }: FastifyRequest): Promise<ReadonlySet<string>> {
  if (url.startsWith("/console/trpc/")) {
    const { describeCall } = await import("./router.ts");
    const { paths } = params as { readonly paths: string };
    return new Set(paths.split(",").map((path) => describeCall(path)?.procedure ?? unknownCall));
  }
  return new Set([/^\/console(?:\/\*)?$/.test(url) ? unknownCall : url.replace(/:.*/, "")]);
}

/** Notes what the routes throw. Answers a function that notes what is refused elsewhere; it never rejects. */
export function noteRefusedRequests(app: FastifyInstance, console: Console) {
  const note = async (request: FastifyRequest, error: unknown): Promise<void> => {
    // Too many calls are noted where they are counted.
    if (!(error instanceof Fault) || error.fault === "tooManyRequests") return;
    const caller = await callerOf(request, console);
    if (caller === null) return;
    for (const call of await callsOf(request)) noteRefusal(console, caller, call, error);
  };
  const noteOrLog = (request: FastifyRequest, error: unknown) =>
    note(request, error).catch((err: unknown) => console.log.error({ err }, "the audit log could not be written"));
  app.addHook("onError", (request, _reply, error) => noteOrLog(request, error));
  return noteOrLog;
}
