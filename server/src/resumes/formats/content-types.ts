// Reads `[Content_Types].xml`, the one part of an Office package that tells what the others are. Knows just enough XML for
// that: resolves no entity but the five of XML itself, and refuses a DOCTYPE. Each character is looked at a fixed number of
// times, whatever the text holds.

/**
 * Tells the content type of a part, lower case; undefined when nothing names it. The name begins with a slash. Parts and
 * extensions compare without case.
 */
type TypeOfPart = (partName: string) => string | undefined;

/** Tags, attributes, comments and the like that are read. A document of 1,000 parts has some 3,000. */
const itemsMax = 20_000;

const namedReferences: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** What may stand between tags and is passed over. */
const passedOver = [
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
] as const;

/** The content types that the XML declares, or null when it cannot be read or holds too much. */
export const parseContentTypes = (xml: Buffer): TypeOfPart | null => {
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  const text = decodeXml(xml);
  let items = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    items += 1;
    if (items > itemsMax) return null;
    const end = skipOver(text, at);
    if (end === null) return null;
    if (end > at) {
      at = end;
      continue;
    }
    const tag = readTag(text, at, itemsMax - items);
    if (!tag) return null;
    items += tag.attributes.size;
    at = tag.end;
    const type = tag.attributes.get("ContentType")?.trim().toLowerCase();
    const extension = tag.attributes.get("Extension");
    const partName = tag.attributes.get("PartName");
    if (type === undefined) continue;
    if (tag.name === "Default" && extension !== undefined) defaults.set(extension.toLowerCase(), type);
    if (tag.name === "Override" && partName !== undefined) overrides.set(asPartName(partName), type);
  }
  return (partName) => {
    const name = partName.toLowerCase();
    return overrides.get(name) ?? defaults.get(name.slice(name.lastIndexOf(".") + 1));
  };
};

const asPartName = (value: string) => (value.startsWith("/") ? value : `/${value}`).toLowerCase();

/** Other encodings agree with UTF-8 on the ASCII that content types are written in. */
const decodeXml = (xml: Buffer): string => {
  if (xml[0] === 0xff && xml[1] === 0xfe) return new TextDecoder("utf-16le").decode(xml);
  if (xml[0] === 0xfe && xml[1] === 0xff) return new TextDecoder("utf-16be").decode(xml);
  return new TextDecoder("utf-8").decode(xml);
};

/** Where a comment or the like ends; `at` itself when there is none; null for a DOCTYPE or one without an end. */
const skipOver = (text: string, at: number): number | null => {
  for (const [open, close] of passedOver) {
    if (!text.startsWith(open, at)) continue;
    const end = text.indexOf(close, at + open.length);
    return end < 0 ? null : end + close.length;
  }
  return text.startsWith("<!", at) ? null : at;
};

/**
 * The tag at `at`, its name without the namespace prefix, and where the text goes on; null when there is none, or it has
 * more attributes than it may.
 */
const readTag = (text: string, at: number, attributesMax: number) => {
  const nameStart = at + (text[at + 1] === "/" ? 2 : 1);
  let end = endOfName(text, nameStart);
  const [name, prefix, ...more] = text.slice(nameStart, end).split(":", 3).toReversed();
  if (!name || prefix === "" || more.length > 0) return null;
  const attributes = new Map<string, string>();
  for (;;) {
    const keyStart = endOfSpace(text, end);
    const keyEnd = endOfName(text, keyStart);
    if (keyEnd === keyStart || keyStart === end) {
      end = keyStart;
      break;
    }
    const key = text.slice(keyStart, keyEnd);
    const value = readValue(text, keyEnd);
    // Readers differ in which of two equal attributes they believe.
    if (!value || attributes.has(key) || attributes.size === attributesMax) return null;
    attributes.set(key, value.text);
    end = value.end;
  }
  if (text[end] === "/") end += 1;
  return text[end] === ">" ? { name, attributes, end: end + 1 } : null;
};

/** The equals sign and the quoted value of an attribute. */
const readValue = (text: string, at: number): { readonly text: string; readonly end: number } | null => {
  const equals = endOfSpace(text, at);
  if (text[equals] !== "=") return null;
  const start = endOfSpace(text, equals + 1);
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return null;
  const end = text.indexOf(quote, start + 1);
  if (end < 0) return null;
  const value = text.slice(start + 1, end);
  return value.includes("<") ? null : { text: resolveReferences(value), end: end + 1 };
};

const endOfSpace = (text: string, at: number): number => {
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
};

const endOfName = (text: string, at: number): number => {
  while (at < text.length && !isSpace(text.charCodeAt(at)) && !isDelimiter(text.charCodeAt(at))) at += 1;
  return at;
};

/** White space as XML counts it. */
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** `<`, `>`, `/`, `=` and quotation marks. */
const isDelimiter = (code: number) =>
  code === 0x3c || code === 0x3e || code === 0x2f || code === 0x3d || code === 0x22 || code === 0x27;

const resolveReferences = (value: string): string =>
  value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedReferences[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
