// The types of settings, as zod schemas of a text. The messages never quote the text, because a secret may have been pasted
// into the wrong variable.
import { accessSync, constants } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { email, emailKey } from "@submissions/shared/addresses";
import { textLengthMax } from "@submissions/shared/limits";
import { percentDecoded, readText } from "@submissions/shared/text";
import { z } from "zod";
import type { TrustedProxies } from "../http/gate/client-address.ts";
import type { ImapSettings } from "../inbound/imap.ts";
import { inboundLocalLengthMax } from "../mail/inbound-address.ts";
import type { Sender } from "../mail/mailer.ts";
import type { OAuthSettings } from "../oauth-tokens.ts";
import type { ClamdAddress } from "../resumes/scanning.ts";

/** Reads a text. Of what is wrong with it the first message is shown, in plain words that do not quote it. */
export type SettingType<T> = z.ZodType<T, string>;

/** Larger teams need a mailing list of their own; mail providers refuse 51 recipients. */
const teamAddressesMax = 50;
/** A longer chain of proxies is a typing error. */
const hopsMax = 32;
/** Together with one of our keys this is far below the 1,024 bytes that stores allow. */
const s3PrefixLengthMax = 500;
/** Such a password cannot be found by trying. */
const webhookPasswordLengthMin = 24;

const text = z.string();
const splitList = (list: string): string[] => list.split(",").map((item) => item.trim());
const readEmail = (address: string): string | undefined => readText(email, address).value;

/** Ends a transformation: the setting is wrong. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** What a function reads; undefined: the text is wrong. */
const read = <T>(reader: (raw: string) => T | undefined, message: string): SettingType<T> =>
  text.transform((raw, context) => reader(raw) ?? refuse(context, message));

/** A text that a function finds nothing wrong with. */
const judged = (problemOf: (raw: string) => string | null): SettingType<string> =>
  text.transform((raw, context) => {
    const problem = problemOf(raw);
    return problem === null ? raw : refuse(context, problem);
  });

export function wholeNumber(min: number, max: number): SettingType<number> {
  // Written when it is needed: the first number in words costs 8 MB.
  const error = () => `must be a whole number from ${min} to ${max.toLocaleString("en")}.`;
  return text
    .regex(/^[0-9]{1,15}$/, { error })
    .transform(Number)
    .pipe(z.number().min(min, { error }).max(max, { error }));
}

/** A time of the day, in minutes since midnight. */
export const timeOfDay: SettingType<number> = text
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time from 00:00 to 23:59.")
  .transform((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));

export function line(lengthMax: number): SettingType<string> {
  const message = `must be one line of at most ${lengthMax} characters.`;
  return text.max(lengthMax, message).regex(/^\P{Cc}*$/u, message);
}

/** Lines with `\\n` between them: quotation marks in `.env` have made line breaks of it. */
export const lines = (lengthMax: number): SettingType<string> =>
  text.transform((raw) => raw.replaceAll(/\r?\n/g, "\\n")).pipe(line(lengthMax));

