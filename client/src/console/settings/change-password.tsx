// Another password for the operator who is signed in. Other browsers are signed out by it.
import { trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { Field, NewPassword } from "../parts/form.tsx";
import { useChange } from "../parts/use-change.ts";

export function ChangePassword({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const change = useChange(trpc.session.changePassword, {
    said: "Your password is changed. You are signed out everywhere else.",
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Change password"
      word="Change password"
      call={change}
      onSubmit={(text) => change.mutate({ current: text("current"), password: text("password") })}
      onClose={onClose}
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <Field
        label="Current password"
        name="current"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
      />
      <NewPassword label="New password" advice="Your other sessions end." />
    </FormDialog>
  );
}
