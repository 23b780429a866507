// Parts of a page under a heading, lists of things in them, and what often stands in these.
import { useState, type ReactNode } from "react";
import "../styles/pages.css";
import { Waiting, type WaitingQuery } from "./states.tsx";
import { count, submissionPath } from "../words.ts";
import type { Target } from "../addresses.ts";
import { Link } from "../router.tsx";

interface BoxProps {
  readonly title: string;
  readonly button?: ReactNode;
  readonly children: ReactNode;
}

export const Box = ({ title, button, children }: BoxProps) => (
  <section className="box">
    <div className="box-head">
      <h2>{title}</h2>
      {button}
    </div>
    {children}
  </section>
);

interface LinesProps<Row> {
  /** What brings the rows, or the rows. */
  readonly of: (WaitingQuery & { readonly data: readonly Row[] | undefined }) | readonly Row[];
  /** Said where there are none. */
  readonly empty?: string;
  /** A row as a `Line`. */
  readonly children: (row: Row) => ReactNode;
}

export function Lines<Row>({ of, empty, children }: LinesProps<Row>) {
  const rows = "data" in of ? of.data : of;
  if (rows === undefined) return <Waiting query={of as WaitingQuery} rows={2} />;
  return rows.length === 0 ? <p className="quiet">{empty}</p> : <ul className="lines">{rows.map(children)}</ul>;
}

interface LineProps {
  /** Before the words. */
  readonly sign?: ReactNode;
  readonly title: ReactNode;
  /** Behind the title. */
  readonly hint?: ReactNode;
  /** Below the title. */
  readonly about: ReactNode;
  /** What is at its end: a state, buttons. */
  readonly children?: ReactNode;
}

export const Line = ({ sign, title, hint, about, children }: LineProps) => (
  <li>
    {sign}
    <div>
      <p>
        {title} {hint && <span className="quiet">{hint}</span>}
      </p>
      <div className="quiet small">{about}</div>
    </div>
    {children}
  </li>
);

/** A link to a submission. */
export const ReferenceLink = ({ reference }: { readonly reference: string }) => (
  <Link to={submissionPath(reference)} params={{ reference }} className="reference">
    {reference}
  </Link>
);

interface CopyProps {
  readonly text: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

export function CopyButton({ text, className, children = "Copy" }: CopyProps) {
  const [copied, setCopied] = useState(false);
  // Pages over plain HTTP have no clipboard.
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      className={className}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          // Without the permission to write there, the text can still be copied by hand.
          () => {},
        )
      }
    >
      {copied ? "Copied" : children}
    </button>
  );
}

interface SharesProps {
  readonly title: string;
  /** The most frequent first. */
  readonly of: readonly { readonly word: string; readonly name: string; readonly count: number }[];
  /** To the list that is counted. */
  readonly linkOf: (word: string) => Target;
}

/** Words with bars as long as they are frequent. */
export const Shares = ({ title, of, linkOf }: SharesProps) => (
  <Box title={title}>
    <ol>
      {of.map((share) => (
        <li key={share.word}>
          <Link {...linkOf(share.word)}>
            <span className="clip">{share.name}</span>
            <span>{count(share.count)}</span>
            <i style={{ width: `${(100 * share.count) / (of[0]?.count ?? 1)}%` }} />
          </Link>
        </li>
      ))}
    </ol>
  </Box>
);
