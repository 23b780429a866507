// Stands between a store and its PostgreSQL server and cuts the wire where a test asks it to: at the moment of a COMMIT.
// Knows of the protocol only how a COMMIT looks; the store sends one as a message of its own.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What becomes of a COMMIT. */
export type CommitMishap =
  /** The connection breaks before the server hears of it. */
  | "lost"
  /** The server has committed, and the connection breaks before that comes back. */
  | "answer lost"
  /** The server hears nothing, and nor does the store: no connection breaks. */
  | "silence";

const begin = Buffer.from("BEGIN ");
const commit = Buffer.from("COMMIT\0");

export class CutWire implements AsyncDisposable {
  /** COMMITs that came by. */
  commits = 0;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #mishaps: CommitMishap[] = [];
  #down = false;

  private constructor(server: Server, target: string) {
    this.#server = server;
    this.#target = new URL(target);
  }

  /** @param target the address of a database */
  static async open(target: string): Promise<CutWire> {
    const server = createServer();
    const wire = new CutWire(server, target);
    server.on("connection", (socket) => wire.#join(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return wire;
  }

  /** The address of the same database, through the wire. */
  get url(): string {
    const url = new URL(this.#target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** What becomes of the next COMMITs, one after the other. */
  next(...mishaps: readonly CommitMishap[]): void {
    this.#mishaps.push(...mishaps);
  }

  /** Mishaps happen only to transactions that said this; empty: to any. */
  only = "";

  /** With the next mishap all connections break, and no more are let through. */
  breakForGood = false;

  /** Lets connections through again. */
  mend(): void {
    this.breakForGood = false;
    this.#down = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #breakAllBut(...spared: readonly Socket[]): void {
    this.#down = true;
    for (const socket of this.#sockets) if (!spared.includes(socket)) socket.destroy();
  }

  #join(client: Socket): void {
    if (this.#down) return void client.resetAndDestroy();
    const server = connect(Number(this.#target.port), this.#target.hostname);
    let mishap: CommitMishap | undefined;
    let concerned = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      // A broken wire is what this is about.
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        if (mishap !== "silence") other.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => {
      concerned = bytes.includes(this.only) || (concerned && !bytes.includes(begin));
      if (bytes.includes(commit)) {
        this.commits += 1;
        if (concerned) mishap = this.#mishaps.shift();
        if (mishap !== undefined && this.breakForGood) this.#breakAllBut(client, server);
      }
      if (mishap === "lost") client.resetAndDestroy();
      else if (mishap !== "silence") server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (mishap === undefined) client.write(bytes);
      else if (mishap === "answer lost") client.resetAndDestroy();
    });
  }
}
