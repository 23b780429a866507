// One schema for each variable: raw text in, a value that cannot be wrong out. Messages are in words for whoever runs
// the service and never quote what was given, because a secret may have been pasted into the wrong variable.
import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { email, emailKey } from "@submissions/shared/fields";

/** A mailbox with the name that is shown beside it. */
export interface NamedAddress {
  readonly name: string | null;
  readonly address: string;
}

/** Whose `X-Forwarded-For` is believed. A bare hop count trusts nothing in Fastify 5; whoever applies it must know. */
export type TrustedProxy =
  | { readonly kind: "none" }
  | { readonly kind: "hops"; readonly count: number }
  | { readonly kind: "cidrs"; readonly list: readonly string[] };

/** 128 bits and more, as long as they are written in hexadecimal digits at least. */
const signingKeyLengthMin = 32;
/** Teams larger than this want a mailing list of their own; mail providers refuse 51 recipients. */
const teamAddressesMax = 50;
/** Longer chains of proxies than this are a typing error. */
const hopsMax = 32;
/** With a key of ours behind it, far below the 1,024 bytes that stores allow. */
const s3PrefixLengthMax = 500;

/** What is wrong with a setting, in plain words that do not quote it. */
export class Wrong {
  readonly #message: string;

  constructor(message: string) {
    this.#message = message;
  }

  get message(): string {
    return this.#message;
  }
}

/** A schema from a function that reads a text or says what is wrong with it. */
function parsed<T>(read: (text: string) => T | Wrong) {
  return z.string().transform((text, context): T => {
    const result = read(text);
    if (!(result instanceof Wrong)) return result;
    context.addIssue({ code: "custom", message: result.message });
    return z.NEVER;
  });
}

const splitList = (text: string): string[] => text.split(",").map((item) => item.trim());

/** A whole number in decimal digits. */
export const wholeNumber = (min: number, max: number) =>
  parsed((text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : new Wrong(`must be a whole number from ${min} to ${max.toLocaleString("en")}.`);
  });

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  parsed(
    (text) => words.find((word): word is Words[number] => word === text) ?? new Wrong(`must be ${either(words)}.`),
  );

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** A host name or IP address to listen on. */
export const host = parsed((text) =>
  isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i.test(text)
    ? text
    : new Wrong("must be a host name or an IP address, without a port or brackets."),
);

/** An absolute path; relative ones are taken from the working directory. */
export const path = parsed((text) => (text.includes("\0") ? new Wrong("must be a path.") : resolve(text)));

/** Where a ClamAV daemon listens: `host:port`, or the absolute path of its Unix socket. */
export const clamdAddress = parsed((text): { path: string } | { host: string; port: number } | Wrong => {
  if (text.startsWith("/")) return { path: text };
  const [, name = "", port = ""] = /^\[?([^\]\s/]+)\]?:([0-9]{1,5})$/.exec(text) ?? [];
  if (name === "" || Number(port) < 1 || Number(port) > 65_535) {
    return new Wrong("must be host:port, or the absolute path of a socket.");
  }
  return { host: name, port: Number(port) };
});

