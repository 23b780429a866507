// Stands in for a mail server: speaks real SMTP on a port of its own, keeps what it took as parsed messages, and refuses,
// breaks off, takes its time or falls silent where a test asks for it.
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";

/** A mail that was taken. */
export interface ReceivedMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
  readonly message: Email;
}

/** A reply that refuses: three digits and words. */
interface Refusal {
  readonly code: number;
  readonly words: string;
}

/**
 * How the mail server behaves until told otherwise. `close` breaks the connection, `hang` never replies; `closeTaken`
 * breaks it after the mail was kept, before the reply.
 */
export interface SmtpBehaviour {
  readonly sender?: Refusal;
  readonly recipients?: Readonly<Record<string, Refusal>>;
  readonly recipient?: "close" | "hang";
  readonly data?: Refusal | "close" | "hang" | "closeTaken";
  /** What the reply to a mail waits for, once the mail was kept; asked for each of them. */
  readonly slow?: () => Promise<unknown>;
}

export class SmtpStandIn implements AsyncDisposable {
  readonly received: ReceivedMail[] = [];
  /** Connections made so far. */
  connections = 0;
  /** How often it has asked for a mail. What it asked for may never come. */
  asked = 0;
  /** The names that clients gave in EHLO. */
  readonly names = new Set<string>();
  /** All that clients sent in clear text. */
  readonly inClear: Buffer[] = [];
  behaviour: SmtpBehaviour = {};
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  readonly #credentials: { readonly user: string; readonly password: string } | undefined;

  private constructor(credentials?: { user: string; password: string }, offersTls = false) {
    this.#credentials = credentials;
    this.#server = new SMTPServer({
      // Its own certificate is for localhost, and signed by itself.
      disabledCommands: [...(credentials ? [] : ["AUTH"]), ...(offersTls ? [] : ["STARTTLS"])],
      allowInsecureAuth: true,
      authOptional: !credentials,
      disableReverseLookup: true,
      closeTimeout: 100,
      onAuth: (auth, _session, done) => {
        const right = auth.username === credentials?.user && auth.password === credentials?.password;
        if (right) done(null, { user: auth.username });
        else done(refusal({ code: 535, words: `5.7.8 Wrong credentials of ${auth.username}` }));
      },
      onMailFrom: (_address, session, done) => {
        this.names.add(session.hostNameAppearsAs || "");
        done(this.behaviour.sender && refusal(this.behaviour.sender));
      },
      onRcptTo: ({ address }, _session, done) => this.#recipient(address, done),
      onData: (stream, session, done) => {
        const envelope = {
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : "",
          to: session.envelope.rcptTo.map(({ address }) => address),
        };
        void this.#data(stream, envelope, done);
      },
    });
    // Connections broken on purpose are reported as errors.
    this.#server.on("error", () => {});
    this.#server.server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on("data", (bytes: Buffer) => this.inClear.push(bytes));
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async open(credentials?: { user: string; password: string }, offersTls = false): Promise<SmtpStandIn> {
    const standIn = new SmtpStandIn(credentials, offersTls);
    await once(standIn.#server.listen(0, "127.0.0.1"), "listening");
    return standIn;
  }

  /** `smtp://[user:password@]127.0.0.1:port` */
  get url(): string {
    const { port } = this.#server.server.address() as AddressInfo;
    const login = this.#credentials ? `${this.#credentials.user}:${this.#credentials.password}@` : "";
    return `smtp://${login}127.0.0.1:${port}`;
  }

  /** Breaks all connections, as a server does with idle ones. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(resolve));
    this.dropConnections();
    await closed;
  }

  #recipient(address: string, done: (error?: Error | null) => void): void {
    if (this.behaviour.recipient === "hang") return;
    if (this.behaviour.recipient === "close") return this.dropConnections();
    const refused = this.behaviour.recipients?.[address];
    done(refused && refusal(refused));
  }

  async #data(
    stream: SMTPServerDataStream,
    envelope: ReceivedMail["envelope"],
    done: (error?: Error | null) => void,
  ): Promise<void> {
    this.asked += 1;
    const { data, slow } = this.behaviour;
    // Rejects when the client gave up in the middle of the mail.
    const raw = await buffer(stream).catch(() => null);
    if (raw === null) return;
    if (data === "hang") return;
    if (data === "close") return this.dropConnections();
    if (typeof data === "object") return done(refusal(data));
    this.received.push({ envelope, raw, message: await PostalMime.parse(raw) });
    if (data === "closeTaken") return this.dropConnections();
    await slow?.();
    done();
  }
}

const refusal = ({ code, words }: Refusal): Error => Object.assign(new Error(words), { responseCode: code });
