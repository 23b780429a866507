// Counts what is open: connections, unanswered requests and uploads, in all and for each client. What goes too far is cut
// before anything is routed, because Node runs every request that arrives in one piece.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import type { ClientAddresses } from "./client-address.ts";

interface Share {
  readonly key: string;
  connections: number;
  requests: number;
  /** Requests that arrived in this turn of the event loop. */
  inTurn: number;
  /** Requests that begin in later turns, in the order of coming. */
  readonly line: (() => void)[];
  uploads: number;
}

interface Connection {
  /** Null: a proxy, which carries many clients. */
  readonly share: Share | null;
  /** The answers to come, in their order. Only the request of the last one can be unfinished. */
  readonly answers: ServerResponse[];
  /** Whether one of its answers is the last: requests behind it are not taken (RFC 9112 9.6). */
  isEnding: boolean;
  /** Requests that were not taken for this reason. */
  behind: number;
}

export class Traffic {
  readonly #limits: HttpLimits;
  readonly #addresses: ClientAddresses;
  readonly #shares = new Map<string, Share>();
  readonly #connections = new Map<Socket, Connection>();
  #uploads = 0;
  readonly #uploadsChanged: (uploads: number) => void;
  /** Requests that wait for their answers. */
  requests = 0;
  /** Those of them that have not begun. */
  #inLine = 0;

  /** @param uploadsChanged called with the number of uploads whenever it changes */
  constructor(limits: HttpLimits, addresses: ClientAddresses, uploadsChanged: (uploads: number) => void) {
    this.#limits = limits;
    this.#addresses = addresses;
    this.#uploadsChanged = uploadsChanged;
  }

  /** Of each connection with unanswered requests, the answer to the last of them. Only its request can be unfinished. */
  lastAnswers(): readonly ServerResponse[] {
    return [...this.#connections.values()].flatMap(({ answers }) => answers.at(-1) ?? []);
  }

  answersOn(socket: Socket): readonly ServerResponse[] {
    return this.#connections.get(socket)?.answers ?? [];
  }

  /** Ends the connection of an answer with it. Call this before its head is written. */
  endWith(response: ServerResponse): void {
    response.setHeader("connection", "close");
    this.end(response.req.socket);
  }

  /** Takes no more requests on a connection. False: it was ended before. */
  end(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.isEnding) return false;
    connection.isEnding = true;
    return true;
  }

  watch(server: Server): void {
    server.maxConnections = this.#limits.connectionsMax;
    server.on("connection", (socket: Socket) => this.#connect(socket));
  }

  // Counts a request and begins it, in a later turn of the loop where its client sent many. It is not taken when its connection
  // is ending, or is closed with all that came at once: no answer can be sent on it, too many requests wait for theirs, or its
  // client sent too many in this turn.
  enter(request: IncomingMessage, response: ServerResponse, begin: RequestListener): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    const isLost = connection === undefined || !socket.writable;
    const { requestsPerConnectionMax } = this.#limits;
    const isFull = !isLost && connection.answers.length + connection.behind >= requestsPerConnectionMax;
    if (isLost || isFull || this.#isFlood(connection.share)) {
      socket.destroy();
      // With the connection, Node would abort each request with an error and its stack: most of the work of a flood.
      request.destroy();
      return;
    }
    if (connection.isEnding) {
      connection.behind += 1;
      return;
    }
    connection.answers.push(response);
    this.requests += 1;
    response.on("close", () => this.#leave(connection, response));
    const { share } = connection;
    if (share === null) return begin(request, response);
    share.requests += 1;
    if (share.line.length === 0 && share.inTurn <= this.#limits.requestsPerClientBegunMax) {
      return begin(request, response);
    }
    this.#inLine += 1;
    // By then the connection may be gone, or end with an answer before this one.
    share.line.push(() => {
      if (socket.writable && !endsBefore(response, connection)) begin(request, response);
    });
    if (share.line.length === 1) setImmediate(() => this.#beginSome(share));
  }

  // Requests of other clients that have come meanwhile are read between two turns.
  #beginSome(share: Share): void {
    const next = share.line.splice(0, this.#limits.requestsPerClientBegunMax);
    this.#inLine -= next.length;
    for (const begin of next) begin();
    if (share.line.length > 0) setImmediate(() => this.#beginSome(share));
  }

  /** Whether a request that begins is one too many, in all or for its client, whose line must not count for the others. */
  isTooMuch(request: IncomingMessage): boolean {
    const ofClient = this.#connections.get(request.socket)?.share?.requests ?? 0;
    return this.requests - this.#inLine > this.#limits.requestsMax || ofClient > this.#limits.requestsPerClientMax;
  }

  /** Takes a slot for an upload, until its answer ends. False: there is none left, in all or for its client. */
  takeUpload(request: IncomingMessage, response: ServerResponse): boolean {
    const { uploadsMax, uploadsPerClientMax } = this.#limits;
    const share = this.#shareOf(this.#addresses.keysOf(request).share);
    const isFree = this.#uploads < uploadsMax && share.uploads < uploadsPerClientMax;
    if (isFree) {
      this.#countUpload(share, 1);
      response.once("close", () => this.#countUpload(share, -1));
    } else this.#forgetIfEmpty(share);
    return isFree;
  }

  #countUpload(share: Share, change: 1 | -1): void {
    share.uploads += change;
    this.#uploads += change;
    this.#uploadsChanged(this.#uploads);
    this.#forgetIfEmpty(share);
  }

  // Routes that answer at once never count as unanswered, but all that arrive in one turn hold the loop until the last is.
  #isFlood(share: Share | null): boolean {
    if (share === null) return false;
    if (share.inTurn === 0) setImmediate(() => (share.inTurn = 0));
    share.inTurn += 1;
    return share.inTurn > this.#limits.requestsPerClientTurnMax;
  }

  #connect(socket: Socket): void {
    const keys = this.#addresses.keysOfPeer(socket);
    const share = keys && this.#shareOf(keys.share);
    if (share !== null && share.connections >= this.#limits.connectionsPerClientMax) {
      socket.destroy();
      return;
    }
    this.#connections.set(socket, { share, answers: [], isEnding: false, behind: 0 });
    if (share !== null) share.connections += 1;
    socket.once("close", () => {
      this.#connections.delete(socket);
      if (share === null) return;
      share.connections -= 1;
      this.#forgetIfEmpty(share);
    });
  }

  #leave(connection: Connection, response: ServerResponse): void {
    this.requests -= 1;
    connection.answers.splice(connection.answers.indexOf(response), 1);
    if (connection.share !== null) {
      connection.share.requests -= 1;
      this.#forgetIfEmpty(connection.share);
    }
  }

  #shareOf(key: string): Share {
    return this.#shares.getOrInsertComputed(key, () => ({
      key,
      connections: 0,
      requests: 0,
      inTurn: 0,
      line: [],
      uploads: 0,
    }));
  }

  #forgetIfEmpty(share: Share): void {
    if (share.connections + share.requests + share.uploads === 0) this.#shares.delete(share.key);
  }
}

const endsBefore = (response: ServerResponse, { answers }: Connection): boolean =>
  answers.slice(0, answers.indexOf(response)).some((earlier) => earlier.getHeader("connection") === "close");