export const oneOf = <const Word extends string>(...words: readonly Word[]): SettingType<Word> =>
  read((raw) => words.find((word) => word === raw), `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);

export const host: SettingType<string> = text.refine(
  (name) => isIP(name) !== 0 || /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i.test(name),
  "must be a host name or an IP address, without a port or brackets.",
);

/** An absolute path; relative ones are taken from the working directory. */
export const path: SettingType<string> = text.regex(/^[^\0]*$/, "must be a path.").transform((name) => resolve(name));

/** What is read at a path when the configuration is loaded. */
export const readAt = <T>(what: "file" | "folder", reader: (place: string, context: z.RefinementCtx) => T) =>
  path.transform((place, context) => {
    try {
      return reader(place, context);
    } catch (error) {
      // A system error: absent, unreadable.
      const reason = (error as NodeJS.ErrnoException).code;
      if (reason === undefined) throw error;
      return refuse(context, `the ${what} cannot be read (${reason}).`);
    }
  });

/** A ClamAV daemon: `host:port`, or the absolute path of its Unix socket. */
export const clamdAddress: SettingType<ClamdAddress> = read((address) => {
  if (address.startsWith("/")) return { path: address };
  const [, name = "", port = ""] = /^\[?([^\]\s/]+)\]?:([0-9]{1,5})$/.exec(address) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535 ? { host: name, port: Number(port) } : undefined;
}, "must be host:port, or the absolute path of a socket.");

const webAddress = judged((address) => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "must be a web address that starts with http:// or https://.";
  }
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password.";
  return /[?#]/.test(address) ? "must not hold a query or a fragment." : null;
});

/** An http or https base address without query, fragment and credentials; a trailing slash is dropped. */
export const httpUrl: SettingType<string> = webAddress.transform((address) =>
  new URL(address).href.replace(/\/+$/, ""),
);

// The base address of an identity provider: https, or http on this machine. As it was written, because it is compared with
// what the provider calls itself, and some of these names end in a slash.
export const issuer: SettingType<string> = webAddress.refine(
  (address) =>
    /^https:\/\/|^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/.test(URL.parse(address)?.href ?? ""),
  "must start with https://, unless the provider runs on this machine.",
);

/** A bucket of an object store, and the beginning of the names of our objects in it: empty, or ending in a slash. */
export const s3Address: SettingType<{ readonly bucket: string; readonly prefix: string }> = read((address) => {
  const [, bucket, below = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address) ?? [];
  const parts = below.replace(/\/$/, "").split("/");
  const usable = below === "" || parts.every((part) => /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(part));
  if (bucket === undefined || !usable || below.length > s3PrefixLengthMax) return undefined;
  return { bucket, prefix: below === "" ? "" : `${parts.join("/")}/` };
}, "must look like s3://bucket or s3://bucket/prefix, of letters, digits, dots, hyphens and underscores.");

const postgresParameters = ["sslmode", "sslrootcert", "host"];
const tlsModes = ["verify-full", "require", "disable"];

export const postgresUrl: SettingType<string> = judged((address) => {
  const url = URL.parse(address);
  const isOne = /^postgres(?:ql)?:\/\//i.test(address) && !/[\s\p{Cc}#]|%(?![0-9a-f]{2})|%00/iu.test(address);
  if (url === null || !isOne || url.port === "0")
    return "must look like postgres://user:password@host:port/database, percent-encoded.";
  const parameters = url.searchParams;
  if (!parameters.keys().every((name) => postgresParameters.includes(name))) {
    return `may have the parameters ${postgresParameters.join(", ")}, and no others.`;
  }
  const [mode, file] = [parameters.get("sslmode"), parameters.get("sslrootcert")];
  if (parameters.get("host") === "") return "must name a server or a folder as host.";
  // Without a host it is this machine, without a database the user's: one of them has to be said.
  if (url.hostname === "" && !parameters.has("host") && url.pathname.length < 2) {
    return "must name the server or the database, like postgres://user:password@host:port/database.";
  }
  if (!tlsModes.includes(mode ?? "disable")) return `must have one of these as sslmode: ${tlsModes.join(", ")}.`;
  if (file === null) return null;
  if (mode !== "verify-full") return "must have sslmode=verify-full for sslrootcert to be of use.";
  return isReadable(file) ? null : "names a file as sslrootcert that cannot be read.";
});

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    // ENOENT, EACCES and the like.
    return false;
  }
}

const flag = /^(?:true|false)$/;
const smtpParameters = new Map([
  ["requireTLS", flag],
  ["ignoreTLS", flag],
  ["name", /./],
  ["tls.servername", /./],
  ["tls.rejectUnauthorized", flag],
]);

export const smtpUrl: SettingType<string> = judged((address) => {
  const url = URL.parse(address);
  const isOne = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && decoded(url.username) !== null;
  if (!isOne || /[\s\p{Cc}]/u.test(address)) {
    return "must look like smtps://user:password@host:port (or smtp://…).";
  }
  if (url.searchParams.entries().every(([name, value]) => smtpParameters.get(name)?.test(value))) return null;
  return "may have the parameters requireTLS, ignoreTLS and tls.rejectUnauthorized (true or false), name and tls.servername, and no others.";
});

/** `imaps://user:password@host:port/MAILBOX`, percent-encoded. */
export const imapUrl: SettingType<ImapSettings> = read((address) => {
  const url = URL.parse(address);
  if (url === null || !/^imaps?:$/.test(url.protocol) || url.hostname === "" || url.username === "") return undefined;
  const { "tls.rejectUnauthorized": strict = "true", ...others } = Object.fromEntries(url.searchParams);
  const parts = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (!flag.test(strict) || Object.keys(others).length > 0) return undefined;
  const [user = null, password = null, mailbox = null] = parts;
  if (user === null || password === null || mailbox === null) return undefined;
  const secure = url.protocol === "imaps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (secure ? 993 : 143)),
    secure,
    user,
    password,
    mailbox: mailbox === "" ? "INBOX" : mailbox,
    rejectUnauthorized: strict === "true",
  };
}, "must look like imaps://user:password@host:port/MAILBOX (or imap://…), percent-encoded, and have no parameter but tls.rejectUnauthorized (true or false).");

