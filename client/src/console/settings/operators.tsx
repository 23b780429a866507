// Operators: invite, change the role, remove.
import { useMutation, useQuery } from "@tanstack/react-query";
import { roles, type Role } from "@submissions/shared/console";
import { useState } from "react";
import { queryClient, trpc } from "../calls.ts";
import { FormDialog, Question, ShownOnce } from "../parts/dialogs.tsx";
import { Options, textOf } from "../parts/fields.tsx";
import { Age, Avatar, Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { word } from "../words.ts";

const reload = () => queryClient.invalidateQueries({ queryKey: trpc.operators.list.queryKey() });

/** The field `role` of a form. */
export const RoleField = () => (
  <label>
    Role
    <select name="role" defaultValue="sales">
      <Options of={roles} />
    </select>
  </label>
);

export function Operators({ me }: { readonly me: string }) {
  const operators = useQuery(trpc.operators.list.queryOptions());
  const { showToast, showFailure } = useToasts();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const setRole = useMutation({
    ...trpc.operators.setRole.mutationOptions(),
    onSuccess: (_, { email, role }) => showToast(`${email} is now ${word(role)}.`),
    onError: (error) => showFailure("Not changed.", error),
    onSettled: reload,
  });
  const endSessions = useMutation({
    ...trpc.operators.endSessions.mutationOptions(),
    onSuccess: (_, { email }) => showToast(`${email} is signed out everywhere.`),
    onError: (error) => showFailure("Not signed out.", error),
  });
  return (
    <section className="box">
      <div className="box-head">
        <h2>Operators</h2>
        <button type="button" onClick={() => setInviting(true)}>
          Invite
        </button>
      </div>
      <Waiting query={operators} rows={2} />
      <ul className="lines operators">
        {operators.data?.map(({ email, name, role, state, createdAt }) => (
          <li key={email}>
            <Avatar name={name ?? email} small />
            <div>
              <p>
                {name ?? email} {email === me && <span className="quiet">you</span>}
              </p>
              <p className="quiet small">
                {name !== null && `${email} · `}
                {state === "invited" ? "Invited" : "Since"} <Age at={createdAt} ago />
              </p>
            </div>
            {state === "invited" && <span className="mark mail-queued">Invited</span>}
            <select
              aria-label={`Role of ${email}`}
              value={role}
              disabled={email === me}
              onChange={({ target }) => setRole.mutate({ email, role: target.value as Role })}
            >
              <Options of={roles} />
            </select>
            {state === "active" && (
              <button
                type="button"
                className="small-button"
                disabled={email === me || endSessions.isPending}
                aria-label={`End sessions of ${email}`}
                onClick={() => endSessions.mutate({ email })}
              >
                End sessions
              </button>
            )}
            <button
              type="button"
              className="small-button"
              disabled={email === me}
              aria-label={`Remove ${email}`}
              onClick={() => setRemoving(email)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {removing !== null && <RemoveDialog email={removing} onClose={() => setRemoving(null)} />}
    </section>
  );
}

function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const invite = useMutation({ ...trpc.operators.invite.mutationOptions(), onSuccess: reload });
  if (invite.data) {
    return (
      <ShownOnce title="Invitation" label="Invitation link" text={invite.data.link} onClose={onClose}>
        <p>Send this link to {invite.variables.email}. It works once, within 7 days, and is shown only now.</p>
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Invite an operator"
      word="Create invitation"
      call={invite}
      onSubmit={(data) => invite.mutate({ email: textOf(data, "email").trim(), role: textOf(data, "role") as Role })}
      onClose={onClose}
    >
      <label>
        E-mail address
        <input name="email" type="email" required autoFocus autoComplete="off" />
      </label>
      <RoleField />
      <p className="quiet small">
        Sales sees inquiries, recruiting applications and resumes, marketing subscribers, an admin everything.
      </p>
    </FormDialog>
  );
}

function RemoveDialog({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const { showToast } = useToasts();
  const remove = useMutation({
    ...trpc.operators.remove.mutationOptions(),
    onSuccess: () => {
      onClose();
      showToast(`${email} was removed and signed out.`);
      return reload();
    },
  });
  return (
    <Question
      title="Remove this operator?"
      word="Remove"
      danger
      call={remove}
      onYes={() => remove.mutate({ email })}
      onClose={onClose}
    >
      <p>
        <strong>{email}</strong> is signed out at once and can no longer sign in. Notes and the audit log keep the name.
      </p>
    </Question>
  );
}
