// Helps with addresses as people type them: suggests a likely spelling of an e-mail address, and completes web addresses.

const mailHosts = (
  "gmail.com googlemail.com outlook.com hotmail.com icloud.com yahoo.com aol.com live.com proton.me " +
  "protonmail.com gmx.de gmx.net web.de t-online.de freenet.de"
).split(" ");

// These providers have this one host. Others have hosts in several countries, such as yahoo.ca.
const withOneHost: ReadonlySet<string> = new Set(["gmail.com", "googlemail.com", "icloud.com"]);

// None of these is a top-level domain.
const mistypedCom = /\.(?:con|cmo|ocm|cpm|xom|vom|comm|coom)$/;

/** The address that was probably meant; undefined when the typed one looks right. It is never refused for that. */
export function likelyEmail(typed: string): string | undefined {
  const at = typed.lastIndexOf("@");
  const host = typed.slice(at + 1).toLowerCase();
  if (at < 1 || host.length > 30 || mailHosts.includes(host)) return undefined;
  const likely = mailHosts.find((known) => isSlipOf(host, known)) ?? host.replace(mistypedCom, ".com");
  return likely === host ? undefined : `${typed.slice(0, at)}@${likely}`;
}

// Other providers differ from these in their first letter (mail.com, ymail.com). Short names differ from those of other
// providers in one letter (aol.com, aon.com), so there only letters count that have changed places.
function isSlipOf(host: string, known: string): boolean {
  if (host[0] !== known[0] || isOfOtherCountry(host, known)) return false;
  const slips = distance(host, known);
  return known.length < 9 ? slips === 1 && lettersOf(host) === lettersOf(known) : slips <= 2;
}

const lettersOf = (host: string) => Array.from(host).toSorted().join("");

// The same name under another top-level domain of two letters: yahoo.ca is no slip of yahoo.com.
function isOfOtherCountry(host: string, known: string): boolean {
  const [name, topLevel] = splitAtLastDot(host);
  const [knownName, knownTopLevel] = splitAtLastDot(known);
  if (name !== knownName || topLevel.length !== 2 || withOneHost.has(known)) return false;
  return knownTopLevel !== "com" || !cutCom.has(topLevel);
}

/** These are countries too, and far more often `.com` with a letter missing. */
const cutCom: ReadonlySet<string> = new Set(["co", "cm", "om"]);

function splitAtLastDot(host: string): [name: string, topLevel: string] {
  const dot = host.lastIndexOf(".");
  return [host.slice(0, dot), host.slice(dot + 1)];
}

/** How many letters were left out, added, replaced or swapped. */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = rows[i - 1]![j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, row[j - 1]! + 1, rows[i - 1]![j]! + 1);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}

/** A web address with `https://` in front when it was typed without a scheme, as in `example.org/ana`. */
export function completedUrl(typed: string): string {
  const text = typed.trim();
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?::\d+)?(?:[/?#]\S*)?$/u.test(text)
    ? `https://${text}`
    : typed;
}
