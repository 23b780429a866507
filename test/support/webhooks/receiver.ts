// A receiver of webhooks, over HTTP, that answers as it is told and keeps what it got.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listening } from "../listening.ts";

export interface Received {
  readonly headers: IncomingHttpHeaders & {
    readonly "webhook-id": string;
    readonly "webhook-timestamp": string;
    readonly "webhook-signature": string;
  };
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function openReceiver() {
  const received: Received[] = [];
  const answers: (Answer | null)[] = [];
  let arrived = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { method = "", url = "", headers } = request;
    received.push({ method, path: url, body, headers: headers as Received["headers"] });
    const answer = answers.length > 0 ? answers.shift() : { status: 204 };
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
    arrived.resolve();
    arrived = Promise.withResolvers();
  };
  return Object.assign(await listening((request, response) => void take(request, response)), {
    received,
    /** What the next requests are answered, one after the other; then 204. Null: nothing is answered. */
    answer: (...more: (Answer | null)[]) => void answers.push(...more),
    /** Resolves when it has got so many requests in all. */
    async got(count: number) {
      while (received.length < count) await arrived.promise;
      return received;
    },
  });
}
