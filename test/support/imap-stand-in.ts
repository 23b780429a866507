// Stands in for an IMAP server: speaks the part of RFC 9051 and 3501 that readers of a mailbox use, over a real socket,
// and fails where a test asks for it.
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import tlsOptions from "smtp-server/lib/tls-options.js";
import { Listening } from "./listening.ts";

interface KeptMail {
  readonly uid: number;
  readonly raw: Buffer;
  readonly arrivedAt: Date;
}

const capabilities = "IMAP4rev1 IDLE AUTH=PLAIN AUTH=XOAUTH2 SASL-IR";

export class ImapStandIn extends Listening {
  mails: KeptMail[] = [];
  uidValidity = 1;
  nextUid = 1;
  /** All that was asked for, without tags. */
  readonly commands: string[] = [];
  password = "secret";
  /** The token that XOAUTH2 takes; null: none. */
  token: string | null = null;
  /** Breaks the connection in place of the answer to commands that match. */
  breaksAt: RegExp | null = null;
  /** What it answers to commands that match; nothing: it is silent. */
  instead: { readonly at: RegExp; readonly reply: string } | null = null;
  idles = true;
  readonly #idle = new Map<Socket, string>();
  /** Those that are to send their credentials next, with the command that they continue. */
  readonly #asked = new Map<Socket, string>();

  /** @param tls its certificate is for localhost, and signed by itself */
  static open({ tls = false } = {}): Promise<ImapStandIn> {
    const server = tls ? createTlsServer(tlsOptions({})) : createServer();
    const standIn = new ImapStandIn(server);
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => standIn.#serve(socket));
    return standIn.listen();
  }

  override get url(): string {
    return `imap://eve%40example.org:${this.password}@127.0.0.1:${this.port}/Answers`;
  }

