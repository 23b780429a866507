// Stands between a store and its PostgreSQL server and cuts the wire where a test asks it to: at a COMMIT.
import { connect, createServer, type Socket } from "node:net";
import { Listening } from "./listening.ts";
import { messagesOf } from "./postgres-messages.ts";

export type CommitMishap =
  /** The connection breaks before the server gets it. */
  | "lost"
  /** The server has committed, and the connection breaks before the answer comes back. */
  | "answer lost"
  /** Neither the server nor the store gets anything any more, and the connection stays open. */
  | "silence";

const begin = Buffer.from("BEGIN ");
const commit = Buffer.from("COMMIT\0");

export class CutWire extends Listening {
  /** COMMITs that came by, of transactions that mishaps may happen to. */
  commits = 0;
  readonly #target: URL;
  readonly #mishaps: CommitMishap[] = [];
  #down = false;

  private constructor(target: string) {
    super(createServer((socket) => this.#join(socket)));
    this.#target = new URL(target);
  }

  static open(target: string): Promise<CutWire> {
    return new CutWire(target).listen();
  }

  override get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.port);
    return url.href;
  }

  next(...mishaps: readonly CommitMishap[]): void {
    this.#mishaps.push(...mishaps);
  }

  /** Mishaps happen only to transactions in which these words were sent, the name of their first statement for example. */
  only = "";

  /** No answer of the server comes back before the COMMIT was sent: a client that waits for one waits without end. */
  holdsAnswers = false;

  /** With the next mishap all connections break, and no more are let through. */
  breakForGood = false;

  mend(): void {
    this.breakForGood = false;
    this.#down = false;
  }

  #breakAllBut(...spared: readonly Socket[]): void {
    this.#down = true;
    for (const socket of this.sockets) if (!spared.includes(socket)) socket.destroy();
  }

  #join(client: Socket): void {
    if (this.#down) return void client.resetAndDestroy();
    const server = connect(Number(this.#target.port), this.#target.hostname);
    let mishap: CommitMishap | undefined;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.sockets.delete(socket);
        if (mishap !== "silence") other.destroy();
      });
    }
    // Answers that come before the COMMIT; null: none are held.
    let early: Buffer[] | null = null;
    server.on("data", (bytes: Buffer) => {
      if (mishap === undefined && early !== null) early.push(bytes);
      else if (mishap === undefined) client.write(bytes);
      else if (mishap === "answer lost" && bytes.includes(commit)) client.resetAndDestroy();
    });
    let concerned = false;
    // A BEGIN waits for the next message, which tells whether a mishap concerns the transaction.
    let held: Buffer[] = [];
    const pass = (message: Buffer) => {
      held.push(message);
      if (message.includes(begin)) {
        concerned = false;
        if (this.holdsAnswers) early = [];
        return;
      }
      concerned ||= message.includes(this.only);
      const ends = message.includes(commit);
      const bytes = Buffer.concat(held);
      held = [];
      if (concerned && ends) {
        this.commits += 1;
        mishap = this.#mishaps.shift();
        if (mishap !== undefined && this.breakForGood) this.#breakAllBut(client, server);
      }
      if (mishap === "lost") client.resetAndDestroy();
      if (mishap === undefined || mishap === "answer lost") server.write(bytes);
      if (ends && early !== null) {
        client.write(Buffer.concat(early));
        early = null;
      }
    };
    void (async () => {
      for await (const message of messagesOf(client, 0)) if (mishap === undefined) pass(message);
    })();
  }
}
