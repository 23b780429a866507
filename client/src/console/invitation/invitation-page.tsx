// Where an invitation leads: the operator sets a password and is signed in.
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { isMissing, messageOf, queryClient, trpc } from "../calls.ts";
import { useTitle } from "../parts/page.tsx";
import { session } from "../session.ts";
import { ProviderForm, tokenOfAddress, useMethods } from "../sign-in/sign-in.tsx";

const lengthMin = 12;
const icon = new URL("../icon.svg", import.meta.url).href;

export function InvitationPage() {
  useTitle("Welcome");
  const [token] = useState(tokenOfAddress);
  const methods = useMethods();
  const navigate = useNavigate();
  const [password, setPassword] = useState("");
  const [visible, setVisible] = useState(false);
  const rule = useId();
  const problem = useId();
  const accept = useMutation({
    ...trpc.session.acceptInvitation.mutationOptions(),
    onSuccess: (me) => {
      queryClient.clear();
      session.set(me);
      void navigate({ to: "/", replace: true });
    },
  });
  return (
    <main className="card-page">
      <div className="card">
        <p className="card-brand">
          <img src={icon} alt="" width="32" height="32" />
          Console
        </p>
        <h1>Welcome</h1>
        {methods?.oidc && <ProviderForm token={token} primary={!methods.password} />}
        {methods?.password && (
          <>
            <p className="quiet">Set a password for your account. The invitation works once.</p>
            <form
              className="stack"
              onSubmit={(event) => {
                event.preventDefault();
                accept.mutate({ token, password });
              }}
            >
              <label>
                Password
                <input
                  type={visible ? "text" : "password"}
                  autoComplete="new-password"
                  required
                  minLength={lengthMin}
                  maxLength={256}
                  autoFocus
                  aria-describedby={`${rule} ${problem}`}
                  value={password}
                  onChange={({ target }) => setPassword(target.value)}
                />
              </label>
              <p id={rule} className="quiet small">
                At least {lengthMin} characters. Some words in a row are easy to remember and hard to guess.
              </p>
              <label className="check">
                <input type="checkbox" checked={visible} onChange={({ target }) => setVisible(target.checked)} />
                Show what I type
              </label>
              <p id={problem} className="problem" role="alert">
                {accept.isError &&
                  (isMissing(accept.error)
                    ? "This invitation was used or has expired. Ask for a new one."
                    : messageOf(accept.error))}
              </p>
              <button type="submit" className="primary" disabled={accept.isPending}>
                Set password
              </button>
            </form>
          </>
        )}
        <p className="card-foot">
          Already done? <Link to="/">Sign in</Link>
        </p>
      </div>
    </main>
  );
}
