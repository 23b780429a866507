// The second factor of operators: codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s), and recovery codes.
import { randomBytes } from "node:crypto";

/**
 * Authentication methods of what a person has or is, or of several kinds (RFC 8176). What a person knows (`pwd`, `pin`, `kba`)
 * is the first factor; where, when and in which network the sign-in took place (`geo`, `rba`, `wia`, `user`) is none.
 */
const methods: ReadonlySet<unknown> = new Set(
  ["mfa", "mca", "otp", "hwk", "swk", "pop", "sc", "sms", "tel"].concat(["face", "fpt", "iris", "retina", "vbm"]),
);
/** Authentication contexts that ask for several factors: OpenID's EAP and PAPE, and that of REFEDS. */
const contexts: ReadonlySet<unknown> = new Set([
  "phr",
  "phrh",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor-physical",
  "https://refeds.org/profile/mfa",
]);

/** Whether an ID token names a second factor, by which the person has signed in at the provider. */
export const namesFactor = ({ amr, acr }: Readonly<Record<string, unknown>>): boolean =>
  contexts.has(acr) || (Array.isArray(amr) && amr.some((method) => methods.has(method)));

const stepMs = 30_000;
/** A code of the step before or after counts too: clocks differ, and people type slowly. */
const stepsApart = 1;
const secretBytes = 20;
const recoveryCodes = 10;

/** Draws a secret, in base 32 and as `otpauth://…`. Nothing is stored: the operator proves first that the app has it. */
export async function drawFactor(brand: string, email: string) {
  const { Secret, TOTP } = await import("otpauth");
  const secret = new Secret({ size: secretBytes });
  return { secret: secret.base32, uri: new TOTP({ issuer: brand, label: email, secret }).toString() };
}

/** The time step whose code this is; null: it is no code of now. */
export async function stepOf(secret: string, code: string, now: number): Promise<number | null> {
  const { TOTP } = await import("otpauth");
  const totp = new TOTP({ secret });
  const apart = totp.validate({ token: code, timestamp: now, window: stepsApart });
  return apart === null ? null : Math.floor(now / stepMs) + apart;
}

// 32 letters and digits; 0, 1, l and o look alike.
const letters = "abcdefghijkmnpqrstuvwxyz23456789";

/** Ten codes of 50 random bits, like `k3v9a-m2xq7`. */
export const drawRecoveryCodes = (): readonly string[] =>
  Array.from({ length: recoveryCodes }, () => inHalves(Array.from(randomBytes(10), (at) => letters[at % 32]).join("")));

const inHalves = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/** A code as it was typed: which kind it is, without spaces and in lower case. Null: it can be neither. */
export function readCode(typed: string): { readonly kind: "app" | "recovery"; readonly code: string } | null {
  const code = typed.replaceAll(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(code)) return { kind: "app", code };
  return /^[a-z2-9]{10}$/.test(code) ? { kind: "recovery", code: inHalves(code) } : null;
}
