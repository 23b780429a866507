// Reads the tags of the XML in an Office package. Knows just enough XML for that, and refuses a DOCTYPE. Each character is looked
// at a fixed number of times, whatever the text holds.

/** Tags, attributes, comments and the like that are read. A document of 1,000 parts has some 3,000. */
const itemsMax = 20_000;

const namedReferences: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** What may stand between tags: comments, instructions, character data. */
const passedOver = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>/y;

/** The tags of a document in their order; null: the XML cannot be read or holds too much. */
export const readTags = (xml: Buffer) => {
  const tags: NonNullable<ReturnType<typeof readTag>>[] = [];
  const text = decodeXml(xml);
  let items = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    items += 1;
    if (items > itemsMax) return null;
    passedOver.lastIndex = at;
    if (passedOver.test(text)) {
      at = passedOver.lastIndex;
      continue;
    }
    const tag = readTag(text, at, itemsMax - items);
    if (!tag) return null;
    items += tag.attributes.size;
    at = tag.end;
    tags.push(tag);
  }
  return tags;
};

/** Other encodings agree with UTF-8 on the ASCII that content types and relationships are written in. */
const decodeXml = (xml: Buffer): string => {
  if (xml[0] === 0xff && xml[1] === 0xfe) return new TextDecoder("utf-16le").decode(xml);
  if (xml[0] === 0xfe && xml[1] === 0xff) return new TextDecoder("utf-16be").decode(xml);
  return new TextDecoder("utf-8").decode(xml);
};

// Neighbours never match the same character, so that a pattern that fails has looked at each a fixed number of times.
const tagStart = /<(?![!?])\/?(?:[^ \t\r\n:<>/="']+:)?([^ \t\r\n:<>/="']+)/y;
const nextAttribute = /[ \t\r\n]+([^ \t\r\n<>/="']+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /[ \t\r\n]*\/?>/y;

/** The tag at `at`, its name without the prefix, and where the text goes on; null: none (a DOCTYPE), or too many attributes. */
const readTag = (text: string, at: number, attributesMax: number) => {
  let end = at;
  const read = (pattern: RegExp) => {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match !== null) end = pattern.lastIndex;
    return match;
  };
  const start = read(tagStart);
  if (start === null) return null;
  const attributes = new Map<string, string>();
  for (let found = read(nextAttribute); found !== null; found = read(nextAttribute)) {
    const [, key = "", inDouble, inSingle = ""] = found;
    // Readers differ in which of two equal attributes they believe.
    if (attributes.has(key) || attributes.size === attributesMax) return null;
    attributes.set(key, resolveReferences(inDouble ?? inSingle));
  }
  return read(tagEnd) === null ? null : { name: start[1], attributes, end };
};

const resolveReferences = (value: string): string =>
  value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedReferences[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
