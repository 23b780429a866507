// The second factor of the operator who is signed in: set it up with an authenticator app, or take it away.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { encode } from "uqr";
import { calls, queryClient, trpc } from "../calls.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { Modal } from "../parts/modal.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { session } from "../session.ts";

export function SecondFactor() {
  const factor = useQuery(trpc.secondFactor.get.queryOptions());
  const [open, setOpen] = useState<"set" | "remove" | null>(null);
  const close = () => {
    setOpen(null);
    void queryClient.invalidateQueries({ queryKey: trpc.secondFactor.get.queryKey() });
  };
  const isSet = factor.data?.isSet;
  return (
    <section className="box">
      <h2>Second factor</h2>
      <p className="quiet">
        {isSet
          ? "After your password you are asked for a code of your authenticator app."
          : "With an authenticator app, a stolen password alone does not sign in."}
      </p>
      <p className="box-foot">
        <button type="button" disabled={isSet === undefined} onClick={() => setOpen("set")}>
          {isSet ? "Set up another app" : "Set up"}
        </button>
        {isSet && (
          <button type="button" onClick={() => setOpen("remove")}>
            Turn off
          </button>
        )}
      </p>
      {open === "set" && <SetUp onClose={close} />}
      {open === "remove" && <Remove onClose={close} />}
    </section>
  );
}

const PasswordField = ({ problem }: { readonly problem: string }) => (
  <label>
    Your password
    <input
      name="password"
      type="password"
      autoComplete="current-password"
      required
      autoFocus
      aria-describedby={problem}
    />
  </label>
);

/** Asks for the password, shows the secret and asks for a code, and shows the recovery codes. */
function SetUp({ onClose }: { readonly onClose: () => void }) {
  const problem = useId();
  const begin = useMutation(trpc.secondFactor.begin.mutationOptions());
  const confirm = useMutation(trpc.secondFactor.confirm.mutationOptions());
  if (confirm.data !== undefined) {
    const close = () => {
      onClose();
      // An administrator who needed it may go on now.
      void calls.session.me.query().then((me) => session.set(me));
    };
    return <RecoveryCodes codes={confirm.data} onClose={close} />;
  }
  if (begin.data === undefined) {
    return (
      <FormDialog
        title="Second factor"
        word="Go on"
        call={begin}
        problemId={problem}
        onSubmit={(data) => begin.mutate({ password: textOf(data, "password") })}
        onClose={onClose}
      >
        <PasswordField problem={problem} />
      </FormDialog>
    );
  }
  const { secret, uri } = begin.data;
  const { password } = begin.variables;
  return (
    <FormDialog
      title="Second factor"
      word="Turn on"
      call={confirm}
      problemId={problem}
      onSubmit={(data) => confirm.mutate({ password, secret, code: textOf(data, "code") })}
      onClose={onClose}
    >
      <p>Scan this with your authenticator app, or type the key into it.</p>
      <QrCode text={uri} />
      <p>
        <code className="reference">{secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code> <CopyButton text={secret} />
      </p>
      <label>
        The code that the app shows
        <input
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          autoFocus
          aria-describedby={problem}
        />
      </label>
    </FormDialog>
  );
}

function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  return (
    <Modal title="Recovery codes">
      <p>
        Each of these signs you in once without the app. Keep them where you keep passwords. They are shown only now.
      </p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="dialog-foot">
        <CopyButton text={codes.join("\n")} />
        <button type="button" className="primary" onClick={onClose}>
          I have kept them
        </button>
      </div>
    </Modal>
  );
}

function Remove({ onClose }: { readonly onClose: () => void }) {
  const problem = useId();
  const { showToast } = useToasts();
  const remove = useMutation({
    ...trpc.secondFactor.remove.mutationOptions(),
    onSuccess: () => {
      onClose();
      showToast("The second factor is off.");
    },
  });
  return (
    <FormDialog
      title="Turn the second factor off"
      word="Turn off"
      call={remove}
      problemId={problem}
      onSubmit={(data) => remove.mutate({ password: textOf(data, "password") })}
      onClose={onClose}
    >
      <p>Your password alone signs in then, and the recovery codes stop working.</p>
      <PasswordField problem={problem} />
    </FormDialog>
  );
}

function QrCode({ text }: { readonly text: string }) {
  const { size, data } = encode(text);
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for the authenticator app" className="qr-code">
      <path d={path} />
    </svg>
  );
}
