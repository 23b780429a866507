// The account of the operator who is signed in: the display name, what it is mailed, the password, and the open sessions.
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { useMe } from "../operators.ts";
import { seesSubmissions } from "../roles.ts";
import { FormButton, useChange } from "../parts/dialogs.tsx";
import { Check, Field, Form, NewPassword } from "../parts/form.tsx";
import { Waiting, Age } from "../parts/states.tsx";
import { turnOpenNext, useOpensNext } from "../parts/shortcuts.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";

export function Account() {
  const me = useMe();
  const opensNext = useOpensNext();
  const account = useQuery(trpc.session.account.queryOptions());
  const rename = useChange(trpc.session.setName, {
    said: "Your name is saved.",
    reads: [trpc.session.account, trpc.inbox.assignees, trpc.operators.list],
  });
  const setMailed = useChange(trpc.session.setMailAssigned, { failed: "Not changed.", reads: [trpc.session.account] });
  if (account.data === undefined) return <Waiting query={account} rows={1} />;
  const shown = setMailed.isPending ? setMailed.variables : account.data;
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
          defaultValue={account.data.name ?? ""}
          rule="Your colleagues read it here, and people in the mails that you send them."
        />
      </Form>
      {seesSubmissions(me) && (
        <Check checked={shown.mailAssigned} onChange={(mailed) => setMailed.mutate({ mailAssigned: mailed })}>
          Mail me when a submission is assigned to me
        </Check>
      )}
      {seesSubmissions(me) && (
        <Check checked={opensNext} onChange={turnOpenNext}>
          Open the next submission after sending
        </Check>
      )}
    </>
  );
}

/** Other browsers are signed out by it. */
export const ChangePassword = ({ email }: { readonly email: string }) => (
  <FormButton
    word="Change password"
    title="Change password"
    procedure={trpc.session.changePassword}
    input={(text) => ({ current: text("current"), password: text("password") })}
    said="Your password is changed. You are signed out everywhere else."
    reads={[trpc.session.list]}
  >
    <input type="email" autoComplete="username" value={email} readOnly hidden />
    <Field label="Current password" name="current" type="password" autoComplete="current-password" required autoFocus />
    <NewPassword label="New password" advice="Your other sessions end." />
  </FormButton>
);

export function Sessions() {
  const sessions = useQuery(trpc.session.list.queryOptions());
  const end = useChange(trpc.session.end, { failed: "Not ended.", reads: [trpc.session.list] });
  return (
    <Box title="Your sessions">
      <Lines of={sessions}>
        {({ id, device, network, seenAt, createdAt, isThis }) => (
          <Line
            key={id}
            title={device || "Unknown device"}
            hint={isThis && "this one"}
            about={
              <>
                {network && `${network} · `}Used <Age at={seenAt} ago />, signed in <Age at={createdAt} ago />
              </>
            }
          >
            {!isThis && (
              <button
                className="small-button"
                aria-label={`End the session of ${device || "an unknown device"}`}
                disabled={end.isPending}
                onClick={() => end.mutate({ id })}
              >
                End
              </button>
            )}
          </Line>
        )}
      </Lines>
    </Box>
  );
}
