// Operators: the one who is signed in, and those who see submissions: whom to assign to, and what each is called.
import type { Me, OperatorName } from "@submissions/shared/console";
import type { SubmissionKind } from "@submissions/shared/kinds";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { trpc } from "./calls.ts";
import { seesSubmissions } from "./roles.ts";
import { session } from "./session.ts";
import { shortName } from "./words.ts";

/** The operators to assign to. @param needed kinds that each of them must see; without it, those who see any */
export function useAssignees(needed: readonly SubmissionKind[] = []): readonly OperatorName[] {
  const options = { staleTime: 60_000, enabled: seesSubmissions(useMe()) };
  return useQuery(trpc.inbox.assignees.queryOptions({ kinds: [...needed] }, options)).data ?? [];
}

/** Says what an operator with this address is called. */
export type NameOf = (email: string) => string;

/** The display name, or the address before its host; the whole address where another operator is called the same. */
export function useNames(): NameOf {
  const me = useMe();
  // Who sees no submissions is no assignee.
  const isOther = me !== signedOut && !seesSubmissions(me);
  const own = useQuery(trpc.session.account.queryOptions(undefined, { staleTime: 60_000, enabled: isOther })).data;
  const known = [...useAssignees(), ...(own ? [own] : [])];
  const names = new Map(known.map(({ email, name }) => [email, name ?? shortName(email)]));
  return (email) => {
    const called = names.get(email) ?? shortName(email);
    const same = [...names].filter(([, name]) => name.toLowerCase() === called.toLowerCase());
    return same.some(([other]) => other !== email) ? email : called;
  };
}

/** Used until an operator is signed in. The role is the one that sees least. */
const signedOut: Me = { email: "", role: "marketing" };

export const useMe = (): Me =>
  useSyncExternalStore(session.subscribe, () => ("me" in session.state ? session.state.me : signedOut));
