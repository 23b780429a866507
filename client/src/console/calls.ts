// The typed calls to the server, and the cache of their answers.
import type { ConsoleRouter } from "@submissions/server/console";
import type { Issue } from "@submissions/shared/faults";
import { QueryClient } from "@tanstack/react-query";
import { createTRPCClient, httpLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { randomKey } from "../sdk/idempotency-key.ts";
import { consoleUrl, early } from "./early.ts";
import { session } from "./session.ts";
import { exactTime } from "./words.ts";

export type { DecorateMutationProcedure, ResolverDef } from "@trpc/tanstack-react-query";

const codeOf = (error: unknown) =>
  error instanceof TRPCClientError ? (error.data as { readonly code?: string } | null | undefined)?.code : undefined;

/** Whether a call failed, and nothing else. */
export const isOfCall = (error: unknown): boolean => error instanceof TRPCClientError;

/** True for a refusal by the server; false when the call did not reach it or it failed. */
export const isRefusal = (error: unknown) => {
  const code = codeOf(error);
  return code !== undefined && code !== "INTERNAL_SERVER_ERROR" && code !== "SERVICE_UNAVAILABLE" && code !== "TIMEOUT";
};

/** The session has ended, or there is none. */
export const isSignedOut = (error: unknown): boolean => codeOf(error) === "UNAUTHORIZED";

export const isMissing = (error: unknown): boolean => codeOf(error) === "NOT_FOUND" || codeOf(error) === "FORBIDDEN";

const issuesOf = (error: unknown): readonly Issue[] =>
  error instanceof TRPCClientError ? ((error.data as { readonly issues?: readonly Issue[] } | null)?.issues ?? []) : [];

/** Whether the server refused a field. */
export const isWrong = (error: unknown, field: string): boolean =>
  issuesOf(error).some(({ path: [name] }) => name === field);

/** Why something was not done, in words for the operator. */
export class Refused extends Error {}

/** What went wrong, for the operator to read. */
export function messageOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (!navigator.onLine) return "You are offline.";
  // A form has room for one message.
  const issues = issuesOf(error).map(({ message }) => message);
  if (codeOf(error) === "NOT_FOUND") return "It is not there any more, or your role does not include it.";
  if (isRefusal(error)) return withLocalTimes(issues.join(" ") || (error as Error).message);
  return codeOf(error) === undefined
    ? "The server cannot be reached."
    : "Something went wrong on the server. Please try again.";
}

/** The server tells times in UTC. */
const withLocalTimes = (message: string) =>
  message.replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g, (_, day, time) => exactTime(Date.parse(`${day}T${time}Z`)));

// A call that the server refuses because the session ended waits for the sign-in dialog and is then sent again.
const signInAgain: TRPCLink<ConsoleRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      let stop = () => {};
      const attempt = () => {
        const sent = next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: (error) => {
            if (isSignedOut(error) && !op.path.startsWith("session.") && session.expire()) {
              stop = session.onceSignedIn(attempt);
            } else observer.error(error);
          },
        });
        stop = () => sent.unsubscribe();
      };
      attempt();
      return () => stop();
    });

/** A sign-in may come between a change and its repetition. An import has its report, which may ask for the file again. */
const hasNoKey = /^(?:session\.|subscribers\.import$)/;

// A change has a key. If its answer is lost and the operator asks again, the page sends the same key, and the server does not
// make the change twice. A change that says what the operator saw (`seen`) needs none: the server refuses it by that.
const withKey: TRPCLink<ConsoleRouter> = () => {
  /** Keys, by what was asked for. */
  const unanswered = new Map<string, string>();
  return ({ op, next }) => {
    if (op.type !== "mutation" || "seen" in ((op.input as object | undefined) ?? {}) || hasNoKey.test(op.path))
      return next(op);
    const name = JSON.stringify([op.path, op.input]);
    const before = [...unanswered.keys()];
    const key = unanswered.get(name) ?? randomKey();
    return observable((observer) =>
      next({ ...op, context: { ...op.context, key } }).subscribe({
        next(value) {
          // After this change, asking for an earlier one again means a new one.
          for (const one of before) unanswered.delete(one);
          observer.next(value);
        },
        error(error) {
          if (!isRefusal(error)) unanswered.set(name, key);
          observer.error(error);
        },
        complete: () => observer.complete(),
      }),
    );
  };
};

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && !isRefusal(error),
    },
    mutations: { retry: false },
  },
});

const unattendedMs = 5 * 60_000;

/** Answers whether the page had no input for five minutes. The queries that it makes then do not keep the session open. */
function watchUse(): () => boolean {
  let usedAt = Date.now();
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "click", "input"])
    addEventListener(name, () => (usedAt = Date.now()), { capture: true, passive: true });
  return () => Date.now() - usedAt > unattendedMs;
}

const isUnattended = watchUse();

/** Calls without the cache. */
export const calls = createTRPCClient<ConsoleRouter>({
  links: [
    signInAgain,
    withKey,
    httpLink({
      headers: ({ op: { type, context } }) => ({
        ...(typeof context["key"] === "string" && { "idempotency-key": context["key"] }),
        ...(type === "query" && isUnattended() && { "x-unattended": "1" }),
      }),
      url: new URL("trpc", consoleUrl).href,
      methodOverride: "POST",
      fetch: (url, init) => early.fetch(url as string, init as RequestInit),
    }),
  ],
});

/** Waits until the operator has signed in again, if the session has ended. For requests without tRPC: downloads, resumes. */
export async function untilSignedIn(): Promise<void> {
  const me = await calls.session.me.query();
  if (me === null && session.expire()) await new Promise<void>((resolve) => session.onceSignedIn(resolve));
}

/** The options of queries and mutations for TanStack Query, by procedure. */
export const trpc = createTRPCOptionsProxy<ConsoleRouter>({ client: calls, queryClient });
