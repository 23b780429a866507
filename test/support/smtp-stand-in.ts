// Stands in for a mail server: speaks real SMTP, keeps what it took, and fails where a test asks for it.
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import { Listening } from "./listening.ts";

export interface ReceivedMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
  readonly message: Email;
}

/** A reply that refuses: three digits and words. Other words in place of the digits are no SMTP. */
interface Refusal {
  readonly code: number | string;
  readonly words: string;
}

/** `close` breaks the connection, `hang` never replies, `closeTaken` breaks the connection once the mail was kept. */
export interface SmtpBehaviour {
  readonly sender?: Refusal;
  readonly recipients?: Readonly<Record<string, Refusal>>;
  readonly recipient?: "close" | "hang";
  readonly data?: Refusal | "close" | "hang" | "closeTaken";
  /** What the reply to a mail waits for, once the mail was kept; asked for each of them. */
  readonly slow?: () => Promise<unknown>;
}

export class SmtpStandIn extends Listening {
  readonly received: ReceivedMail[] = [];
  /** How often it has asked for a mail. What it asked for may never come. */
  asked = 0;
  readonly names = new Set<string>();
  readonly inClear: Buffer[] = [];
  behaviour: SmtpBehaviour = {};
  #login = "";

  /** @param credentials with a token, it takes that alone (XOAUTH2) */
  static open(
    credentials?: { user: string; password: string; token?: never } | { user: string; token: () => string },
    offersTls = false,
  ): Promise<SmtpStandIn> {
    const smtp = new SMTPServer({
      // Its own certificate is for localhost, and signed by itself.
      disabledCommands: [...(credentials ? [] : ["AUTH"]), ...(offersTls ? [] : ["STARTTLS"])],
      allowInsecureAuth: true,
      ...(credentials?.token && { authMethods: ["XOAUTH2"] }),
      authOptional: !credentials,
      disableReverseLookup: true,
      onAuth: (auth, _session, done) => {
        const given = credentials?.token
          ? auth.accessToken === credentials.token()
          : auth.password === credentials?.password;
        const right = auth.username === credentials?.user && given;
        if (right) done(null, { user: auth.username });
        else done(refusal({ code: 535, words: `5.7.8 Wrong credentials of ${auth.username}` }));
      },
      onMailFrom: (_address, session, done) => {
        standIn.names.add(session.hostNameAppearsAs || "");
        done(standIn.behaviour.sender && refusal(standIn.behaviour.sender));
      },
      onRcptTo: ({ address }, _session, done) => standIn.#recipient(address, done),
      onData: (stream, session, done) => {
        const envelope = {
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : "",
          to: session.envelope.rcptTo.map(({ address }) => address),
        };
        void standIn.#data(stream, envelope, done);
      },
    });
    // Connections broken on purpose are reported as errors.
    smtp.on("error", () => {});
    const standIn = new SmtpStandIn(smtp.server);
    if (credentials && !credentials.token) standIn.#login = `${credentials.user}:${credentials.password}@`;
    smtp.server.on("connection", (socket: Socket) => socket.on("data", (bytes: Buffer) => standIn.inClear.push(bytes)));
    return standIn.listen();
  }

  /** `smtp://[user:password@]127.0.0.1:port` */
  override get url(): string {
    return `smtp://${this.#login}127.0.0.1:${this.port}`;
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
