// Stands in for a DNS server (RFC 1035): answers questions for TXT and MX over UDP.
import { createSocket } from "node:dgram";
import { once } from "node:events";

interface Zone {
  readonly txt?: readonly string[];
  readonly mx?: readonly (readonly [priority: number, host: string])[];
}

const types = { txt: 16, mx: 15 } as const;

export class DnsStandIn implements AsyncDisposable {
  readonly #socket = createSocket("udp4");
  zones: Readonly<Record<string, Zone>> = {};

  static async open(): Promise<DnsStandIn> {
    const standIn = new DnsStandIn();
    const socket = standIn.#socket;
    socket.on("message", (query, from) => socket.send(standIn.#answer(query), from.port, from.address));
    await once(socket.bind(0, "127.0.0.1"), "listening");
    return standIn;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  #answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = query.readUInt16BE(at + 1);
    const zone = this.zones[labels.join(".").toLowerCase()];
    const records =
      type === types.txt ? (zone?.txt ?? []).map(textOf) : type === types.mx ? (zone?.mx ?? []).map(mxOf) : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // An answer with recursion; 3: no such name.
    head.writeUInt16BE(0x8180 | (zone === undefined ? 3 : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.flatMap((data) => {
      const fixed = Buffer.alloc(12);
      // The name of the question.
      fixed.writeUInt16BE(0xc00c, 0);
      fixed.writeUInt16BE(type, 2);
      fixed.writeUInt16BE(1, 4);
      fixed.writeUInt16BE(data.length, 10);
      return [fixed, data];
    });
    return Buffer.concat([head, query.subarray(12, at + 5), ...answers]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }
}

/** In strings of at most 255 bytes. */
const textOf = (text: string): Buffer =>
  Buffer.concat((text.match(/.{1,255}/gs) ?? [""]).flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)]));

const mxOf = ([priority, host]: readonly [number, string]): Buffer =>
  Buffer.concat([
    Buffer.from([0, priority]),
    ...(host === "" ? [] : host.split(".").flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
