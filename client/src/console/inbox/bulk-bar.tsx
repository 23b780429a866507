// What can be done with several submissions at once. It takes the place of the filters, at the same height.
import { Icon } from "../parts/icons.tsx";
import type { Change } from "../triage/triage-words.ts";
import { count } from "../words.ts";

interface Props {
  /** `all`: everything that the filter matches, loaded or not. */
  readonly selected: number | "all";
  /** How many rows are loaded. */
  readonly loaded: number;
  /** Whether more rows match than are loaded. */
  readonly more: boolean;
  readonly onSelectAll: () => void;
  readonly onSelectMatching: () => void;
  readonly onChange: (change: Change) => void;
  readonly onOpen: (dialog: "assign" | "reply" | "tag") => void;
  readonly onClear: () => void;
}

/** Mails that one confirmation sends. */
const repliesMax = 50;

export const BulkBar = ({
  selected,
  loaded,
  more,
  onSelectAll,
  onSelectMatching,
  onChange,
  onOpen,
  onClear,
}: Props) => (
  <div className="filters bulk" role="toolbar" aria-label="Selected submissions">
    <strong>{selected === "all" ? "All that match" : `${count(selected)} selected`}</strong>
    <button onClick={() => onChange({ status: "done" })}>
      <Icon name="check" size={16} /> Done
    </button>
    <button onClick={() => onChange({ status: "open" })}>Open</button>
    <button onClick={() => onOpen("assign")}>Assign</button>
    {selected !== "all" && (
      <>
        <button
          disabled={selected > repliesMax}
          title={selected > repliesMax ? `At most ${repliesMax} at once` : undefined}
          onClick={() => onOpen("reply")}
        >
          Reply to selected
        </button>
        <button onClick={() => onOpen("tag")}>Tag</button>
      </>
    )}
    <button onClick={() => onChange({ status: "spam" })}>Spam</button>
    {selected !== "all" && selected < loaded && (
      <button className="link" onClick={onSelectAll}>
        Select all {count(loaded)}
      </button>
    )}
    {selected !== "all" && selected >= loaded && more && (
      <button className="link" onClick={onSelectMatching}>
        Select all that match
      </button>
    )}
    <button className="link" onClick={onClear}>
      Clear
    </button>
  </div>
);
