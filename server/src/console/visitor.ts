// Who calls the console before it is known who it is: the network, the device, and whether that has signed in before. Such
// a device has a throttle of its own, so that strangers cannot lock its owner out (OWASP: device cookies).
import { emailKey } from "@submissions/shared/fields";
import { drawSecret, sign, signed } from "../secrets.ts";

export interface Visitor {
  /** Key of the client address: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client: string;
  /** An IPv4 /24, or an IPv6 /48: places in the queue of passwords are counted by it, and sessions are listed with it. */
  readonly network: string;
  readonly device: string;
  /** The cookie of a device that has signed in; null: none came. */
  readonly deviceCookie: string | null;
}

/** @param rateKey see `ClientKeys.rate` */
export function networkOf(rateKey: string): string {
  const [, first, second, third] = /^([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})[0-9a-f]{4}\/64$/.exec(rateKey) ?? [];
  if (first !== undefined) return `${first}:${second}:${third}::/48`;
  return /^[\d.]+$/.test(rateKey) ? rateKey.replace(/\d+$/, "0/24") : "";
}

const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const systems = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;
const agentLengthMax = 500;

/** What a browser calls itself, like `Firefox on Windows`; empty when it says nothing that is known. */
export function deviceOf(userAgent = ""): string {
  const agent = userAgent.slice(0, agentLengthMax);
  const named = (known: readonly (readonly [RegExp, string])[]) => known.find(([shape]) => shape.test(agent))?.[1];
  const [browser, system] = [named(browsers), named(systems)];
  return browser !== undefined && system !== undefined ? `${browser} on ${system}` : (browser ?? system ?? "");
}

/** The cookie of a device that has just signed in an operator. It is good for this operator only. */
export const deviceCookieOf = (key: string, email: string): string => sign(key, purposeOf(email), drawSecret());

/** A name of the device that brings the cookie, if it has signed this operator in before; null: it has not. */
export const knownDevice = (key: string, email: string, cookie: string | null): string | null =>
  cookie === null ? null : signed(key, purposeOf(email), cookie);

const purposeOf = (email: string): string => `device of ${emailKey(email)}`;
