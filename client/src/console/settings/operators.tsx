// Operators: invite, change the role, remove.
import { useQuery } from "@tanstack/react-query";
import { kindOf, kindsOf } from "@submissions/shared/kinds";
import { roles, type Role } from "@submissions/shared/roles";
import { trpc } from "../calls.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { FormButton, ShownOnce, useChange } from "../parts/dialogs.tsx";
import { Options, Field, Select } from "../parts/form.tsx";
import { Age, Avatar } from "../parts/states.tsx";
import { seesSubscribers } from "../roles.ts";
import { severalOf, word } from "../words.ts";

const reads = [trpc.operators.list];

export const RoleField = () => (
  <Select label="Role" name="role" defaultValue="sales">
    <Options of={roles} />
  </Select>
);

export function Operators({ me }: { readonly me: string }) {
  const operators = useQuery(trpc.operators.list.queryOptions());
  const setRole = useChange(trpc.operators.setRole, {
    said: (_, { email, role }) => `${email} is now ${word(role)}.`,
    failed: "Not changed.",
    reads,
  });
  const endSessions = useChange(trpc.operators.endSessions, {
    said: (_, { email }) => `${email} is signed out everywhere.`,
    failed: "Not signed out.",
  });
  return (
    <Box title="Operators" button={<Invite />}>
      <Lines of={operators}>
        {({ email, name, role, state, createdAt }) => (
          <Line
            key={email}
            sign={<Avatar name={name ?? email} small />}
            title={name ?? email}
            hint={email === me && "you"}
            about={
              <>
                {name !== null && `${email} · `}
                {state === "invited" ? "Invited" : "Since"} <Age at={createdAt} ago />
              </>
            }
          >
            {state === "invited" && <span className="mark mail-queued">Invited</span>}
            <select
              className="small-button"
              aria-label={`Role of ${email}`}
              value={role}
              disabled={email === me}
              onChange={({ target }) => setRole.mutate({ email, role: target.value as Role })}
            >
              <Options of={roles} />
            </select>
            {state === "active" && (
              <button
                className="small-button"
                disabled={email === me || endSessions.isPending}
                aria-label={`End sessions of ${email}`}
                onClick={() => endSessions.mutate({ email })}
              >
                End sessions
              </button>
            )}
            <FormButton
              word="Remove"
              label={`Remove ${email}`}
              disabled={email === me}
              title="Remove this operator?"
              asks="danger solid"
              procedure={trpc.operators.remove}
              input={() => ({ email })}
              said={`${email} was removed and signed out.`}
              reads={reads}
            >
              <p>
                <strong>{email}</strong> is signed out at once and can no longer sign in. Notes and the audit log keep
                the name.
              </p>
            </FormButton>
          </Line>
        )}
      </Lines>
    </Box>
  );
}

const limitedRoles = roles.filter((role) => role !== "admin");

const seenBy = (role: Role): string =>
  [
    ...kindsOf(role).map((kind) => severalOf(kind) + (kindOf(kind).file === null ? "" : " and resumes")),
    ...(seesSubscribers({ role }) ? ["subscribers"] : []),
  ].join(" and ");

const Invite = () => (
  <FormButton
    word="Invite"
    title="Invite an operator"
    yes="Create invitation"
    procedure={trpc.operators.invite}
    input={(text) => ({ email: text("email").trim(), role: text("role") as Role })}
    reads={reads}
    result={({ link }, { email }, close) => (
      <ShownOnce title="Invitation" label="Invitation link" text={link} onClose={close}>
        <p>This link is mailed to {email}, too. It works once, within 7 days, and is shown only now.</p>
      </ShownOnce>
    )}
  >
    <Field label="E-mail address" name="email" type="email" required autoFocus />
    <RoleField />
    <p className="quiet small">
      An admin sees everything, {limitedRoles.map((role) => `${role} ${seenBy(role)}`).join(", ")}.
    </p>
  </FormButton>
);
