// The addresses of the pages: what each understands of its parameters, and how they are written.
import { mailStatuses, overviewDays, subscriberStatuses } from "@submissions/shared/console";
import { kinds, submissionKinds, type KindPlural } from "@submissions/shared/kinds";
import { percentDecoded } from "@submissions/shared/text";
import { consoleUrl } from "./early.ts";
import { oneOf, readInboxSearch, textUpTo } from "./inbox/inbox-search.ts";

type Raw = Readonly<Record<string, unknown>>;
type SubmissionPath = `/${KindPlural}/$reference`;

const nothing = () => ({});

/** What each page takes from its address, by path. A part with `$` is a parameter. */
const readers = {
  "/": readInboxSearch,
  // The list stays as it is beside an open submission.
  ...(Object.fromEntries(
    submissionKinds.map((kind) => [`/${kinds[kind].plural}/$reference`, readInboxSearch]),
  ) as Readonly<Record<SubmissionPath, typeof readInboxSearch>>),
  "/people/$person": nothing,
  "/subscribers": ({ status, source, q }: Raw) => ({
    status: oneOf(subscriberStatuses, status),
    source: textUpTo(source, 254),
    q: textUpTo(q, 254),
  }),
  "/mails": ({ status }: Raw) => ({ status: oneOf([...mailStatuses, "all"] as const, status) }),
  "/overview": ({ days }: Raw) => ({ days: overviewDays.find((one) => one === Number(days)) }),
  "/unmatched": nothing,
  "/audit": nothing,
  "/settings": nothing,
  "/invitation": nothing,
  "/sign-in": nothing,
};

export type Path = keyof typeof readers;
export type SearchOf<One extends Path> = Readonly<Partial<ReturnType<(typeof readers)[One]>>>;

interface Params {
  readonly reference?: string;
  readonly person?: string;
}

/** Where a link leads. */
export interface Target<To extends Path = Path> {
  readonly to: To;
  readonly params?: Params;
  readonly search?: SearchOf<To>;
}

/** What an address says. */
export interface Place {
  /** Undefined: there is no page at the address. */
  readonly path: Path | undefined;
  readonly params: Params;
  readonly search: object;
  /** Of the address, without the console's own. */
  readonly pathname: string;
  /** The address as it is written here, without what no page understands. */
  readonly href: string;
}

/** `/console`, or longer where the service lies below a path. */
const base = new URL(consoleUrl).pathname.replace(/\/$/, "");

/**
 * What is searched for stands in the fragment, which no server or log on the way sees. The pages read it like their other
 * parameters. In older addresses it stands among them.
 */
const inFragment = ["q", "letter"];

export function placeOf({ pathname, search, hash }: Pick<URL, "pathname" | "search" | "hash">): Place {
  const raw = Object.fromEntries(new URLSearchParams(search));
  const fragment = new URLSearchParams(hash.slice(1));
  const words = inFragment.filter((name) => fragment.has(name));
  for (const name of words) raw[name] = fragment.get(name)!;
  const own = pathname.slice(base.length).replace(/\/+$/, "") || "/";
  const paths = Object.keys(readers) as Path[];
  const path = paths.find((one) => paramsIn(one, own) !== null);
  const read = path === undefined ? {} : readers[path](raw);
  // The token of an invitation stands there too.
  const rest = words.length === 0 ? hash : "";
  const params = (path !== undefined && paramsIn(path, own)) || {};
  return { path, params, search: read, pathname: own, href: written(own, read, rest) };
}

/** The address of a page, without the host. */
export const hrefOf = ({ to, params = {}, search = {} }: Target): string =>
  written(
    to.replace(/\$(\w+)/, (_, name: keyof Params) => encodeURIComponent(params[name] ?? "")),
    search,
    "",
  );

function written(path: string, search: object, fragment: string): string {
  const parts = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = (inIt: boolean) =>
    new URLSearchParams(parts.filter(([name = ""]) => inFragment.includes(name) === inIt)).toString();
  const [shown, words] = [text(false), text(true)];
  return `${base}${path}`.replace(/\/$/, "") + (shown && `?${shown}`) + (words ? `#${words}` : fragment);
}

/** Null: the path is another. */
function paramsIn(path: Path, own: string): Params | null {
  const parts = own.split("/");
  const asked = path.split("/");
  if (parts.length !== asked.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of asked.entries()) {
    const given = parts[at]!;
    if (part.startsWith("$")) params[part.slice(1)] = percentDecoded(given) ?? given;
    else if (part !== given) return null;
  }
  return params;
}
