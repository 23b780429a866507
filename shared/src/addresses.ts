// The rules of e-mail and web addresses as plain functions.
import { textLengthMax } from "./limits.ts";
import { cleanLine, isNormalisable, optionalText, problemOfLine, shaped, type TextRule } from "./text.ts";

// RFC 1035 2.3.4. Converting an international host takes the square of its length, so a longer one is never parsed.
const hostLengthMax = 253;

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const hostLabel = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostName = new RegExp(`^(?:${hostLabel}\\.)+(?![0-9]+$)${hostLabel}$`, "i");

// `URL` is the one IDNA implementation that browsers and Node share. It would also decode percent signs. So it gets only
// letters, digits and hyphens, the few signs that RFC 5892 allows within words of some scripts, and the ideographic full
// stop; any other host stays as it is and is refused.
const international = /^[\u200D\u200C\p{L}\p{M}\p{N}.\u3002\u00B7\u0375\u05F3\u05F4\u30FB-]+$/u;
const hyphenAtEnd = /(?:^|\.)-|-(?:\.|$)/;

// RFC 5892 appendix A. `URL` checks only the joiners.
function isOutOfPlace(label: string): boolean {
  const middleDot = /(?<!l)\u00B7|\u00B7(?!l)/;
  const keraiaOrGeresh = /\u0375(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u05F3\u05F4]/u;
  const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
  return middleDot.test(label) || keraiaOrGeresh.test(label) || (label.includes("\u30FB") && !japanese.test(label));
}

const joiners = /[\u200C\u200D]/g;

function hostToAscii(typed: string): string {
  if (typed.length > hostLengthMax || !/[^\x00-\x7F]/.test(typed) || !international.test(typed)) return typed;
  const host = typed.replaceAll("\u3002", ".");
  if (hyphenAtEnd.test(host) || host.split(".").some(isOutOfPlace)) return typed;
  // Some scripts need joiners: there a host without them is another one. Anywhere else `URL` takes none.
  const parsed = URL.parse(`http://${host}`) ?? URL.parse(`http://${host.replace(joiners, "")}`);
  return parsed?.hostname ?? typed;
}

const unseen = /(?![\u200C\u200D])\p{Default_Ignorable_Code_Point}/gu;

// What keyboards for full-width letters type, and what is pasted without being seen. NFKC comes last, because an unseen
// character may part a letter from its accent.
function fold(line: string): string {
  const seen = line.replace(unseen, "");
  return isNormalisable(seen) ? seen.normalize("NFKC") : seen;
}

function cleanEmail(raw: string): string {
  const line = cleanLine(raw);
  const text = /[^\x00-\x7F]/.test(line) ? fold(line) : line;
  const at = text.lastIndexOf("@");
  if (at < 0) return text;
  return `${text.slice(0, at).replace(joiners, "")}@${hostToAscii(text.slice(at + 1)).toLowerCase()}`;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  return local.length <= 64 && localPart.test(local) && hostName.test(text.slice(at + 1));
}

/**
 * One e-mail address: an unquoted local part of at most 64 characters, a dotted host name, 254 characters in all
 * (RFC 5321 4.5.3.1). International host names are kept in their ASCII form. No display names, comments, quoted local
 * parts or address literals. Full-width letters are folded (NFKC), and characters that nothing shows are removed. Keeps the case of the local part; compare two with {@link emailKey}.
 */
export const email: TextRule<true> = {
  ...shaped(
    { required: true, lengthMax: textLengthMax.email, clean: cleanEmail, problemOf: problemOfLine },
    isEmail,
    "Enter one e-mail address, like name@example.org.",
  ),
  format: "email",
};

/** The form in which two e-mail addresses are compared. Folds ASCII letters only: the Kelvin sign is no k. */
export const emailKey = (address: string): string =>
  // Most have none: looking first takes a tenth of the time.
  /[A-Z]/.test(address) ? address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : address;

// The authority is what the parser converts. Like the parser, this skips further slashes in front of it.
const webAddress = /^https?:\/\/[/\\]*([^/\\?#]*)/i;

function problemOfUrl(text: string): string | undefined {
  const host = webAddress.exec(text)?.[1]?.replace(/:\d{0,5}$/, "");
  if (host === undefined) return "Enter a web address that starts with http:// or https://.";
  if (/\s/u.test(text)) return "A web address cannot contain spaces. Write %20 in their place.";
  const url = host.length > hostLengthMax ? null : URL.parse(text);
  if (url === null) return "This web address has no valid host name.";
  return url.username + url.password === ""
    ? undefined
    : "A web address cannot contain a user name or a password. Leave out what stands before the @.";
}

const urlText = optionalText(textLengthMax.url);

/**
 * An optional http or https address of at most 2,048 code points, without credentials. It is stored as it was sent and
 * shown as inert text; the service never fetches it.
 */
export const optionalWebUrl: TextRule<false> = {
  ...urlText,
  problemOf: (text) => urlText.problemOf(text) ?? problemOfUrl(text),
  format: "uri",
};
