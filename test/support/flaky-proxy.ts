// Stands between a client and the service and loses the requests and answers that a test asks it to.
import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { Listening } from "./listening.ts";
import { startService } from "./service.ts";

export type Mishap =
  /** The connection breaks before the service hears of it. */
  | "lose request"
  /** The service has answered, and the connection breaks before a byte of that comes back. */
  | "lose answer"
  | "cut answer"
  /** It never gets anywhere, and the connection stays open. */
  | "hang"
  /** The proxy answers in the service's place. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export interface SeenRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export class FlakyProxy extends Listening {
  readonly requests: SeenRequest[] = [];
  /** The headers that the service answered with, passed on or lost. */
  readonly answers: Readonly<Record<string, string | string[] | undefined>>[] = [];
  /** Base address of the service; nothing is listening there while it is down. */
  target = "";
  readonly #mishaps: Mishap[] = [];

  static open(target: string): Promise<FlakyProxy> {
    const proxy = new FlakyProxy(createServer());
    proxy.target = target;
    proxy.server.on("request", (request, response) => void proxy.#handle(request, response));
    return proxy.listen();
  }

  next(...mishaps: readonly Mishap[]): void {
    this.#mishaps.push(...mishaps);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mishap = this.#mishaps.shift();
    const body = await buffer(request).catch(() => null);
    // The client gave up in the middle.
    if (body === null) return;
    this.requests.push({ headers: request.headers, body });
    if (mishap === "hang") return;
    if (mishap === "lose request") return void response.socket?.resetAndDestroy();
    if (typeof mishap === "object") {
      response.writeHead(mishap.status, { "content-type": "application/json", ...mishap.headers });
      return void response.end(JSON.stringify(mishap.body ?? {}));
    }
    const answer = await this.#forward(request, body);
    if (answer === null || mishap === "lose answer") return void response.socket?.resetAndDestroy();
    response.writeHead(answer.status, answer.headers);
    if (mishap !== "cut answer") return void response.end(answer.body);
    const half = answer.body.subarray(0, answer.body.length / 2);
    response.write(half, () => response.socket?.destroy());
  }

  async #forward({ method, url, headers }: IncomingMessage, body: Buffer) {
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const address = new URL(url ?? "/", this.target);
        requestOf(address, { method, headers, agent: false }, resolve).on("error", reject).end(body);
      });
      this.answers.push(answer.headers);
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
    } catch {
      // The service is down, or went down.
      return null;
    }
  }
}

/** A service of its own with the proxy before it, on which these things happen first. */
export async function behindProxy(...mishaps: readonly Mishap[]) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startService());
  const proxy = opened.use(await FlakyProxy.open(service.url));
  proxy.next(...mishaps);
  const resources = opened.move();
  return { service, proxy, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
