// Stands before an S3 store and puts its clock forward: the time of its answers, and in listings the age of objects from
// when they were put. Everything else passes through untouched, Host header included, which is part of what is signed.
import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Listening } from "../support/listening.ts";

export class LaterS3 extends Listening {
  ahead: () => number = () => 0;
  /** How far it was when an object was put, by its name in the bucket. */
  readonly #aheadAtPut = new Map<string, number>();

  static open(target: string): Promise<LaterS3> {
    const later = new LaterS3(createServer());
    later.server.on("request", (incoming, response) => later.#forward(new URL(target), incoming, response));
    // The store says whether a body may come.
    later.server.on("checkContinue", (incoming, response) => later.server.emit("request", incoming, response));
    return later.listen();
  }

  #forward({ hostname, port }: URL, incoming: IncomingMessage, response: ServerResponse): void {
    const { method = "", url: path = "", headers } = incoming;
    const outgoing = requestOf({ hostname, port, method, path, headers }, (answer) => {
      const date = new Date(Date.parse(answer.headers.date ?? "") + this.ahead()).toUTCString();
      if (method === "PUT") this.#aheadAtPut.set(path.replace(/^\/[^/]+\/|\?.*$/g, ""), this.ahead());
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
      if (path.includes("list-type=2")) this.#endLater(answer, response);
      else answer.pipe(response);
    });
    outgoing.on("continue", () => response.writeContinue());
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  }

  #endLater(answer: IncomingMessage, response: ServerResponse): void {
    text(answer).then(
      (listing) => response.end(this.#later(listing)),
      () => response.destroy(),
    );
  }

  // As long as before, so that the length of the answer stays right.
  #later(listing: string): string {
    return listing.replace(
      /<Key>([^<]*)<\/Key><LastModified>([^<]*)</g,
      (_whole, key: string, modified: string) =>
        `<Key>${key}</Key><LastModified>${new Date(Date.parse(modified) + (this.#aheadAtPut.get(key) ?? 0)).toISOString()}<`,
    );
  }
}
