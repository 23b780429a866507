// The second factor of the operator who is signed in: set it up with an authenticator app, or take it away.
import { useMutation, useQuery } from "@tanstack/react-query";
import { encode } from "uqr";
import { calls, queryClient, trpc } from "../calls.ts";
import { Box, CopyButton } from "../parts/boxes.tsx";
import { DialogButton, FormButton, FormDialog } from "../parts/dialogs.tsx";
import { Field } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { session } from "../session.ts";

export function SecondFactor() {
  const isSet = useQuery(trpc.secondFactor.get.queryOptions()).data?.isSet;
  return (
    <Box title="Second factor">
      <p className="quiet">
        {isSet
          ? "When you sign in you are asked for a code of your authenticator app, too."
          : "With an authenticator app, a stolen password alone does not sign in."}
      </p>
      <p className="box-foot">
        <DialogButton word={isSet ? "Set up another app" : "Set up"} disabled={isSet === undefined}>
          {(close) => (
            <SetUp
              onClose={() => {
                close();
                void queryClient.invalidateQueries({ queryKey: trpc.secondFactor.get.queryKey() });
              }}
            />
          )}
        </DialogButton>
        {isSet && (
          <FormButton
            word="Turn off"
            title="Turn the second factor off"
            procedure={trpc.secondFactor.remove}
            input={(text) => ({ password: text("password") })}
            said="The second factor is off."
            reads={[trpc.secondFactor.get]}
          >
            <p>You sign in without a code then, and the recovery codes stop working.</p>
            <PasswordField />
          </FormButton>
        )}
      </p>
    </Box>
  );
}

function PasswordField() {
  const account = useQuery(trpc.session.account.queryOptions());
  if (account.data?.hasPassword === false) {
    return <p className="quiet small">You must have signed in with your organisation within the last ten minutes.</p>;
  }
  return (
    <Field label="Your password" name="password" type="password" autoComplete="current-password" required autoFocus />
  );
}

/** Asks for the password, shows the secret and asks for a code, and shows the recovery codes. */
function SetUp({ onClose }: { readonly onClose: () => void }) {
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
        onSubmit={(text) => begin.mutate({ password: text("password") })}
        onClose={begin.isPending ? undefined : onClose}
      >
        <PasswordField />
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
      onSubmit={(text) => confirm.mutate({ password, secret, code: text("code") })}
      // The recovery codes are shown only once.
      onClose={confirm.isPending ? undefined : onClose}
    >
      <p>Scan this with your authenticator app, or type the key into it.</p>
      <QrCode text={uri} />
      <p>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code> <CopyButton text={secret} />
      </p>
      <Field
        label="The code that the app shows"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
      />
    </FormDialog>
  );
}

const RecoveryCodes = ({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) => (
  <Modal title="Recovery codes">
    <p>Each of these signs you in once without the app. Keep them where you keep passwords. They are shown only now.</p>
    <ul className="recovery-codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div className="dialog-foot">
      <CopyButton text={codes.join("\n")} />
      <button className="primary" onClick={onClose}>
        I have kept them
      </button>
    </div>
  </Modal>
);

function QrCode({ text }: { readonly text: string }) {
  const { size, data } = encode(text);
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for the authenticator app" className="qr-code">
      <path d={path} />
    </svg>
  );
}
