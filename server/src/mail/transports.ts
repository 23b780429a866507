// The transports of mails: what each needs of the settings, and how it is opened. Only the chosen one is loaded.
import { join } from "node:path";
import type { OAuthSettings } from "../oauth-tokens.ts";
import type { Mailer, Sender } from "./mailer.ts";
import type { PostmarkSettings } from "./providers/postmark-call.ts";
import type { MessageKey } from "../storage/store.ts";

interface Values {
  readonly DATA_DIR: string;
  readonly POSTMARK_SERVER_TOKEN: string | null;
  readonly POSTMARK_API_URL: string | null;
  readonly SMTP_URL: string | null;
  readonly SMTP_OAUTH: OAuthSettings | null;
}

/** The sender in the envelope of a mail. */
export type ReturnPath = (mailId: string) => string;

interface Transport<Settings> {
  /** The setting that holds its credentials. Null: it needs none, because it keeps mails on this machine and sends none. */
  readonly credentials: keyof Values | null;
  readonly reportsBounces: boolean;
  // How long closing the service takes at most. With the notice before it (main.ts), a process ends within 10 s of its
  // signal; over SMTP, whose server cannot be asked whether it took a mail, within 27 s.
  readonly closeMsMax: number;
  /** @param values its credentials among them are set: load.ts saw to it */
  settingsOf(values: Values): Settings;
  /**
   * Makes no connection; only the mailbox creates its folder, and rejects when it cannot.
   * @param key see `messageId`
   * @param returnPath where reports of a mail come to; null: to the sender. Providers that report bounces need none
   */
  open(settings: Settings, from: Sender, key: MessageKey, returnPath: ReturnPath | null): Promise<Mailer>;
  /** Erases mails to an address that lie on this machine. Absent: none do. */
  erase?(settings: Settings, email: string): Promise<void>;
}

const row = <Settings>(of: Transport<Settings>): Transport<Settings> => of;

export const transports = {
  /** `.eml` files in a folder of this machine. */
  mailbox: row<{ readonly folder: string }>({
    credentials: null,
    reportsBounces: false,
    closeMsMax: 8_000,
    settingsOf: ({ DATA_DIR }) => ({ folder: join(DATA_DIR, "mailbox") }),
    open: async ({ folder }, from, key) =>
      (await import("./providers/mailbox.ts")).openMailboxMailer(folder, from, key),
    erase: async ({ folder }, email) => (await import("./providers/mailbox.ts")).eraseFromMailbox(folder, email),
  }),
  postmark: row<PostmarkSettings>({
    credentials: "POSTMARK_SERVER_TOKEN",
    reportsBounces: true,
    closeMsMax: 8_000,
    settingsOf: ({ POSTMARK_SERVER_TOKEN: token, POSTMARK_API_URL: apiUrl }) => ({
      token: token ?? "",
      ...(apiUrl === null ? {} : { apiUrl }),
    }),
    open: async (settings, from, key) =>
      (await import("./providers/postmark.ts")).openPostmarkMailer(settings, from, key),
  }),
  /** The URL is `smtp://` or `smtps://`, with user and password if the server wants them; never logged. */
  smtp: row<{ readonly url: string; readonly oauth?: OAuthSettings }>({
    credentials: "SMTP_URL",
    reportsBounces: false,
    closeMsMax: 25_000,
    settingsOf: ({ SMTP_URL: url, SMTP_OAUTH: oauth }) => ({ url: url ?? "", ...(oauth !== null && { oauth }) }),
    open: async ({ url, ...oauth }, from, key, returnPath) =>
      (await import("./providers/smtp.ts")).openSmtpMailer(url, from, key, { returnPath, ...oauth }),
  }),
};

export type TransportName = keyof typeof transports;

export type MailTransport = {
  [Name in TransportName]: { readonly kind: Name } & ReturnType<(typeof transports)[Name]["settingsOf"]>;
}[TransportName];

export const transportNames = Object.keys(transports) as TransportName[];

/** The row of a transport, whose settings are given back to it. */
const rowOf = ({ kind }: MailTransport) => transports[kind] as Transport<MailTransport>;

export const transportOf = (kind: TransportName, values: Values): MailTransport =>
  ({ kind, ...transports[kind].settingsOf(values) }) as MailTransport;

export const openMailer = (
  transport: MailTransport,
  from: Sender,
  key: MessageKey,
  returnPath: ReturnPath | null = null,
): Promise<Mailer> => rowOf(transport).open(transport, from, key, returnPath);

/** What erases mails to an address that lie on this machine. */
export const mailEraser =
  (transport: MailTransport) =>
  async (email: string): Promise<void> =>
    rowOf(transport).erase?.(transport, email);
