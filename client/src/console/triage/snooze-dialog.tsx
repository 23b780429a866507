// Putting submissions off: until tomorrow, next week or a day.
import { morning } from "../inbox/inbox-search.ts";
import { Modal } from "../parts/modal.tsx";
import { Field } from "../parts/form.tsx";
import { dayAndTime, plural } from "../words.ts";

interface Props {
  readonly count: number;
  /** Null: none of them is snoozed. */
  readonly snoozedUntil: number | null;
  readonly onChoose: (until: number | null) => void;
  readonly onClose: () => void;
}

export function SnoozeDialog({ count, snoozedUntil, onChoose, onClose }: Props) {
  // A Monday, but on a Sunday not the one that is tomorrow.
  const nextWeek = morning(Date.now(), 8 - new Date().getDay());
  const choices = [
    ["Tomorrow", morning(Date.now(), 1)],
    ["Next week", nextWeek],
  ] as const;
  const today = new Date(morning(Date.now(), 1)).toLocaleDateString("sv");
  return (
    <Modal title={count === 1 ? "Snooze until" : `Snooze ${plural(count, "submission")} until`} onClose={onClose}>
      <ul className="choices">
        {choices.map(([name, until], index) => (
          <li key={name}>
            <button className="choice" autoFocus={index === 0} onClick={() => onChoose(until)}>
              {name} <span className="quiet">{dayAndTime(until)}</span>
            </button>
          </li>
        ))}
        {snoozedUntil !== null && (
          <li>
            <button className="choice" onClick={() => onChoose(null)}>
              End the snooze <span className="quiet">until {dayAndTime(snoozedUntil)}</span>
            </button>
          </li>
        )}
      </ul>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const day = new FormData(event.currentTarget).get("day");
          if (typeof day === "string" && day !== "") onChoose(morning(Date.parse(`${day}T12:00`), 0));
        }}
      >
        <Field label="Date" name="day" type="date" required min={today} />
        <div className="dialog-foot">
          <button className="primary">Snooze</button>
        </div>
      </form>
    </Modal>
  );
}
