// API tokens for scripts. A token is shown once.
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Role } from "@submissions/shared/console";
import { useState } from "react";
import { queryClient, trpc } from "../calls.ts";
import { FormDialog, ShownOnce } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { Age, Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { exactTime, word } from "../words.ts";
import { RoleField } from "./operators.tsx";

const dayMs = 24 * 60 * 60_000;
const reload = () => queryClient.invalidateQueries({ queryKey: trpc.tokens.list.queryKey() });

export function Tokens() {
  const tokens = useQuery(trpc.tokens.list.queryOptions());
  const { showToast, showFailure } = useToasts();
  const [creating, setCreating] = useState(false);
  const revoke = useMutation({
    ...trpc.tokens.revoke.mutationOptions(),
    onSuccess: () => showToast("The token no longer works."),
    onError: (error) => showFailure("Not revoked.", error),
    onSettled: reload,
  });
  return (
    <section className="box">
      <div className="box-head">
        <h2>API tokens</h2>
        <button type="button" onClick={() => setCreating(true)}>
          Create token
        </button>
      </div>
      <Waiting query={tokens} rows={1} />
      {tokens.data?.length === 0 && (
        <p className="quiet">Scripts use a token in place of a password. There is none yet.</p>
      )}
      <ul className="lines">
        {tokens.data?.map(({ id, name, role, createdAt, expiresAt, usedAt }) => (
          <li key={id}>
            <div>
              <p>
                {id} · {name} <span className="quiet">{word(role)}</span>
              </p>
              <p className="quiet small">
                Created <Age at={createdAt} ago /> ·{" "}
                {usedAt === null ? (
                  "never used"
                ) : (
                  <>
                    last used <Age at={usedAt} ago />
                  </>
                )}{" "}
                · {expiresAt === null ? "does not expire" : `expires ${exactTime(expiresAt)}`}
              </p>
            </div>
            <button
              type="button"
              className="small-button"
              aria-label={`Revoke ${id} ${name}`}
              disabled={revoke.isPending}
              onClick={() => revoke.mutate({ id })}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </section>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useMutation({ ...trpc.tokens.create.mutationOptions(), onSuccess: reload });
  if (create.data) {
    return (
      <ShownOnce title="API token" label="API token" text={create.data.token} onClose={onClose}>
        <p>Copy it now. It is shown only this once.</p>
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Create an API token"
      word="Create token"
      call={create}
      onSubmit={(data) => {
        const days = Number(data.get("days"));
        create.mutate({
          name: textOf(data, "name").trim(),
          role: textOf(data, "role") as Role,
          expiresAt: days === 0 ? null : Date.now() + days * dayMs,
        });
      }}
      onClose={onClose}
    >
      <label>
        Name
        <input name="name" required maxLength={100} autoFocus autoComplete="off" placeholder="What uses it" />
      </label>
      <RoleField />
      <label>
        Expires
        <select name="days" defaultValue="90">
          <option value="30">in 30 days</option>
          <option value="90">in 90 days</option>
          <option value="365">in a year</option>
          <option value="0">never</option>
        </select>
      </label>
    </FormDialog>
  );
}