/** An http or https base address without query, fragment and credentials; a trailing slash is dropped. */
export const httpUrl = parsed((text) => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new Wrong("must be a web address that starts with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") return new Wrong("must not hold a user name or password.");
  if (/[?#]/.test(text)) return new Wrong("must not hold a query or a fragment.");
  return url.href.replace(/\/+$/, "");
});

/** A bucket of an object store, and what the names of our objects in it begin with: empty, or ending in a slash. */
export const s3Address = parsed((text): { bucket: string; prefix: string } | Wrong => {
  const [, bucket, below = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  const parts = below.replace(/\/$/, "").split("/");
  const usable = below === "" || parts.every((part) => /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(part));
  if (bucket === undefined || !usable || below.length > s3PrefixLengthMax) {
    return new Wrong(
      "must look like s3://bucket or s3://bucket/prefix, of letters, digits, dots, hyphens and underscores.",
    );
  }
  return { bucket, prefix: below === "" ? "" : `${parts.join("/")}/` };
});

/** What an address of a database may say beside where it is and who asks. */
const postgresParameters = ["sslmode", "sslrootcert", "host"];
const tlsModes = ["verify-full", "require", "disable"] as const;

/** A PostgreSQL database, with its credentials in the address. */
export const postgresUrl = parsed((text) => {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || /[\s\p{Cc}]|%(?![0-9a-f]{2})|%00/iu.test(text)) {
    return new Wrong("must look like postgres://user:password@host:port/database.");
  }
  const { searchParams } = url;
  if ([...searchParams.keys()].some((name) => !postgresParameters.includes(name))) {
    return new Wrong(`may have the parameters ${postgresParameters.join(", ")}, and no others.`);
  }
  const mode = searchParams.get("sslmode");
  if (mode !== null && !tlsModes.some((known) => known === mode)) {
    return new Wrong(`must have one of these as sslmode: ${tlsModes.join(", ")}.`);
  }
  return searchParams.has("sslrootcert") && mode !== "verify-full"
    ? new Wrong("must have sslmode=verify-full for sslrootcert to be of use.")
    : text;
});

/** An SMTP server, with its credentials in the address. */
export const smtpUrl = parsed((text) => {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && !/[\s\p{Cc}]/u.test(text)
    ? text
    : new Wrong("must look like smtps://user:password@host:port (or smtp://…).");
});

/** A token as it stands in a header: printable ASCII without spaces. */
export const token = parsed((text) =>
  /^[\u0021-\u007E]+$/.test(text) ? text : new Wrong("must be one word without spaces."),
);

/** A secret that signs: long enough that nobody finds it by trying. */
export const signingKey = parsed((text) =>
  text.length >= signingKeyLengthMin
    ? text
    : new Wrong(`must have at least ${signingKeyLengthMin} characters, drawn at random.`),
);

/** `user:password` of Basic authentication; the first colon parts them. */
export const userAndPassword = parsed((text) => {
  const colon = text.indexOf(":");
  return colon > 0 && colon < text.length - 1 && !/\p{Cc}/u.test(text)
    ? { user: text.slice(0, colon), password: text.slice(colon + 1) }
    : new Wrong("must look like user:password.");
});

/** `name@example.org` or `Name <name@example.org>`. */
export const namedAddress = parsed<NamedAddress>((text) => {
  const parts = /^(?:(?<name>[^<>]*?)\s*<(?<inner>[^<>]*)>|(?<bare>[^<>]*))$/u.exec(text)?.groups;
  const address = email.safeParse(parts?.["inner"] ?? parts?.["bare"]);
  const name = (parts?.["name"] ?? "").replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
  if (!address.success || /\p{Cc}/u.test(name) || name.length > 200) {
    return new Wrong(
      "must be an e-mail address, or a name and an address like Speech Marketplace <no-reply@example.org>.",
    );
  }
  return { name: name === "" ? null : name, address: address.data };
});

/** E-mail addresses with commas between them; repeats are dropped. */
export const addressList = parsed<readonly string[]>((text) => {
  const addresses = new Map<string, string>();
  const items = splitList(text);
  if (items.length > teamAddressesMax) return new Wrong(`must hold at most ${teamAddressesMax} addresses.`);
  for (const [index, item] of items.entries()) {
    const address = email.safeParse(item);
    if (!address.success) {
      return new Wrong(
        `must be e-mail addresses with commas between them; number ${index + 1} of ${items.length} is not one.`,
      );
    }
    const key = emailKey(address.data);
    if (!addresses.has(key)) addresses.set(key, address.data);
  }
  return [...addresses.values()];
});

/** Web origins exactly as browsers send them; patterns, paths and `null` would let strangers in and are refused. */
export const originList = parsed<readonly string[]>((text) => {
  const origins = new Set<string>();
  const items = splitList(text);
  for (const [index, item] of items.entries()) {
    const url = /^https?:\/\/[^/?#@*\s\\]+$/i.test(item) ? URL.parse(item) : null;
    if (url === null) {
      return new Wrong(
        `must be exact origins like https://www.example.org with commas between them: no *, no null, no path, no closing slash; number ${index + 1} of ${items.length} is not one.`,
      );
    }
    origins.add(url.origin);
  }
  return [...origins];
});

/** A hop count, or the addresses and networks of the proxies. `/0` would trust everybody and is refused. */
export const trustedProxy = parsed<TrustedProxy>((text) => {
  const wrong = `must be a number of proxies from 0 to ${hopsMax}, or their addresses and networks (like 10.0.0.0/8) with commas between them.`;
  if (/^[0-9]{1,3}$/.test(text)) {
    const count = Number(text);
    if (count > hopsMax) return new Wrong(wrong);
    return count === 0 ? { kind: "none" } : { kind: "hops", count };
  }
  const list = splitList(text);
  return list.every(isNetwork) ? { kind: "cidrs", list: [...new Set(list)] } : new Wrong(wrong);
});

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128);
}
