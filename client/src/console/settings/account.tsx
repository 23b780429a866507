// The account of the operator who is signed in: the display name, and what it is mailed.
import type { Account as AccountData } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../calls.ts";
import { seesSubmissions, useMe } from "../me.ts";
import { Check, Field, Form } from "../parts/form.tsx";
import { Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { useChange } from "../parts/use-change.ts";

const accountKey = trpc.session.account.queryKey();

export function Account() {
  const account = useQuery(trpc.session.account.queryOptions());
  if (account.data === undefined) return <Waiting query={account} rows={1} />;
  return <AccountForm account={account.data} />;
}

function AccountForm({ account: { name, mailAssigned } }: { readonly account: AccountData }) {
  const me = useMe();
  const { showFailure } = useToasts();
  const rename = useChange(trpc.session.setName, {
    said: "Your name is saved.",
    reads: [trpc.session.account, trpc.inbox.assignees, trpc.operators.list],
  });
  const setMailed = useMutation({
    ...trpc.session.setMailAssigned.mutationOptions(),
    onMutate: (change) => void queryClient.setQueryData(accountKey, (account) => account && { ...account, ...change }),
    onError: (error) => showFailure("Not changed.", error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accountKey }),
  });
  return (
    <>
      <Form
        call={rename}
        onSubmit={(text) => rename.mutate({ name: text("name").trim() || null })}
        foot={<button disabled={rename.isPending}>Save name</button>}
      >
        <Field
          label="Display name"
          name="name"
          autoComplete="name"
          maxLength={100}
          defaultValue={name ?? ""}
          rule="Your colleagues read it here, and people in the mails that you send them."
        />
      </Form>
      {seesSubmissions(me) && (
        <Check checked={mailAssigned} onChange={(mailed) => setMailed.mutate({ mailAssigned: mailed })}>
          Mail me when a submission is assigned to me
        </Check>
      )}
    </>
  );
}