/** `https://client:secret@host/path?refresh_token=…&scope=…`, percent-encoded. */
export const oauthUrl: SettingType<OAuthSettings> = read((address) => {
  const url = URL.parse(address);
  if (url === null || !(url.protocol === "https:" || /^http:\/\/[^/]*@(?:127\.0\.0\.1|localhost)[:/]/.test(address)))
    return undefined;
  const [clientId, clientSecret] = [url.username, url.password].map(decoded);
  const { refresh_token: refreshToken = "", scope = null, ...others } = Object.fromEntries(url.searchParams);
  const isWhole =
    clientId && typeof clientSecret === "string" && refreshToken !== "" && Object.keys(others).length === 0;
  if (!isWhole) return undefined;
  return { endpoint: url.origin + url.pathname, clientId, clientSecret, refreshToken, scope };
}, "must look like https://client:secret@host/path?refresh_token=…&scope=…, percent-encoded; the secret and scope may be absent.");

/** Null: it is not percent-encoded, or has control characters. */
function decoded(encoded: string): string | null {
  const plain = percentDecoded(encoded);
  return plain === undefined || /\p{Cc}/u.test(plain) ? null : plain;
}

export const token = (lengthMin = 1): SettingType<string> =>
  text
    .regex(/^[\u0021-\u007E]+$/, "must be one word without spaces.")
    .min(lengthMin, `must have at least ${lengthMin} characters, drawn at random.`);

export const dnsServer: SettingType<string> = text.refine((server) => {
  const [, address = "", port] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(server) ?? [];
  return isIP(address) !== 0 && Number(port) <= 65_535;
}, "must be an IP address and a port.");

/** Headers as OpenTelemetry writes them: `name=value` with commas between them, percent-encoded. */
export const headerList: SettingType<Readonly<Record<string, string>>> = read((list) => {
  const headers: Record<string, string> = {};
  for (const item of splitList(list)) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\u0020-\u007E]+)$/.exec(item) ?? [];
    if (name === "" || /%(?![0-9a-f]{2})|%[01][0-9a-f]|%7f|%[89a-f]/i.test(value)) return undefined;
    headers[name.toLowerCase()] = decodeURIComponent(value);
  }
  return headers;
}, "must look like name=value, with commas between several, in ASCII.");

export const share: SettingType<number> = text
  .regex(/^(?:0(?:\.[0-9]{1,9})?|1(?:\.0{1,9})?)$/, "must be a number from 0 to 1.")
  .transform(Number);

export const noticeVersion: SettingType<string> = text.regex(
  new RegExp(`^[\\u0021-\\u007E]{1,${textLengthMax.consentText}}$`),
  `must be one word of at most ${textLengthMax.consentText} characters.`,
);

