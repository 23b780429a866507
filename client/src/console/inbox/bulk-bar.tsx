// What can be done with several submissions at once. It takes the place of the filters, at the same height.
import { Icon } from "../parts/icons.tsx";
import type { Change } from "../triage.ts";
import { count } from "../words.ts";

interface Props {
  readonly selected: number;
  /** How many rows are loaded; more than that are never changed at once. */
  readonly loaded: number;
  readonly onSelectAll: () => void;
  readonly onChange: (change: Change) => void;
  readonly onAssign: () => void;
  readonly onClear: () => void;
}

export const BulkBar = ({ selected, loaded, onSelectAll, onChange, onAssign, onClear }: Props) => (
  <div className="filters bulk" role="toolbar" aria-label="Selected submissions">
    <strong>{count(selected)} selected</strong>
    <button type="button" onClick={() => onChange({ status: "done" })}>
      <Icon name="check" size={16} /> Done
    </button>
    <button type="button" onClick={() => onChange({ status: "open" })}>
      Open
    </button>
    <button type="button" onClick={onAssign}>
      Assign
    </button>
    <button type="button" onClick={() => onChange({ status: "spam" })}>
      Spam
    </button>
    {selected < loaded && (
      <button type="button" className="link" onClick={onSelectAll}>
        Select all {count(loaded)}
      </button>
    )}
    <button type="button" className="link" onClick={onClear}>
      Clear
    </button>
  </div>
);
