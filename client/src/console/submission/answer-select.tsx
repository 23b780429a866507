// Chooses a saved answer.
import type { SubmissionKind } from "@submissions/shared/console";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";

interface Props {
  /** Undefined: of any kind. */
  readonly kind: SubmissionKind | undefined;
  /** Told of its text, with placeholders. */
  readonly onChoose: (text: string) => void;
}

export function AnswerSelect({ kind, onChoose }: Props) {
  const answers = useQuery(trpc.reply.answers.queryOptions(undefined, { staleTime: 60_000 })).data ?? [];
  const offered = answers.filter((answer) => kind === undefined || answer.kind === kind);
  return (
    <select
      aria-label="Saved answer"
      defaultValue=""
      onChange={({ target }) => {
        const chosen = offered.find(({ id }) => String(id) === target.value);
        if (chosen !== undefined) onChoose(chosen.text);
      }}
    >
      <option value="" disabled>
        {offered.length === 0 ? "No saved answer yet" : "Saved answer…"}
      </option>
      {offered.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
