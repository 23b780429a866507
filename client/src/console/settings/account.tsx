// The account of the operator who is signed in: the display name, and what it is mailed.
import type { Account as AccountData } from "@submissions/shared/console";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { seesSubmissions, useMe } from "../me.ts";
import { Check, Field, Form } from "../parts/form.tsx";
import { Waiting } from "../parts/states.tsx";
import { useChange } from "../parts/use-change.ts";

export function Account() {
  const account = useQuery(trpc.session.account.queryOptions());
  if (account.data === undefined) return <Waiting query={account} rows={1} />;
  return <AccountForm account={account.data} />;
}

function AccountForm({ account: { name, mailAssigned } }: { readonly account: AccountData }) {
  const me = useMe();
  const rename = useChange(trpc.session.setName, {
    said: "Your name is saved.",
    reads: [trpc.session.account, trpc.inbox.assignees, trpc.operators.list],
  });
  const setMailed = useChange(trpc.session.setMailAssigned, { failed: "Not changed.", reads: [trpc.session.account] });
  const shown = setMailed.isPending ? setMailed.variables : { mailAssigned };
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
        <Check checked={shown.mailAssigned} onChange={(mailed) => setMailed.mutate({ mailAssigned: mailed })}>
          Mail me when a submission is assigned to me
        </Check>
      )}
    </>
  );
}
