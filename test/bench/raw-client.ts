// A load generator that costs next to nothing: bytes over raw keep-alive sockets, answers measured by their
// Content-Length. A full HTTP client would need more CPU than the server that it measures.
import { connect } from "node:net";

/** A request as it goes over the wire. */
export function wire(url: string, path: string, contentType: string, body: Buffer): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

export interface Load {
  readonly url: string;
  /** Makes the next request. */
  readonly request: () => Buffer;
  readonly clients: number;
  /** How long, in milliseconds. */
  readonly ms: number;
}

/** Sends the request over and over from every client; answers the number of answers. All must be 200. */
export async function load({ url, request, clients, ms }: Load): Promise<number> {
  const end = performance.now() + ms;
  const { hostname, port } = new URL(url);
  const counts = await Promise.all(
    Array.from(
      { length: clients },
      () =>
        new Promise<number>((resolve, reject) => {
          let done = 0;
          let answer = "";
          const socket = connect(Number(port), hostname, () => socket.write(request()));
          socket.setNoDelay(true);
          socket.on("error", reject);
          socket.on("data", (chunk) => {
            answer += chunk.toString("latin1");
            const head = answer.indexOf("\r\n\r\n");
            if (head < 0) return;
            const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
            if (answer.length < head + 4 + length) return;
            if (!answer.startsWith("HTTP/1.1 200")) return reject(new Error(answer));
            answer = "";
            done += 1;
            if (performance.now() < end) return void socket.write(request());
            socket.destroy();
            resolve(done);
          });
        }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