/** A secret that signs: 128 bits and more, even when they are written in hexadecimal digits. */
export const signingKey: SettingType<string> = text.min(32, "must have at least 32 characters, drawn at random.");

/** `user:password` of Basic authentication; the first colon parts them. */
export const webhookCredentials: SettingType<{ readonly user: string; readonly password: string }> = text
  .regex(/^[^:\p{Cc}]+:\P{Cc}*$/u, "must look like user:password.")
  .refine(
    (pair) => pair.length - pair.indexOf(":") > webhookPasswordLengthMin,
    `must have a password of at least ${webhookPasswordLengthMin} characters, drawn at random.`,
  )
  .transform((pair) => ({ user: pair.slice(0, pair.indexOf(":")), password: pair.slice(pair.indexOf(":") + 1) }));

/** `name@example.org` or `Name <name@example.org>`. */
export const namedAddress: SettingType<Sender> = read((sender) => {
  const parts = /^(?:(?<name>[^<>]*?)\s*<(?<inner>[^<>]*)>|(?<bare>[^<>]*))$/u.exec(sender)?.groups;
  const address = readEmail(parts?.["inner"] ?? parts?.["bare"] ?? "");
  const name = (parts?.["name"] ?? "").replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
  if (address === undefined || /\p{Cc}/u.test(name) || name.length > 200) return undefined;
  return { name: name === "" ? null : name, address };
}, "must be an e-mail address, or a name and an address like Speech Marketplace <no-reply@example.org>.");

/** An address that has room for a token behind its local part. It has none of its own: a `+` begins it. */
export const inboundAddress: SettingType<string> = read((address) => {
  const at = address.lastIndexOf("@");
  return at <= inboundLocalLengthMax && !address.slice(0, at).includes("+") ? readEmail(address) : undefined;
}, `must be an e-mail address with at most ${inboundLocalLengthMax} characters and no + before the @.`);

/** Reads each item of a list. The message names the first item that cannot be read by its place. */
const listOf = <T>(reader: (item: string) => T | undefined, message: string): SettingType<T[]> =>
  text.transform((list, context) => {
    const items = splitList(list);
    const values = items.map(reader);
    const at = values.indexOf(undefined);
    return at < 0 ? (values as T[]) : refuse(context, `${message}; number ${at + 1} of ${items.length} is not one.`);
  });

/** E-mail addresses with commas between them; repeats are dropped. */
export const addressList: SettingType<readonly string[]> = text
  .refine((list) => splitList(list).length <= teamAddressesMax, `must hold at most ${teamAddressesMax} addresses.`)
  .pipe(listOf(readEmail, "must be e-mail addresses with commas between them"))
  .transform((addresses) => [...Map.groupBy(addresses, emailKey).values()].flatMap(([first]) => first ?? []));

/** Web origins exactly as browsers send them. Patterns, paths and `null` would let other sites in and are refused. */
export const originList: SettingType<readonly string[]> = listOf(
  (item) => (/^https?:\/\/[^/?#@*\s\\]+$/i.test(item) ? URL.parse(item)?.origin : undefined),
  "must be exact origins like https://www.example.org with commas between them: no *, no null, no path, no closing slash",
).transform((origins) => [...new Set(origins)]);

/** A hop count, or the addresses and networks of the proxies. `/0` would trust every address and is refused. */
export const trustedProxy: SettingType<TrustedProxies> = read((proxies) => {
  if (/^[0-9]{1,3}$/.test(proxies)) return Number(proxies) > hopsMax ? undefined : Number(proxies);
  const list = splitList(proxies);
  return list.every(isNetwork) ? [...new Set(list)] : undefined;
}, `must be a number of proxies from 0 to ${hopsMax}, or their addresses and networks (like 10.0.0.0/8) with commas between them.`);

function isNetwork(network: string): boolean {
  const [address = "", prefix, ...rest] = network.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128);
}
