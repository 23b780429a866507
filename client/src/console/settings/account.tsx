// The account of the operator who is signed in: the display name, and what it is mailed.
import type { Account as AccountData } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { seesSubmissions, useMe } from "../me.ts";
import { textOf } from "../parts/fields.tsx";
import { Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";

const accountKey = trpc.session.account.queryKey();

export function Account() {
  const account = useQuery(trpc.session.account.queryOptions());
  if (account.data === undefined) return <Waiting query={account} rows={1} />;
  return <AccountForm account={account.data} />;
}

function AccountForm({ account: { name, mailAssigned } }: { readonly account: AccountData }) {
  const me = useMe();
  const { showToast, showFailure } = useToasts();
  const rename = useMutation({
    ...trpc.session.setName.mutationOptions(),
    onSuccess: () => {
      showToast("Your name is saved.");
      for (const queryKey of [accountKey, trpc.inbox.assignees.pathKey(), trpc.operators.list.queryKey()])
        void queryClient.invalidateQueries({ queryKey });
    },
  });
  const setMailed = useMutation({
    ...trpc.session.setMailAssigned.mutationOptions(),
    onMutate: (change) => void queryClient.setQueryData(accountKey, (account) => account && { ...account, ...change }),
    onError: (error) => showFailure("Not changed.", error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accountKey }),
  });
  return (
    <>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ name: textOf(new FormData(event.currentTarget), "name").trim() || null });
        }}
      >
        <label>
          Display name
          <input name="name" autoComplete="name" maxLength={100} defaultValue={name ?? ""} />
        </label>
        <p className="quiet small">Your colleagues read it here, and people in the mails that you send them.</p>
        <p className="problem" role="alert">
          {rename.isError && messageOf(rename.error)}
        </p>
        <button type="submit" disabled={rename.isPending}>
          Save name
        </button>
      </form>
      {seesSubmissions(me) && (
        <label className="check">
          <input
            type="checkbox"
            checked={mailAssigned}
            onChange={({ target }) => setMailed.mutate({ mailAssigned: target.checked })}
          />
          Mail me when a submission is assigned to me
        </label>
      )}
    </>
  );
}
