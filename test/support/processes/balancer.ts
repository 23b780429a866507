// A balancer as small as can be: sends requests to ready processes, in turn, and repeats only what reached none.
import { Agent, createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { Listening } from "../listening.ts";

const askEveryMs = 100;
/** The service gives notice for as long as a balancer needs that asks so often. */
const askEveryMsMax = 500;

interface Target {
  readonly url: string;
  readonly agent: Agent;
  ready: boolean;
  /** Whether it has said that it is not ready. */
  gaveNotice: boolean;
}

export class Balancer extends Listening {
  /** What went wrong between it and the processes; the caller is answered 502. */
  readonly failures: string[] = [];
  /** Whether a process may have ended before its notice was heard: requests that were sent there may have failed. */
  wasLate = false;
  readonly #targets = new Set<Target>();
  readonly #asking = setInterval(() => this.#askAll(), askEveryMs);
  #askedAt = performance.now();
  #turn = 0;

  static open(): Promise<Balancer> {
    const balancer = new Balancer(createServer({ keepAliveTimeout: 60_000 }));
    balancer.server.on("request", (request, response) => void balancer.#handle(request, response));
    return balancer.listen();
  }

  add(url: string): void {
    this.#targets.add({ url, agent: new Agent({ keepAlive: true }), ready: false, gaveNotice: false });
  }

  sendsTo(url: string): boolean {
    return this.#ready.some((target) => target.url === url);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#asking);
    for (const { agent } of this.#targets) agent.destroy();
    await super[Symbol.asyncDispose]();
  }

  get #ready(): Target[] {
    return [...this.#targets].filter(({ ready }) => ready);
  }

  #askAll(): void {
    const now = performance.now();
    this.wasLate ||= now - this.#askedAt > askEveryMsMax;
    this.#askedAt = now;
    for (const target of this.#targets) void this.#ask(target);
  }

  async #ask(target: Target): Promise<void> {
    const asked = await fetch(`${target.url}/readyz`).catch(() => null);
    await asked?.arrayBuffer().catch(() => {});
    target.ready = asked?.status === 200;
    target.gaveNotice ||= asked?.status === 503;
    if (asked !== null) return;
    this.wasLate ||= !target.gaveNotice;
    // No request is sent there any more; what is under way keeps its connection.
    this.#targets.delete(target);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    for (const target of this.#inTurn()) {
      const answer = await forward(target, request, body).catch((error: NodeJS.ErrnoException) => error);
      if (!(answer instanceof Error)) {
        const { connection: _connection, ...headers } = answer.headers;
        response.writeHead(answer.status, headers);
        return void response.end(answer.body);
      }
      if (answer.code !== "ECONNREFUSED") {
        this.failures.push(answer.code ?? answer.message);
        break;
      }
      target.ready = false;
    }
    response.writeHead(502).end();
  }

  #inTurn(): Target[] {
    const ready = this.#ready;
    this.#turn += 1;
    const first = this.#turn % Math.max(1, ready.length);
    return [...ready.slice(first), ...ready.slice(0, first)];
  }
}

function forward({ url, agent }: Target, { method, url: path, headers }: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }>((resolve, reject) => {
    const asking = requestOf(new URL(path ?? "/", url), {
      method,
      headers: { ...headers, connection: "keep-alive" },
      agent,
    });
    asking.once("error", reject).once("response", (answer) => {
      buffer(answer).then(
        (whole) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole }),
        reject,
      );
    });
    asking.end(body);
  });
}
