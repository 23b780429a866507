// Choosing an assignee from the keyboard or for several submissions.
import type { SubmissionKind } from "@submissions/shared/console";
import { useMe } from "../me.ts";
import { Modal } from "../parts/modal.tsx";
import { Avatar } from "../parts/states.tsx";
import { plural } from "../words.ts";
import { useAssignees } from "./filters.tsx";

interface Props {
  readonly count: number | "all";
  /** What is assigned. */
  readonly kinds: readonly SubmissionKind[];
  readonly onChoose: (assignee: string | null) => void;
  readonly onClose: () => void;
}

const titleOf = (count: Props["count"]) => {
  if (count === "all") return "Assign all that match to";
  return count === 1 ? "Assign to" : `Assign ${plural(count, "submission")} to`;
};

export function AssignDialog({ count, kinds, onChoose, onClose }: Props) {
  const me = useMe();
  const others = useAssignees(kinds).filter((email) => email !== me.email);
  return (
    <Modal title={titleOf(count)} onClose={onClose}>
      <ul className="choices">
        {[me.email, ...others].map((email, index) => (
          <li key={email}>
            <button type="button" className="choice" autoFocus={index === 0} onClick={() => onChoose(email)}>
              <Avatar name={email} small /> {email}
              {email === me.email && <span className="quiet">you</span>}
            </button>
          </li>
        ))}
        <li>
          <button type="button" className="choice" onClick={() => onChoose(null)}>
            <span className="avatar small empty-avatar" aria-hidden="true" /> Unassigned
          </button>
        </li>
      </ul>
    </Modal>
  );
}
