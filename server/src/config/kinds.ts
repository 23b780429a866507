// The kinds of settings: raw text in, a checked value out, or what is wrong with it. The messages never quote the text,
// because a secret may have been pasted into the wrong variable.
import { isIP } from "node:net";
import { resolve } from "node:path";
import { email, emailKey } from "@submissions/shared/addresses";
import { textLengthMax } from "@submissions/shared/limits";
import { readText } from "@submissions/shared/text";
import type { TrustedProxies } from "../http/gate/client-address.ts";
import type { Sender } from "../mail/mailer.ts";
import type { ClamdAddress } from "../resumes/scanning.ts";

/** What is wrong with a setting, in plain words that do not quote it. */
export class Wrong {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Reads a text, or says what is wrong with it. */
export type Kind<T> = (text: string) => T | Wrong;

/** Larger teams need a mailing list of their own; mail providers refuse 51 recipients. */
const teamAddressesMax = 50;
/** A longer chain of proxies is a typing error. */
const hopsMax = 32;
/** Together with one of our keys this is far below the 1,024 bytes that stores allow. */
const s3PrefixLengthMax = 500;
/** Such a password cannot be found by trying. */
const webhookPasswordLengthMin = 24;

const splitList = (text: string): string[] => text.split(",").map((item) => item.trim());
const controls = /\p{Cc}/u;

const readEmail = (text: string): string | undefined => readText(email, text).value;

export const wholeNumber =
  (min: number, max: number): Kind<number> =>
  (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return new Wrong(`must be a whole number from ${min} to ${max.toLocaleString("en")}.`);
  };

/** A time of the day, in minutes since midnight. */
export const timeOfDay: Kind<number> = (text) => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? new Wrong("must be a time from 00:00 to 23:59.") : Number(hours) * 60 + Number(minutes);
};

export const line =
  (lengthMax: number): Kind<string> =>
  (text) =>
    controls.test(text) || text.length > lengthMax
      ? new Wrong(`must be one line of at most ${lengthMax} characters.`)
      : text;

