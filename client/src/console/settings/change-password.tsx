// Another password for the operator who is signed in. Other browsers are signed out by it.
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { useToasts } from "../parts/toasts.tsx";

const lengthMin = 12;

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
  const rule = useId();
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
      <label>
        New password
        <input
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={lengthMin}
          maxLength={256}
          aria-describedby={`${rule} ${problem}`}
        />
      </label>
      <p id={rule} className="quiet small">
        At least {lengthMin} characters. Your other sessions end.
      </p>
    </FormDialog>
  );
}
