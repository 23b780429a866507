// A server of a test's own, on a free port of the loopback until it is disposed of. Stand-ins are made of it.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";

export class Listening implements AsyncDisposable {
  protected readonly server: Server;
  protected readonly sockets = new Set<Socket>();
  connections = 0;
  #port = 0;

  constructor(server: Server) {
    this.server = server.on("connection", (socket: Socket) => {
      this.connections += 1;
      // An answer in several pieces would wait for the other side's delayed acknowledgement, 40 ms.
      socket.setNoDelay(true);
      this.sockets.add(socket);
      // Broken on purpose.
      socket.on("error", () => {}).on("close", () => this.sockets.delete(socket));
    });
  }

  /** Listens at a free port, or again at the one that it had. */
  async listen(): Promise<this> {
    await once(this.server.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = (this.server.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  /** `http://127.0.0.1:PORT` */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Breaks all connections, as a server does with idle ones. */
  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends all connections and takes no more, unless it listens again. */
  async goAway(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, "close");
    this.server.close();
    this.dropConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
  }
}

/** @param what handles requests, or is a server already */
export const listening = (what: RequestListener | Server): Promise<Listening> =>
  new Listening(typeof what === "function" ? createServer(what) : what).listen();