export const oneOf =
  <const Word extends string>(...words: readonly Word[]): Kind<Word> =>
  (text) =>
    words.find((word) => word === text) ?? new Wrong(`must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);

export const host: Kind<string> = (text) =>
  isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i.test(text)
    ? text
    : new Wrong("must be a host name or an IP address, without a port or brackets.");

/** An absolute path; relative ones are taken from the working directory. */
export const path: Kind<string> = (text) => (text.includes("\0") ? new Wrong("must be a path.") : resolve(text));

/** A ClamAV daemon: `host:port`, or the absolute path of its Unix socket. */
export const clamdAddress: Kind<ClamdAddress> = (text) => {
  if (text.startsWith("/")) return { path: text };
  const [, name = "", port = ""] = /^\[?([^\]\s/]+)\]?:([0-9]{1,5})$/.exec(text) ?? [];
  if (name === "" || Number(port) < 1 || Number(port) > 65_535) {
    return new Wrong("must be host:port, or the absolute path of a socket.");
  }
  return { host: name, port: Number(port) };
};

/** An http or https base address without query, fragment and credentials; a trailing slash is dropped. */
export const httpUrl: Kind<string> = (text) => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new Wrong("must be a web address that starts with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") return new Wrong("must not hold a user name or password.");
  if (/[?#]/.test(text)) return new Wrong("must not hold a query or a fragment.");
  return url.href.replace(/\/+$/, "");
};

/**
 * The base address of an identity provider: https, or http on this machine. As it was written: it is compared with what
 * the provider calls itself, and some of these names end in a slash.
 */
export const issuer: Kind<string> = (text) => {
  const address = httpUrl(text);
  if (address instanceof Wrong) return address;
  const { protocol, hostname } = new URL(address);
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === "https:" || isHere
    ? text
    : new Wrong("must start with https://, unless the provider runs on this machine.");
};

/** A bucket of an object store, and the beginning of the names of our objects in it: empty, or ending in a slash. */
export const s3Address: Kind<{ readonly bucket: string; readonly prefix: string }> = (text) => {
  const [, bucket, below = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  const parts = below.replace(/\/$/, "").split("/");
  const usable = below === "" || parts.every((part) => /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(part));
  if (bucket === undefined || !usable || below.length > s3PrefixLengthMax) {
    return new Wrong(
      "must look like s3://bucket or s3://bucket/prefix, of letters, digits, dots, hyphens and underscores.",
    );
  }
  return { bucket, prefix: below === "" ? "" : `${parts.join("/")}/` };
};

const postgresParameters = ["sslmode", "sslrootcert", "host"];
const tlsModes = ["verify-full", "require", "disable"];

/** A PostgreSQL database, with its credentials in the address. */
export const postgresUrl: Kind<string> = (text) => {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || /[\s\p{Cc}]|%(?![0-9a-f]{2})|%00/iu.test(text)) {
    return new Wrong("must look like postgres://user:password@host:port/database.");
  }
  const { searchParams } = url;
  if ([...searchParams.keys()].some((name) => !postgresParameters.includes(name))) {
    return new Wrong(`may have the parameters ${postgresParameters.join(", ")}, and no others.`);
  }
  const mode = searchParams.get("sslmode");
  if (mode !== null && !tlsModes.includes(mode)) {
    return new Wrong(`must have one of these as sslmode: ${tlsModes.join(", ")}.`);
  }
  if (searchParams.has("sslrootcert") && mode !== "verify-full") {
    return new Wrong("must have sslmode=verify-full for sslrootcert to be of use.");
  }
  return text;
};

/** An SMTP server, with its credentials in the address. */
export const smtpUrl: Kind<string> = (text) => {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && !/[\s\p{Cc}]/u.test(text)
    ? text
    : new Wrong("must look like smtps://user:password@host:port (or smtp://…).");
};

/** A token as it stands in a header: printable ASCII without spaces. */
export const token =
  (lengthMin = 1): Kind<string> =>
  (text) => {
    if (!/^[\u0021-\u007E]+$/.test(text)) return new Wrong("must be one word without spaces.");
    return text.length >= lengthMin ? text : new Wrong(`must have at least ${lengthMin} characters, drawn at random.`);
  };

/** Headers as OpenTelemetry writes them: `name=value` with commas between them, percent-encoded. */
export const headerList: Kind<Readonly<Record<string, string>>> = (text) => {
  const headers: Record<string, string> = {};
  for (const item of splitList(text)) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\u0020-\u007E]+)$/.exec(item) ?? [];
    if (name === "" || /%(?![0-9a-f]{2})|%[01][0-9a-f]|%7f|%[89a-f]/i.test(value)) {
      return new Wrong("must look like name=value, with commas between several, in ASCII.");
    }
    headers[name.toLowerCase()] = decodeURIComponent(value);
  }
  return headers;
};

/** A share between nothing and all. */
export const share: Kind<number> = (text) =>
  /^(?:0(?:\.[0-9]{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : new Wrong("must be a number from 0 to 1.");

/** A version of a text: one word that fits where it is stored. */
export const noticeVersion: Kind<string> = (text) =>
  /^[\u0021-\u007E]+$/.test(text) && text.length <= textLengthMax.consentText
    ? text
    : new Wrong(`must be one word of at most ${textLengthMax.consentText} characters.`);

/** A secret that signs: too long to be found by trying. */
export const signingKey: Kind<string> = (text) =>
  // 128 bits and more, even when they are written in hexadecimal digits.
  text.length >= 32 ? text : new Wrong("must have at least 32 characters, drawn at random.");

/** `user:password` of Basic authentication; the first colon parts them. */
export const webhookCredentials: Kind<{ readonly user: string; readonly password: string }> = (text) => {
  const colon = text.indexOf(":");
  if (colon < 1 || controls.test(text)) return new Wrong("must look like user:password.");
  const password = text.slice(colon + 1);
  return password.length >= webhookPasswordLengthMin
    ? { user: text.slice(0, colon), password }
    : new Wrong(`must have a password of at least ${webhookPasswordLengthMin} characters, drawn at random.`);
};

/** `name@example.org` or `Name <name@example.org>`. */
export const namedAddress: Kind<Sender> = (text) => {
  const parts = /^(?:(?<name>[^<>]*?)\s*<(?<inner>[^<>]*)>|(?<bare>[^<>]*))$/u.exec(text)?.groups;
  const address = readEmail(parts?.["inner"] ?? parts?.["bare"] ?? "");
  const name = (parts?.["name"] ?? "").replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
  if (address === undefined || controls.test(name) || name.length > 200) {
    return new Wrong(
      "must be an e-mail address, or a name and an address like Speech Marketplace <no-reply@example.org>.",
    );
  }
  return { name: name === "" ? null : name, address };
};

/** Reads each item of a list. The message names the first item that cannot be read by its place. */
function readList<T>(text: string, read: (item: string) => T | undefined, wrong: string): readonly T[] | Wrong {
  const items = splitList(text);
  const values = items.map(read);
  const at = values.indexOf(undefined);
  return at < 0 ? (values as T[]) : new Wrong(`${wrong}; number ${at + 1} of ${items.length} is not one.`);
}

/** E-mail addresses with commas between them; repeats are dropped. */
export const addressList: Kind<readonly string[]> = (text) => {
  if (splitList(text).length > teamAddressesMax) return new Wrong(`must hold at most ${teamAddressesMax} addresses.`);
  const addresses = readList(text, readEmail, "must be e-mail addresses with commas between them");
  return addresses instanceof Wrong
    ? addresses
    : [...Map.groupBy(addresses, emailKey).values()].flatMap(([first]) => first ?? []);
};

/** Web origins exactly as browsers send them. Patterns, paths and `null` would let other sites in and are refused. */
export const originList: Kind<readonly string[]> = (text) => {
  const read = (item: string) => (/^https?:\/\/[^/?#@*\s\\]+$/i.test(item) ? URL.parse(item)?.origin : undefined);
  const origins = readList(
    text,
    read,
    "must be exact origins like https://www.example.org with commas between them: no *, no null, no path, no closing slash",
  );
  return origins instanceof Wrong ? origins : [...new Set(origins)];
};

/** A hop count, or the addresses and networks of the proxies. `/0` would trust every address and is refused. */
export const trustedProxy: Kind<TrustedProxies> = (text) => {
  const wrong = new Wrong(
    `must be a number of proxies from 0 to ${hopsMax}, or their addresses and networks (like 10.0.0.0/8) with commas between them.`,
  );
  if (/^[0-9]{1,3}$/.test(text)) {
    const count = Number(text);
    if (count > hopsMax) return wrong;
    return count === 0 ? { kind: "none" } : { kind: "hops", count };
  }
  const list = splitList(text);
  return list.every(isNetwork) ? { kind: "cidrs", list: [...new Set(list)] } : wrong;
};

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128);
}
