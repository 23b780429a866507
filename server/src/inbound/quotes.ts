// Finds what a mail quotes. Line by line and with bounded patterns, because the text may be anyone's (docs/adr/0032).

/** Attributions of mail programs in one language each: "On … wrote:" stands above the mail that is answered. */
const wrote =
  /(?:wrote|schrieb|geschrieben|a écrit|escribió|ha scritto|escreveu|schreef|geschreven|skrev|kirjoitti|napisał|napsal|a scris|yazdı|έγραψε|írta|пишет|писал|пише|написа|napísal|napisao|đã viết|menulis|写道|寫道|のメール|のメッセージ|書きました|작성|님이)/iu;
/** No mail program writes in the first person. */
const oneself = /\b(?:I|we|ich|wir)\b/;
const dated = /\p{Nd}{1,2}[:.h時]\p{Nd}{2}|\p{Nd}{4}/u;
/** Two of the headers that Outlook and others put above it, one of which comes first. */
const fromLabel =
  /^\*?"?(?:From|Von|De|Da|Van|Från|Fra|Od|Lähettäjä|Feladó|De la|Kimden|Dari|Từ|От|Від|Από|מאת|من|จาก|差出人|送信者|发件人|寄件者|보낸 사람)\s?[:：]\*?\s?\S/iu;
const dateLabel =
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Data|Verzonden|Skickat|Sendt|送信日時|日時|发送时间|日期)\s?[:：]\*?\s?\S/iu;
const anyLabel = /^\*?\p{L}[\p{L}\p{M} -]{0,24}\s?[:：]/u;
/** In any language: who wrote it, with an address in brackets, and when, to the minute. */
const anyFrom = /^\*?\p{L}[\p{L}\p{M} -]{0,24}\s?[:：].{1,200}(?:<|\[mailto:)[^<>[\]\s]{1,254}@[^<>[\]\s]{1,254}[>\]]/u;
/** Outlook draws it above them. A line of hyphens may be a person's own, above a list. */
const ruler = /^_{20,}$/;
const day = /\p{Nd}{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2}/u;
const minute = /(?<![\p{Nd}.])\p{Nd}{1,2}[:.h時]\p{Nd}{2}(?![.\p{Nd}])/u;
/** Marks of direction in front of Hebrew and Arabic labels. */
const marks = /^[\u200E\u200F\s]+/;
const separator =
  /^(?:-{2,} ?(?:[^-]|-(?=\p{L})){0,30}(?:message|nachricht|mensaje|messaggio|mensagem|bericht|meddelande|besked|wiadomo|メッセージ|邮件)[^-]{0,20}-{2,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|転送されたメッセージ)[:：]|>>> .{1,200}\d >>>)$/iu;

/** In code units. Longer lines are words of a person. */
const lineMax = 500;
/** Programs fold a long attribution. */
const foldsMax = 4;

const isQuoted = (line: string) => /^ {0,2}>/.test(line);

/** A text without what it quotes; the whole text when nothing else is in it. */
export function withoutQuotes(text: string): string {
  const lines = withoutSignature(text.split("\n"));
  const quotedAt = lines.findIndex(isQuoted);
  // One line alone is more likely a sign that a person typed.
  const marked = lines.filter(isQuoted).length > 1 || (quotedAt > 0 && attributionAbove(lines, quotedAt) > 0);
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (marked && isQuoted(line)) {
      // The first quote's attribution is known by its place, in any language.
      if (at === quotedAt) kept.length -= attributionAbove(kept, kept.length);
      continue;
    }
    if (line.length > lineMax) {
      kept.push(line);
      continue;
    }
    // From here on nothing is marked as quoted, but all of it is.
    if (separator.test(line.trim()) || headsBlock(lines, at)) break;
    const folds = attributionAt(lines, at);
    if (folds > 0) {
      const attribution = lines.slice(at, at + folds);
      at += folds - 1;
      const next = lines.slice(at + 1, at + 4).find((each) => each.trim() !== "");
      if (next !== undefined && isQuoted(next)) continue;
      // No mark shows what is quoted. A person who quotes names a day, but neither a minute nor an address.
      if (attribution.some((each) => each.includes("@") || minute.test(each))) break;
      kept.push(...attribution);
      continue;
    }
    kept.push(line);
  }
  const frame = /^$|^(?:[-_*=]{5,}|[─━]{3,}|-{5,} ?(?:[^-]|-(?=\p{L})){1,40}-{5,})$/u;
  while (kept.length > 0 && frame.test((kept.at(-1) ?? "").trim())) kept.pop();
  const reply = kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return reply === "" ? text : reply;
}

