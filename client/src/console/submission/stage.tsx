// The stage of a submission: shown and changed on its page, and chosen from the keyboard or for several.
import type { SubmissionDetail } from "@submissions/shared/console";
import { type Stage, stages } from "@submissions/shared/stages";
import { useState } from "react";
import { Options } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { useShortcuts, useShortcutsOn } from "../parts/shortcuts.ts";
import { exactTime, plural, word } from "../words.ts";
import { Fact } from "../parts/states.tsx";
import { TriageSelect } from "../triage/triage-select.tsx";
import { useTriage } from "../triage/triage.ts";
import { DeclineDialog } from "./decline-dialog.tsx";

type Staged = Pick<SubmissionDetail, "reference" | "kind" | "stage" | "status">;

/** The stage, on the page of a submission; `s` asks for it. Nothing where its kind has no stages. */
export function StageSelect({ of: { reference, stage, status } }: { readonly of: Staged }) {
  const triage = useTriage();
  const [asking, setAsking] = useState(false);
  const isStaged = stage !== null && status !== "spam";
  useShortcuts({ s: isStaged ? () => setAsking(true) : undefined });
  if (!isStaged) return null;
  const move = (to: Stage) => triage([reference], { stage: to });
  return (
    <>
      <label>
        <span>Stage</span>
        <TriageSelect aria-keyshortcuts="s" title="Stage (s)" value={stage} onChoose={(to) => move(to as Stage)}>
          <Options of={stages} />
        </TriageSelect>
      </label>
      {asking && <StageDialog count={1} onChoose={move} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Why and when it was decided. */
export const Decision = ({ of: { stage, decidedAt, declineReason } }: { readonly of: SubmissionDetail }) => (
  <>
    {stage !== null && decidedAt !== null && <Fact label={word(stage)}>{exactTime(decidedAt)}</Fact>}
    {declineReason !== null && <Fact label="Reason (never mailed)">{declineReason}</Fact>}
  </>
);

/** Asks for the reason and the words; `d` too. Nothing where there is nothing to decline. */
export function DeclineButton({ of: { reference, kind, stage, status } }: { readonly of: Staged }) {
  const shortcutsOn = useShortcutsOn();
  const [asking, setAsking] = useState(false);
  const isShown = stage !== null && stage !== "declined" && status !== "spam";
  useShortcuts({ d: isShown ? () => setAsking(true) : undefined });
  return (
    <>
      {isShown && (
        <button aria-keyshortcuts="d" title="Decline (d)" onClick={() => setAsking(true)}>
          Decline {shortcutsOn && <kbd aria-hidden="true">d</kbd>}
        </button>
      )}
      {asking && <DeclineDialog references={[reference]} kind={kind} onClose={() => setAsking(false)} />}
    </>
  );
}

interface DialogProps {
  readonly count: number | "all";
  readonly onChoose: (stage: Stage) => void;
  readonly onClose: () => void;
}

export const StageDialog = ({ count, onChoose, onClose }: DialogProps) => (
  <Modal title={`Move ${titleOf(count)} to`} onClose={onClose}>
    <ul className="choices">
      {stages.map((stage, index) => (
        <li key={stage}>
          <button
            className="choice"
            autoFocus={index === 0}
            onClick={() => {
              onClose();
              onChoose(stage);
            }}
          >
            {word(stage)}
          </button>
        </li>
      ))}
    </ul>
  </Modal>
);

const titleOf = (count: DialogProps["count"]) => {
  if (count === "all") return "all that match";
  return count === 1 ? "it" : plural(count, "submission");
};
