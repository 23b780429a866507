// A call that changes something: what is said after it, and what is read again.
import { useMutation, type QueryKey } from "@tanstack/react-query";
import { queryClient, type DecorateMutationProcedure, type ResolverDef } from "../calls.ts";
import { useToasts } from "./toasts.tsx";

export interface Effects<Def extends ResolverDef> {
  readonly said?: string | ((data: Def["output"], input: Def["input"]) => string);
  /** Said before the reason. Absent: the form or dialog of the call says why it failed. */
  readonly failed?: string;
  /** Procedures of the console, or groups of them. */
  readonly reads?: readonly { pathKey(): QueryKey }[];
  readonly onDone?: (data: Def["output"], input: Def["input"]) => void;
}

export function useChange<Def extends ResolverDef>(
  procedure: DecorateMutationProcedure<Def>,
  { said, failed, reads = [], onDone }: Effects<Def>,
) {
  const { showToast, showFailure } = useToasts();
  return useMutation({
    ...procedure.mutationOptions(),
    onSuccess: (data, input) => {
      onDone?.(data, input);
      if (said !== undefined) showToast(typeof said === "string" ? said : said(data, input));
    },
    onError: (error) => failed !== undefined && showFailure(failed, error),
    onSettled: () => Promise.all(reads.map((read) => queryClient.invalidateQueries({ queryKey: read.pathKey() }))),
  });
}
