// The one link of tRPC's client: it makes a call a submission, with a key and all its tries. It knows how submissions are
// sent, and neither their fields nor the router.
import { TRPCClientError, type Operation, type TRPCLink, type TRPCProcedureOptions } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import type { ApplicationOptions } from "./client-options.ts";
import type { Exchange } from "./exchange.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { repeat, retryPolicy, type RetryPolicy, type Tempo } from "./retry.ts";
import { keyHeader, send } from "./transport.ts";

/** What all submissions of a client share. */
export interface Way {
  /** Address of the typed door, without a slash at its end. */
  readonly door: string;
  /** Sent with every request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How a call with these options is sent. */
  readonly exchangeFor: (own: ApplicationOptions) => Exchange;
  /** The retries of calls without their own; null for none. */
  readonly policy: RetryPolicy | null;
  readonly tempo: Tempo;
}

/** The options of a call as tRPC's client passes them to the link. */
export const handedDown = (own: ApplicationOptions = {}): TRPCProcedureOptions => ({
  context: { own },
  ...(own.signal && { signal: own.signal }),
});

/** The link. A failure becomes the `cause` of a TRPCClientError, the only error that tRPC passes on. */
export const submissionLink =
  <Router extends AnyTRPCRouter>(way: Way): TRPCLink<Router> =>
  () =>
  ({ op }) =>
    observable((observer) => {
      const accepted = (data: unknown) => {
        observer.next({ result: { data } });
        observer.complete();
      };
      const failed = (cause: unknown) =>
        observer.error(new TRPCClientError("Not accepted.", { cause: cause as Error }));
      submit(way, op).then(accepted, failed);
    });

async function submit(way: Way, { path, input, context, signal: maybe }: Operation): Promise<unknown> {
  const own = context["own"] as ApplicationOptions;
  const signal = maybe ?? undefined;
  // Written before the first try, because the key stands for it and the caller may change the object meanwhile. Texts and
  // forms can be sent any number of times; no input is a stream.
  const body = input instanceof FormData ? input : JSON.stringify(input);
  const outgoing = {
    url: `${way.door}/${path}`,
    headers: {
      ...way.headers,
      ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
      [keyHeader]: idempotencyKey(own.idempotencyKey),
    },
    body,
    signal,
  };
  const exchange = way.exchangeFor(own);
  return repeat(() => send(exchange, outgoing), retryPolicy(own.retry, way.policy), way.tempo, signal);
}
