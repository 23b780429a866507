// Another password for the operator who is signed in. Other browsers are signed out by it.
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { NewPassword } from "../parts/new-password.tsx";
import { useToasts } from "../parts/toasts.tsx";

export function ChangePassword({ email }: { readonly email: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Change password
      </button>
      {open && <ChangeDialog email={email} onClose={() => setOpen(false)} />}
    </>
  );
}

function ChangeDialog({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const problem = useId();
  const { showToast } = useToasts();
  const change = useMutation({
    ...trpc.session.changePassword.mutationOptions(),
    onSuccess: () => {
      onClose();
      showToast("Your password is changed. You are signed out everywhere else.");
    },
  });
  return (
    <FormDialog
      title="Change password"
      word="Change password"
      call={change}
      problemId={problem}
      onSubmit={(data) => change.mutate({ current: textOf(data, "current"), password: textOf(data, "password") })}
      onClose={onClose}
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <label>
        Current password
        <input
          name="current"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          aria-describedby={problem}
        />
      </label>
      <NewPassword label="New password" advice="Your other sessions end." problemId={problem} />
    </FormDialog>
  );
}
