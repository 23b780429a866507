// What the receiving server found out about the sender: Authentication-Results (RFC 8601) and Received-SPF (RFC 7208).

const methods = ["dmarc", "spf", "dkim"] as const;
type Method = (typeof methods)[number];

/** Where each method tells the domain that it is about, best first. */
const domainOf: Record<Method, readonly string[]> = {
  dmarc: ["header.from"],
  spf: ["smtp.mailfrom", "smtp.helo"],
  dkim: ["header.d", "header.i"],
};

export function readAuthenticationResults(value: string) {
  const [first = [], ...rest] = statementsOf(value);
  // Exchange Online writes no name of its own, and begins with a result.
  const named = first[0]?.includes("=") !== true;
  const results = (named ? rest : [first, ...rest]).flatMap(([head = "", ...properties]) => {
    // A version may stand behind the method: `dkim/1=pass`.
    const [name, result] = cut(head.toLowerCase(), "=");
    const method = methods.find((known) => known === cut(name, "/")[0]);
    if (method === undefined || result === "") return [];
    const values = new Map(properties.map((property) => cut(property, "=")).toReversed());
    const key = domainOf[method].find((each) => values.has(each));
    return [{ method, result, ...domainIn(key === undefined ? undefined : values.get(key)) }];
  });
  // Empty: the server wrote no name.
  return { authservId: named ? (first[0] ?? "").toLowerCase() : "", results };
}

export function readReceivedSpf(value: string) {
  const [[first = "", ...firstPair] = [], ...others] = statementsOf(value);
  const result = first.toLowerCase();
  if (!/^[a-z]+$/.test(result)) return undefined;
  // One pair stands between two semicolons (RFC 7208 9.1): a word beside it is a part of what the sender said.
  const pairs = [firstPair, ...others].flatMap((words) => (words.length === 1 ? [cut(words[0] ?? "", "=")] : []));
  const valuesOf = (key: string) => pairs.flatMap(([name, of]) => (name.toLowerCase() === key ? [of] : []));
  // Google names the domain in the comment alone. Its beginning is Google's; what follows may be the sender's.
  const comment = /^\w+ \([\w.-]+: (?:best guess record for )?domain of (?:transitioning )?([^\s"()@]+@[\w.-]+) /.exec(
    value,
  );
  // The sender's words at HELO and in MAIL FROM are checked apart; the pass is about one of them.
  const identity = valuesOf("identity")[0]?.toLowerCase() ?? "mailfrom";
  const told = valuesOf("envelope-from");
  // Exchange Online names no more than the domain, and only there.
  const host = /^\w+ \([\w.-]+: domain of ([\w.-]+) designates\s/.exec(value);
  const senders = told.length === 0 && host ? host.slice(1) : [...told, ...(comment?.slice(1) ?? [])];
  const named = identity === "mailfrom" ? senders : identity === "helo" ? valuesOf("helo") : [];
  const domains = new Set(named.map((each) => domainIn(each).domain));
  const [domain] = domains;
  const isClear = domains.size === 1 && new Set(valuesOf("identity")).size <= 1;
  return { result, ...(isClear && domain !== undefined && { domain }) };
}

/** The statements between semicolons, as words. Comments are left out and quotes taken off. */
function statementsOf(value: string): string[][] {
  const statements: string[][] = [];
  let words: string[] = [];
  let word = "";
  let depth = 0;
  let quoted = false;
  const endWord = () => {
    const before = words.at(-1) ?? "";
    // White space and comments may stand around these signs. The value of one property is not the name of the next.
    const isOne = (/[=/.]$/.test(before) || /^[=/.]/.test(word)) && !(before.includes("=") && word.includes("="));
    if (isOne) words[words.length - 1] = before + word;
    else if (word !== "") words.push(word);
    word = "";
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\" && (quoted || depth > 0)) {
      at += 1;
      if (quoted && depth === 0) word += value.charAt(at);
    } else if (character === '"') {
      // In a comment, too: a sender's quoted words that a server repeats there must not end it.
      quoted = !quoted;
    } else if (quoted) {
      if (depth === 0) word += character;
    } else if (depth > 0) {
      if (character === "(") depth += 1;
      if (character === ")") depth -= 1;
    } else if (character === "(") {
      depth = 1;
      endWord();
    } else if (character === ";" || /\s/.test(character)) {
      endWord();
      if (character === ";") {
        statements.push(words);
        words = [];
      }
    } else {
      word += character;
    }
  }
  endWord();
  return [...statements, words].filter((each) => each.length > 0);
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function domainIn(address: string | undefined): { domain?: string } {
  const domain = address
    ?.replace(/^.*@/s, "")
    .replace(/[<>.]+$/, "")
    .toLowerCase();
  return domain !== undefined && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain) ? { domain } : {};
}
