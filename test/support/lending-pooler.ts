// A pooler that lends a connection for one transaction, as PgBouncer may. It knows nothing of prepared statements.
import { createServer, type Socket } from "node:net";
import { Client } from "pg";
import { Listening } from "./listening.ts";
import { messagesOf } from "./postgres-messages.ts";

const [query, sync, terminate, readyForQuery] = ["Q", "S", "X", "Z"].map((type) => type.charCodeAt(0));
const idle = "I".charCodeAt(0);
/** Authentication succeeded; ready for a query, in no transaction. */
const welcome = Buffer.from("R\0\0\0\b\0\0\0\0Z\0\0\0\x05I", "latin1");

export class LendingPooler extends Listening {
  readonly #backends: Client[] = [];
  readonly #free: Socket[] = [];
  readonly #waiting: (() => void)[] = [];

  /** @param url the address of a database; clients of the pooler need no password */
  static async open(url: string, connections: number): Promise<LendingPooler> {
    const pooler: LendingPooler = new LendingPooler(createServer((socket) => void pooler.#serve(socket)));
    for (let n = 0; n < connections; n += 1) {
      const backend = new Client({ connectionString: url });
      backend.on("error", () => {});
      await backend.connect();
      const socket = (backend as unknown as { connection: { stream: Socket } }).connection.stream;
      socket.removeAllListeners("data");
      pooler.#backends.push(backend);
      pooler.#free.push(socket);
    }
    return await pooler.listen();
  }

  urlOf(database: string): string {
    return `postgres://anyone@127.0.0.1:${this.port}/${database}`;
  }

  async ask(text: string, database: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const backend of this.#backends) {
      (backend as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    }
  }

  async #serve(client: Socket): Promise<void> {
    let lent: Socket | null = null;
    let unanswered = 0;
    for await (const message of messagesOf(client, 0)) {
      if (message[0] === 0) {
        client.write(welcome);
        continue;
      }
      if (message[0] === terminate) return;
      if (message[0] === query || message[0] === sync) unanswered += 1;
      if (lent === null) {
        const backend = (lent = await this.#lend());
        void (async () => {
          for await (const answer of messagesOf(backend, 1)) {
            client.write(answer);
            if (answer[0] !== readyForQuery) continue;
            unanswered -= 1;
            if (unanswered > 0 || answer[5] !== idle) continue;
            lent = null;
            // The longest unused is lent next: never the same twice in a row.
            this.#free.push(backend);
            this.#waiting.shift()?.();
            return;
          }
        })();
      }
      lent.write(message);
    }
  }

  async #lend(): Promise<Socket> {
    while (this.#free.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#free.shift() as Socket;
  }
}
