// Reads `[Content_Types].xml`, the one part of an Office package that tells what the others are. Knows just enough XML
// for that: no entity but the five of XML itself is ever resolved, and a DOCTYPE is refused.

/** Which part has which content type. Parts and extensions compare without case. */
export interface ContentTypes {
  /** The content type of a part, lower case; undefined when nothing names it. The name begins with a slash. */
  typeOf(partName: string): string | undefined;
}

type Attributes = ReadonlyMap<string, string>;

// Each alternative begins differently, so that matching never goes back over what it has read.
const elementName = /<\/?(?:[^\s<>/="':]+:)?([^\s<>/="':]+)/y;
const attribute = /\s+([^\s<>/="']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*\/?>/y;

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

/** The content types that the XML declares, or null when it is not XML that could be read. */
export const parseContentTypes = (xml: Buffer): ContentTypes | null => {
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  const text = decodeXml(xml);
  let position = 0;
  for (;;) {
    position = text.indexOf("<", position);
    if (position < 0) break;
    const end = skipOver(text, position);
    if (end === null) return null;
    if (end > position) {
      position = end;
      continue;
    }
    const tag = readTag(text, position);
    if (!tag) return null;
    position = tag.end;
    const type = tag.attributes.get("ContentType")?.trim().toLowerCase();
    const extension = tag.attributes.get("Extension");
    const partName = tag.attributes.get("PartName");
    if (type === undefined) continue;
    if (tag.name === "Default" && extension !== undefined) defaults.set(extension.toLowerCase(), type);
    if (tag.name === "Override" && partName !== undefined) overrides.set(asPartName(partName), type);
  }
  return {
    typeOf: (partName) => {
      const name = partName.toLowerCase();
      return overrides.get(name) ?? defaults.get(name.slice(name.lastIndexOf(".") + 1));
    },
  };
};

const asPartName = (value: string) => (value.startsWith("/") ? value : `/${value}`).toLowerCase();

/** Other encodings agree with UTF-8 on the ASCII that content types are written in. */
const decodeXml = (xml: Buffer): string => {
  if (xml[0] === 0xff && xml[1] === 0xfe) return new TextDecoder("utf-16le").decode(xml);
  if (xml[0] === 0xfe && xml[1] === 0xff) return new TextDecoder("utf-16be").decode(xml);
  return new TextDecoder("utf-8").decode(xml);
};

/** Where a comment or the like ends; `position` itself when there is none; null for a DOCTYPE or one without an end. */
const skipOver = (text: string, position: number): number | null => {
  for (const [open, close] of passedOver) {
    if (!text.startsWith(open, position)) continue;
    const end = text.indexOf(close, position + open.length);
    return end < 0 ? null : end + close.length;
  }
  return text.startsWith("<!", position) ? null : position;
};

const readTag = (text: string, position: number): { name: string; attributes: Attributes; end: number } | null => {
  elementName.lastIndex = position;
  const name = elementName.exec(text)?.[1];
  if (name === undefined) return null;
  let end = elementName.lastIndex;
  const attributes = new Map<string, string>();
  for (;;) {
    attribute.lastIndex = end;
    const match = attribute.exec(text);
    const key = match?.[1];
    if (!match || key === undefined) break;
    // Readers differ in which of two equal attributes they believe.
    if (attributes.has(key)) return null;
    attributes.set(key, resolveReferences(match[2] ?? match[3] ?? ""));
    end = attribute.lastIndex;
  }
  tagEnd.lastIndex = end;
  return tagEnd.test(text) ? { name, attributes, end: tagEnd.lastIndex } : null;
};

const resolveReferences = (value: string): string =>
  value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedReferences[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
