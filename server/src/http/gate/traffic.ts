// Counts what is open: connections, unanswered requests and uploads, in all and for each client. It knows nothing of
// Fastify: connections and requests that go too far are cut before anything is routed, because Node runs every request
// that arrives in one piece.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import type { ClientAddresses } from "./client-address.ts";

/** What one client has open. */
interface Share {
  readonly key: string;
  connections: number;
  requests: number;
  /** Requests that arrived in this turn of the event loop. */
  inTurn: number;
  uploads: number;
}

const newShare = (key: string): Share => ({ key, connections: 0, requests: 0, inTurn: 0, uploads: 0 });

interface Connection {
  /** Null: a proxy, which carries many clients. */
  readonly share: Share | null;
  unanswered: number;
  /** The answer to the request that came last; null when all are answered. */
  last: ServerResponse | null;
}

const connectionOf = Symbol("connection");
type Counted = Socket & { [connectionOf]?: Connection };

export class Traffic {
  readonly #limits: HttpLimits;
  readonly #addresses: ClientAddresses;
  readonly #shares = new Map<string, Share>();
  readonly #connections = new Set<Connection>();
  readonly #uploads = new Map<ServerResponse, Share>();
  // One function for all answers: 'close' comes after every end of one, also when the client went away.
  readonly #onClose: (this: ServerResponse) => void;
  readonly #uploadsChanged: (uploads: number) => void;
  /** Requests that wait for their answers. */
  requests = 0;

  /** @param uploadsChanged told how many uploads there are now */
  constructor(limits: HttpLimits, addresses: ClientAddresses, uploadsChanged: (uploads: number) => void) {
    this.#limits = limits;
    this.#addresses = addresses;
    this.#uploadsChanged = uploadsChanged;
    const leave = (response: ServerResponse) => this.#leave(response);
    this.#onClose = function onClose() {
      leave(this);
    };
  }

  /** Of each connection with unanswered requests, the answer to the last of them. Only its request can be unfinished. */
  *lastAnswers(): Iterable<ServerResponse> {
    for (const { last } of this.#connections) if (last !== null) yield last;
  }

  /** The answer to the last request on a connection; null when all are answered. */
  lastAnswerOn(socket: Socket): ServerResponse | null {
    return (socket as Counted)[connectionOf]?.last ?? null;
  }

  /** Counts the connections of a server, and closes those beyond the limits. */
  watch(server: Server): void {
    server.maxConnections = this.#limits.connectionsMax;
    server.on("connection", (socket: Counted) => this.#connect(socket));
  }

  /**
   * Counts a request. False: its connection has sent too many ahead of their answers, or its client too many at once, and
   * it is cut, and so is everything that arrived with it; or its connection was ended, so that no answer can be sent; or a
   * request before it ends the connection with its answer.
   */
  enter(request: IncomingMessage, response: ServerResponse): boolean {
    const socket: Counted = request.socket;
    const connection = socket[connectionOf];
    const isCut = connection === undefined || !socket.writable;
    if (isCut || connection.unanswered >= this.#limits.requestsPerConnectionMax || this.#isFlood(connection.share)) {
      socket.destroy();
      // With the connection, Node would abort each request with an error and its stack: most of the work of a flood.
      request.destroy();
      return false;
    }
    connection.unanswered += 1;
    // Behind the last answer of a connection no request is processed (RFC 9112 9.6): its answer could not be sent.
    if (connection.last?.shouldKeepAlive === false) return false;
    connection.last = response;
    this.requests += 1;
    if (connection.share !== null) connection.share.requests += 1;
    response.on("close", this.#onClose);
    return true;
  }

  /** Whether a request that was counted is one too many, in all or for its client. */
  isTooMuch(request: IncomingMessage): boolean {
    const ofClient = (request.socket as Counted)[connectionOf]?.share?.requests ?? 0;
    return this.requests > this.#limits.requestsMax || ofClient > this.#limits.requestsPerClientMax;
  }

  /** Takes a slot for an upload, until its answer ends. False: there is none left, in all or for its client. */
  takeUpload(request: IncomingMessage, response: ServerResponse): boolean {
    const { uploadsMax, uploadsPerClientMax } = this.#limits;
    const share = this.#shareOf(this.#addresses.keysOf(request).share);
    const isFree = this.#uploads.size < uploadsMax && share.uploads < uploadsPerClientMax;
    if (isFree) {
      share.uploads += 1;
      this.#uploads.set(response, share);
      this.#uploadsChanged(this.#uploads.size);
    }
    this.#forgetIfEmpty(share);
    return isFree;
  }

  // Pages and documents are answered as they are asked for, so that they are never under way. What arrives on all connections
  // of a client in one turn would hold the event loop until the last of it is answered.
  #isFlood(share: Share | null): boolean {
    if (share === null) return false;
    if (share.inTurn === 0) setImmediate(() => (share.inTurn = 0));
    share.inTurn += 1;
    return share.inTurn > this.#limits.requestsPerClientTurnMax;
  }

  #connect(socket: Counted): void {
    const keys = this.#addresses.keysOfPeer(socket);
    const share = keys && this.#shareOf(keys.share);
    if (share !== null && share.connections >= this.#limits.connectionsPerClientMax) {
      socket.destroy();
      return;
    }
    const connection = { share, unanswered: 0, last: null };
    socket[connectionOf] = connection;
    this.#connections.add(connection);
    if (share !== null) share.connections += 1;
    socket.once("close", () => {
      this.#connections.delete(connection);
      if (share === null) return;
      share.connections -= 1;
      this.#forgetIfEmpty(share);
    });
  }

  #leave(response: ServerResponse): void {
    const connection = (response.req.socket as Counted)[connectionOf];
    if (connection !== undefined) {
      this.requests -= 1;
      connection.unanswered -= 1;
      if (connection.unanswered === 0) connection.last = null;
      if (connection.share !== null) {
        connection.share.requests -= 1;
        this.#forgetIfEmpty(connection.share);
      }
    }
    const uploader = this.#uploads.get(response);
    if (uploader === undefined) return;
    this.#uploads.delete(response);
    this.#uploadsChanged(this.#uploads.size);
    uploader.uploads -= 1;
    this.#forgetIfEmpty(uploader);
  }

  #shareOf(key: string): Share {
    return this.#shares.getOrInsertComputed(key, newShare);
  }

  #forgetIfEmpty(share: Share): void {
    if (share.connections + share.requests + share.uploads === 0) this.#shares.delete(share.key);
  }
}
