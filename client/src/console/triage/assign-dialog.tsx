// Choosing an assignee from the keyboard or for several submissions.
import type { SubmissionKind } from "@submissions/shared/console";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { useMe } from "../me.ts";
import { Modal } from "../parts/modal.tsx";
import { Avatar } from "../parts/states.tsx";
import { plural } from "../words.ts";

/** The operators to assign to. @param needed kinds that each of them must see; without it, those who see any */
export const useAssignees = (needed: readonly SubmissionKind[] = []): readonly string[] =>
  useQuery(trpc.inbox.assignees.queryOptions({ kinds: [...needed] }, { staleTime: 60_000 })).data ?? [];

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
        {/* The others come last: they are asked for, and must not push away what is about to be clicked. */}
        {[me.email, null, ...others].map((email, index) => (
          <li key={email}>
            <button type="button" className="choice" autoFocus={index === 0} onClick={() => onChoose(email)}>
              {email === null ? (
                <span className="avatar small empty-avatar" aria-hidden="true" />
              ) : (
                <Avatar name={email} small />
              )}{" "}
              {email ?? "Unassigned"}
              {email === me.email && <span className="quiet">you</span>}
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
