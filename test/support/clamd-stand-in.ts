// Speaks clamd's INSTREAM and PING on a loopback port. Finds what holds the word EICAR; a test can have it give other answers.
import { createServer, type Socket } from "node:net";
import { Listening } from "./listening.ts";

export class ClamdStandIn extends Listening {
  readonly scanned: Buffer[] = [];
  /** Answers given before real ones; `hang up` closes the connection without one. */
  readonly excuses: string[] = [];
  /** Whether it takes connections and hangs up on each. */
  isBroken = false;
  /** Every verdict waits for it. */
  gate: Promise<void> = Promise.resolve();

  static open(): Promise<ClamdStandIn> {
    const standIn = new ClamdStandIn(createServer((socket) => standIn.#serve(socket)));
    return standIn.listen();
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  #serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    // A client may lose patience.
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      if (this.isBroken) socket.destroy();
      else if (received.equals(ping)) socket.end("PONG\0");
      if (this.isBroken || received.equals(ping)) return;
      const bytes = streamOf(received);
      if (bytes === undefined) return;
      const excuse = this.excuses.shift();
      if (excuse === "say nothing") return;
      if (excuse === "hang up") {
        socket.destroy();
        return;
      }
      this.scanned.push(bytes);
      const verdict = bytes.includes("EICAR") ? "stream: Eicar-Test-Signature FOUND" : "stream: OK";
      void this.gate.then(() => socket.end(`${excuse ?? verdict}\0`));
    });
  }
}

const ping = Buffer.from("zPING\0");
const command = Buffer.from("zINSTREAM\0");

/** The bytes of a stream that is complete. */
function streamOf(received: Buffer): Buffer | undefined {
  if (received.length < command.length) return undefined;
  if (!received.subarray(0, command.length).equals(command)) throw new Error("Not INSTREAM.");
  const chunks: Buffer[] = [];
  for (let at = command.length; at + 4 <= received.length;) {
    const length = received.readUInt32BE(at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}
