// What a part of a page shows while it loads, when it failed and when there is nothing; and small signs that recur.
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useSyncExternalStore, type ReactNode } from "react";
import { isMissing, messageOf } from "../calls.ts";
import { age, exactTime, initials, word } from "../words.ts";
import { Icon, type IconName } from "./icons.tsx";

export interface WaitingQuery {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
}

interface WaitingProps {
  readonly query: WaitingQuery;
  /** How many rows it will bring, more or less. */
  readonly rows: number;
  readonly className?: string;
}

/** In the place of what a query brings: lines while it loads, and why it failed. */
export const Waiting = ({ query, ...lines }: WaitingProps) => {
  if (query.isPending) return <Skeleton {...lines} />;
  return query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : null;
};

export function Failure({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  if (isMissing(error)) {
    return <Empty icon="search" title="Not found" text="It does not exist, or your role does not include it." />;
  }
  return (
    <div className="empty" role="alert">
      <Icon name="warning" size={28} />
      <h2>This could not be loaded</h2>
      <p>{messageOf(error)}</p>
      <button onClick={retry}>Try again</button>
    </div>
  );
}

interface MoreRowsProps {
  readonly list: Pick<
    UseInfiniteQueryResult,
    "error" | "fetchNextPage" | "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError"
  >;
  /** What the button says. */
  readonly label: string;
}

/** The button that loads the next page of a list, and why that failed. */
export const MoreRows = ({ list, label }: MoreRowsProps) =>
  list.hasNextPage && (
    <div className="more-rows">
      <p className="problem" role="alert">
        {list.isFetchNextPageError && `Not loaded. ${messageOf(list.error)}`}
      </p>
      <button onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
        {list.isFetchingNextPage ? "Loading…" : label}
      </button>
    </div>
  );

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: ReactNode;
  readonly children?: ReactNode;
}

export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    {text && <p>{text}</p>}
    {children}
  </div>
);

/** Lines in place of rows, as high as these will be. */
export const Skeleton = ({ rows, className }: { readonly rows: number; readonly className?: string }) => (
  <div role="status" className="skeleton">
    <span className="unseen">Loading…</span>
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className={className} aria-hidden="true">
        <i />
        <i />
      </div>
    ))}
  </div>
);

const tickMs = 30_000;
const onTick = (listener: () => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

/** The time, at most 30 s old; its component is drawn again as it passes. */
export const useNow = (): number => useSyncExternalStore(onTick, () => Math.floor(Date.now() / tickMs) * tickMs);

/** How long ago, with the exact time on hover. */
export function Age({ at, ago = false }: { readonly at: number; readonly ago?: boolean }) {
  const text = age(at, useNow());
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {text}
      {ago && /(?:min|h|d)$/.test(text) && " ago"}
    </time>
  );
}

interface MarkProps {
  readonly of: "status" | "mail" | "delivery" | "subscriber";
  readonly state: string;
}

/** The state of a thing, in its colour. */
export const Mark = ({ of, state }: MarkProps) => <span className={`mark ${of}-${state}`}>{word(state)}</span>;

/** One of a list of facts (`<dl className="fields">`). */
export const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** A round sign with the initials of a person. */
export const Avatar = ({ name, small = false }: { readonly name: string; readonly small?: boolean }) => (
  <span
    className={`avatar tint-${tintOf(name)}${small ? " small" : ""}`}
    aria-hidden="true"
    title={small ? name : undefined}
  >
    {initials(name)}
  </span>
);

const tints = 6;
const tintOf = (name: string) =>
  Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % tints;
/** How many colours there are, `tag-0` and so on. A tag has the same one everywhere. */
const colours = 6;
export const colourOf = (tag: string): string =>
  `tag tag-${Array.from(tag).reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973, 7) % colours}`;

export const Tag = ({ tag }: { readonly tag: string }) => <span className={colourOf(tag)}>{tag}</span>;
