// A select that changes a submission.
import { useIsMutating } from "@tanstack/react-query";
import { useEffect, useState, type ComponentProps } from "react";
import { queryClient } from "../calls.ts";
import { mutationKey } from "./triage.ts";

interface Props extends Omit<ComponentProps<"select">, "onChange"> {
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/**
 * Shows what was chosen until the changes are made. The page shows a change a moment later: a key that is pressed in
 * between would otherwise go on from the value before.
 */
export function TriageSelect({ value, onChoose, ...select }: Props) {
  const [chosen, setChosen] = useState<string>();
  const underWay = useIsMutating({ mutationKey });
  useEffect(() => {
    // What was just chosen may not be counted yet.
    if (queryClient.isMutating({ mutationKey }) === 0) setChosen(undefined);
  }, [underWay]);
  return (
    <select
      {...select}
      value={chosen ?? value}
      onChange={({ target }) => {
        setChosen(target.value);
        onChoose(target.value);
      }}
    />
  );
}