  /** A mail comes in. */
  add(raw: string | Buffer, arrivedAt = new Date()): number {
    const uid = this.nextUid;
    this.nextUid += 1;
    this.mails.push({ uid, raw: Buffer.from(raw), arrivedAt });
    for (const socket of this.#idle.keys()) socket.write(`* ${this.mails.length} EXISTS\r\n`);
    return uid;
  }

  /** As a server does that was restored from a backup. */
  numberAnew(): void {
    this.uidValidity += 1;
    this.mails = this.mails.map((mail, at) => ({ ...mail, uid: at + 1 }));
    this.nextUid = this.mails.length + 1;
  }

  #serve(socket: Socket): void {
    let rest = "";
    socket.write(`* OK [CAPABILITY ${capabilities}] ready\r\n`);
    socket.on("close", () => this.#idle.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      const lines = (rest + bytes.toString("latin1")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#answer(socket, line);
    });
  }

  #answer(socket: Socket, line: string): void {
    const idleTag = this.#idle.get(socket);
    if (idleTag !== undefined) {
      this.#idle.delete(socket);
      return void socket.write(`${idleTag} OK done\r\n`);
    }
    const asked = this.#asked.get(socket);
    this.#asked.delete(socket);
    const [, tag = "", command = ""] = /^(\S+) (.*)$/.exec(asked === undefined ? line : `${asked} ${line}`) ?? [];
    this.commands.push(command.replace(/(AUTHENTICATE \S+|LOGIN).*/, "$1"));
    if (this.breaksAt?.test(command)) return void socket.destroy();
    const [reply, ...untagged] = this.#reply(socket, tag, command).toReversed();
    for (const each of untagged.toReversed()) socket.write(`* ${each}\r\n`, "latin1");
    if (reply !== undefined && reply !== "") socket.write(`${reply.startsWith("+") ? "" : `${tag} `}${reply}\r\n`);
  }

  /** Untagged answers, and the last one. */
  #reply(socket: Socket, tag: string, command: string): string[] {
    if (this.instead?.at.test(command)) return [this.instead.reply];
    const [name = "", ...words] = command.split(" ");
    const last = this.mails.length;
    switch (name.toUpperCase()) {
      case "CAPABILITY":
        return [`CAPABILITY ${capabilities}`, "OK done"];
      case "AUTHENTICATE":
        if (words.length === 1) {
          this.#asked.set(socket, `${tag} ${command}`);
          return ["+ "];
        }
        return [this.#isRight(words) ? "OK signed in" : "NO [AUTHENTICATIONFAILED] wrong"];
      case "LIST":
      case "LSUB":
        if (command.endsWith('""')) return [`${name} (\\Noselect) "/" ""`, "OK done"];
        return [`${name} (\\HasNoChildren) "/" "Answers"`, "OK done"];
      case "SELECT":
      case "EXAMINE":
        if (!/Answers/.test(words.join(" "))) return ["NO [NONEXISTENT] no such mailbox"];
        return [
          "FLAGS (\\Seen \\Deleted)",
          `${last} EXISTS`,
          "0 RECENT",
          `OK [UIDVALIDITY ${this.uidValidity}] valid`,
          `OK [UIDNEXT ${this.nextUid}] next`,
          `OK [READ-${name === "SELECT" ? "WRITE" : "ONLY"}] opened`,
        ];
      case "IDLE":
        if (!this.idles) return ["BAD unknown"];
        this.#idle.set(socket, tag);
        return ["+ idling"];
      case "UID":
        return words[0]?.toUpperCase() === "SEARCH" ? this.#search(words.slice(1)) : this.#fetch(words.slice(1));
      case "NOOP":
        return [`${last} EXISTS`, "OK done"];
      case "LOGOUT":
        return ["BYE", "OK done"];
      default:
        return ["BAD unknown"];
    }
  }

  #isRight([method, encoded = ""]: readonly string[]): boolean {
    const given = Buffer.from(encoded, "base64").toString();
    if (method === "PLAIN") return given === `\0eve@example.org\0${this.password}`;
    return this.token !== null && given === `user=eve@example.org\u0001auth=Bearer ${this.token}\u0001\u0001`;
  }

  #search(words: readonly string[]): string[] {
    const [kind = "", value = ""] = words.filter((word) => word.toUpperCase() !== "ALL");
    const since = Date.parse(`${value.replaceAll('"', "")} UTC`);
    const found =
      kind.toUpperCase() === "UID" ? this.#between(value) : this.mails.filter((mail) => +mail.arrivedAt >= since);
    return [`SEARCH ${found.map(({ uid }) => uid).join(" ")}`, "OK done"];
  }

  /** `4:*` holds the last mail even where its number is smaller. */
  #between(range: string): KeptMail[] {
    const [from = "", to = from] = range.split(":");
    const lastUid = this.mails.at(-1)?.uid ?? 0;
    const ends = [from, to].map((end) => (end === "*" ? lastUid : Number(end)));
    return this.mails.filter(({ uid }) => uid >= Math.min(...ends) && uid <= Math.max(...ends));
  }

  #fetch(words: readonly string[]): string[] {
    const items = words.slice(1).join(" ");
    const answers = this.#between(words[0] ?? "").map((mail) => {
      const parts = [`UID ${mail.uid}`];
      if (/RFC822\.SIZE/.test(items)) parts.push(`RFC822.SIZE ${mail.raw.length}`);
      const [, , date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(mail.arrivedAt.toUTCString()) ?? [];
      if (/INTERNALDATE/.test(items)) parts.push(`INTERNALDATE "${date}-${month}-${year} ${time} +0000"`);
      const [, length] = /BODY\.PEEK\[\](?:<0\.(\d+)>)?/.exec(items) ?? [];
      if (items.includes("BODY.PEEK[]")) {
        const raw = mail.raw.subarray(0, Number(length ?? mail.raw.length));
        parts.push(`BODY[]${length === undefined ? "" : "<0>"} {${raw.length}}\r\n${raw.toString("latin1")}`);
      }
      return `${this.mails.indexOf(mail) + 1} FETCH (${parts.join(" ")})`;
    });
    return [...answers, "OK done"];
  }
}