/** What PGP signed within a text (RFC 4880 7): lines that begin with a hyphen have another one in front. */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const begin = lines.indexOf("-----BEGIN PGP SIGNED MESSAGE-----");
  const signature = lines.indexOf("-----BEGIN PGP SIGNATURE-----", begin);
  const end = lines.indexOf("-----END PGP SIGNATURE-----", signature);
  if (begin === -1 || signature === -1 || end === -1) return lines;
  let start = begin + 1;
  while (/^\p{L}+: /u.test(lines[start] ?? "")) start += 1;
  if (lines[start]?.trim() !== "") return lines;
  const signed = lines.slice(start + 1, signature).map((line) => line.replace(/^- /, ""));
  return [...lines.slice(0, begin), ...signed, ...lines.slice(end + 1)];
}

/** How many of the lines above `end` tell who wrote the quote there, blank ones included. */
function attributionAbove(lines: readonly string[], end: number): number {
  let start = end;
  while (start > 0 && end - start < 2 && lines[start - 1]?.trim() === "") start -= 1;
  const last = lines[start - 1]?.trim() ?? "";
  if (last.length > lineMax || !/[:：]$/.test(last)) return 0;
  if (someoneWrote.test(last)) return end - start + 1;
  for (let from = start - 1; from >= Math.max(0, start - foldsMax); from -= 1) {
    const line = lines[from]?.trim() ?? "";
    if (line === "" || line.length > lineMax) return 0;
    const whole = lines.slice(from, start).join(" ");
    // A fold breaks off before an address and its date stands first.
    const begins = from === 0 || lines[from - 1]?.trim() === "";
    if (isOfSomeone(whole) && begins) return end - from;
    if (dated.test(whole) && (begins || /^(?:On|Am|Le|El|Il|Op|Em|Den|W dniu|在|\d{4})\b/u.test(line)))
      return end - from;
  }
  return 0;
}

/** How many lines from `at` on are an attribution, in a language known here. */
function attributionAt(lines: readonly string[], at: number): number {
  if (!/^\s{0,8}(?:-{2,4} )?(?:\p{L}|\d).{0,90}[\d,]/u.test(lines[at] ?? "")) return 0;
  let whole = "";
  for (let folds = 1; folds <= foldsMax; folds += 1) {
    const line = lines[at + folds - 1]?.trim() ?? "";
    if (line === "" || whole.length + line.length > lineMax) return 0;
    whole = `${whole} ${line}`;
    if (!/(?:[:：]| -{3,4})$/.test(line)) continue;
    const isDated = wrote.test(whole)
      ? dated.test(whole) && (/[@<]/.test(whole) || !oneself.test(whole))
      : isOfSomeone(whole) && day.test(whole) && minute.test(whole);
    return isDated && startsLikeOne(whole) ? folds : 0;
  }
  return 0;
}

/** Whether it ends with an address, as in languages whose attributions have no verb behind it. */
const isOfSomeone = (whole: string) => /<[^<>\s]{1,254}@[^<>\s]{1,254}>\s?[:：]$/.test(whole);

/** A line of a name, an address and a verb: Gnus and s-nail name no day. */
const someoneWrote = /^(?:"?\p{Lu}[\p{L}\p{M}.,'’-]*"? ){1,6}<[^<>\s]{1,254}@[^<>\s]{1,254}> (?:writes|wrote):$/u;

/** A sentence about what someone wrote does not begin with a date, a name and an address. */
const startsLikeOne = (whole: string) =>
  /^\s*(?:On|Am|Le|El|Il|Op|Em|Den|W dniu|Dnia|Dne|在|\p{L}{2,3}[.,]|\d)/u.test(whole) ||
  /<[^<>\s]{3,254}>/.test(whole);

/** Whether a block of headers begins at a line. */
function headsBlock(lines: readonly string[], at: number): boolean {
  const [first = "", ...below] = lines.slice(at, at + 7).map((line) => line.replace(marks, "").trim().slice(0, 500));
  const isFirst =
    fromLabel.test(first) ||
    anyFrom.test(first) ||
    (ruler.test(lines[at - 1]?.trim() ?? "") && anyLabel.test(first)) ||
    (dateLabel.test(first) && below.some((line) => fromLabel.test(line)));
  const labelled = below.filter((line) => anyLabel.test(line));
  // A person who lists things writes no minute.
  return isFirst && labelled.length >= 2 && [first, ...labelled].some((line) => day.test(line) && minute.test(line));
}
