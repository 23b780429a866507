// API tokens for scripts. A token is shown once.
import { useQuery } from "@tanstack/react-query";
import type { Role } from "@submissions/shared/roles";
import { trpc } from "../calls.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { FormButton, ShownOnce, useChange } from "../parts/dialogs.tsx";
import { Field, Select } from "../parts/form.tsx";
import { Age } from "../parts/states.tsx";
import { exactTime, word } from "../words.ts";
import { RoleField } from "./operators.tsx";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const reads = [trpc.tokens.list];

export function Tokens() {
  const tokens = useQuery(trpc.tokens.list.queryOptions());
  const revoke = useChange(trpc.tokens.revoke, { said: "The token no longer works.", failed: "Not revoked.", reads });
  return (
    <Box title="API tokens" button={<CreateToken />}>
      <Lines of={tokens} empty="Scripts use a token in place of a password. There is none yet.">
        {({ id, name, role, createdAt, expiresAt, usedAt }) => (
          <Line
            key={id}
            title={`${id} · ${name}`}
            hint={word(role)}
            about={
              <>
                Created <Age at={createdAt} ago /> · {usedAt === null ? "never used" : "last used "}
                {usedAt !== null && <Age at={usedAt} ago />} ·{" "}
                {expiresAt === null ? "does not expire" : `expires ${exactTime(expiresAt)}`}
              </>
            }
          >
            <button
              className="small-button"
              aria-label={`Revoke ${id} ${name}`}
              disabled={revoke.isPending}
              onClick={() => revoke.mutate({ id })}
            >
              Revoke
            </button>
          </Line>
        )}
      </Lines>
    </Box>
  );
}

const CreateToken = () => (
  <FormButton
    word="Create token"
    title="Create an API token"
    procedure={trpc.tokens.create}
    // Rounded up to an hour: a second press after a lost answer then asks for the same token.
    input={(text) => ({
      name: text("name").trim(),
      role: text("role") as Role,
      expiresAt: text("days") === "" ? null : Math.ceil(Date.now() / hourMs) * hourMs + Number(text("days")) * dayMs,
    })}
    reads={reads}
    result={({ token }, _input, close) => (
      <ShownOnce title="API token" label="API token" text={token} onClose={close}>
        <p>Copy it now. It is shown only this once.</p>
      </ShownOnce>
    )}
  >
    <Field label="Name" name="name" required maxLength={100} autoFocus placeholder="What uses it" />
    <RoleField />
    <Select label="Expires" name="days" defaultValue="90">
      <option value="30">in 30 days</option>
      <option value="90">in 90 days</option>
      <option value="365">in a year</option>
      <option value="">never</option>
    </Select>
  </FormButton>
);
