// What of a mail's HTML its text is made of. Styles, scripts, comments, embedded images and the markup of office programs are
// many times longer than the words, and are taken out before the length is bounded.

/** Each match ends with the text at the latest, so that the work is linear. */
const markup =
  /<!--(?:-?>|[^]*?(?:--!?>|$))|<(script|style|title)(?=[\s/>])(?!\s*\/>)[^]*?(?:<\/\1(?=[\s/>])[^>]*>?|$)|<[!?][^>]*>?|<(\/?)([a-z][^\s/>]*)((?:[^>=]+|=\s*(?:"[^"]*"?|'[^']*'?|[^\s>]*)){0,500})[^>]*>?|</gi;
const attribute = /(?:^|[\s"'/])(href|class|start)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const attributesLengthMax = 5_000;

const words = (text: string) => new Set(text.split(" "));
/** What lines, lists, quotes and links are made of. */
const makesLines = words(
  "a article aside blockquote br div footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table ul",
);
/** Empty, or closed by the next one where they are not: they make no depth. */
const makesNoDepth = words("br hr li p");
const separates = words("dd dt option td th");
const hasAttributes = words("a ol p");
/** Each of them takes all lines in it once more. */
const indents = words("blockquote ol ul");
const indentDepth = 5;
/** Of tags in tags: the parser takes the square of it. Deeper ones are line breaks. */
const depthMax = 60;

/** @param lengthMax where it may end; what is longer was cut */
export function leanHtml(html: string, lengthMax: number): string {
  const open = new Map<string, number>();
  let depth = 0;
  const tag = (slash: string, name: string, attributes: string): string => {
    // A row is a line, and its end may be left out.
    if (name === "tr") return slash === "" ? "<br>" : "";
    if (!makesLines.has(name)) return separates.has(name) ? " " : "";
    if (!makesNoDepth.has(name)) {
      const count = open.get(name) ?? 0;
      if (slash !== "" && count === 0) return "";
      const step = indents.has(name) ? indentDepth : 1;
      if (slash === "" && depth + step > depthMax) return name === "a" ? "" : "<br>";
      open.set(name, slash === "" ? count + 1 : count - 1);
      depth += slash === "" ? step : -step;
    }
    return `<${slash}${name}${slash === "" && hasAttributes.has(name) ? attributesIn(attributes) : ""}>`;
  };
  let lean = "";
  let end = 0;
  for (const { 0: found, 2: slash = "", 3: name = "", 4: attributes = "", index } of html.matchAll(markup)) {
    if (lean.length > lengthMax) return lean;
    // An angle bracket of the text would begin a tag where one behind it is taken out.
    lean += html.slice(end, index) + (found === "<" ? "&lt;" : tag(slash, name.slice(0, 20).toLowerCase(), attributes));
    end = index + found.length;
  }
  return lean + html.slice(end);
}

const attributesIn = (text: string) =>
  Array.from(
    text.slice(0, attributesLengthMax).matchAll(attribute),
    ([, name, ...values]) => ` ${name}="${values.join("").replaceAll('"', "&quot;")}"`,
  ).join("");
