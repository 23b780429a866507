// Choosing an assignee from the keyboard or for several submissions.
import type { SubmissionKind } from "@submissions/shared/kinds";
import { useMe, useAssignees, useNames } from "../operators.ts";
import { Modal } from "../parts/modal.tsx";
import { Avatar } from "../parts/states.tsx";
import { plural } from "../words.ts";

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
  const nameOf = useNames();
  const others = useAssignees(kinds).filter(({ email }) => email !== me.email);
  return (
    <Modal title={titleOf(count)} onClose={onClose}>
      <ul className="choices">
        {/* The others come last: they are asked for, and must not push away what is about to be clicked. */}
        {[me.email, null, ...others.map(({ email }) => email)].map((email, index) => (
          <li key={email}>
            <button className="choice" autoFocus={index === 0} onClick={() => onChoose(email)}>
              {email === null ? (
                <span className="avatar small empty-avatar" aria-hidden="true" />
              ) : (
                <Avatar name={nameOf(email)} small />
              )}{" "}
              {email === null ? "Unassigned" : <Called email={email} name={nameOf(email)} />}
              {email === me.email && <span className="quiet">you</span>}
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

/** The address, and before it a name that says more. */
const Called = ({ email, name }: { readonly email: string; readonly name: string }) =>
  email.startsWith(name) ? (
    email
  ) : (
    <>
      {name} <span className="quiet">{email}</span>
    </>
  );
