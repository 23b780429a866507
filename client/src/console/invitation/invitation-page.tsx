// Where an invitation leads: the operator sets a password and a display name, and is signed in.
import type { Invitation } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { textOf } from "../parts/fields.tsx";
import { NewPassword } from "../parts/new-password.tsx";
import { brand, useTitle } from "../parts/page.tsx";
import { Fact, Waiting } from "../parts/states.tsx";
import { session } from "../session.ts";
import { ProviderForm, tokenOfAddress, useMethods } from "../sign-in/sign-in.tsx";
import { exactTime, word } from "../words.ts";

const icon = new URL("../icon.svg", import.meta.url).href;

export function InvitationPage() {
  useTitle("Welcome");
  const [token] = useState(tokenOfAddress);
  // Read once: it is used up while the page is still there.
  const invitation = useQuery(trpc.session.invitation.queryOptions({ token }, { staleTime: Infinity, gcTime: 0 }));
  return (
    <main className="card-page">
      <div className="card">
        <p className="card-brand">
          <img src={icon} alt="" width="32" height="32" />
          {brand}
        </p>
        <h1>Welcome</h1>
        {invitation.data && <Acceptance token={token} invitation={invitation.data} />}
        {invitation.isError ? (
          <p className="problem" role="alert">
            {messageOf(invitation.error)}
          </p>
        ) : (
          <Waiting query={invitation} rows={3} />
        )}
        <p className="card-foot">
          Already done? <Link to="/">Sign in</Link>
        </p>
      </div>
    </main>
  );
}

interface AcceptanceProps {
  readonly token: string;
  readonly invitation: Invitation;
}

function Acceptance({ token, invitation: { email, name, role, expiresAt } }: AcceptanceProps) {
  const methods = useMethods();
  const navigate = useNavigate();
  const [visible, setVisible] = useState(false);
  const problem = useId();
  const accept = useMutation({
    ...trpc.session.acceptInvitation.mutationOptions(),
    onSuccess: (me) => {
      queryClient.removeQueries({ type: "inactive" });
      session.set(me);
      void navigate({ to: "/", replace: true });
    },
  });
  return (
    <>
      <dl className="fields">
        <Fact label="Account">{email}</Fact>
        <Fact label="Role">{word(role)}</Fact>
        <Fact label="Link works until">{exactTime(expiresAt)}</Fact>
      </dl>
      {methods?.oidc && <ProviderForm token={token} primary={!methods.password} />}
      {methods?.password && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const data = new FormData(event.currentTarget);
            const typed = textOf(data, "name").trim();
            accept.mutate({ token, password: textOf(data, "password"), ...(typed !== "" && { name: typed }) });
          }}
        >
          <input type="email" autoComplete="username" value={email} readOnly hidden />
          <label>
            Display name
            <input name="name" autoComplete="name" maxLength={100} autoFocus defaultValue={name ?? ""} />
          </label>
          <NewPassword
            label="Password"
            advice="Some words in a row are easy to remember and hard to guess."
            problemId={problem}
            visible={visible}
          />
          <label className="check">
            <input type="checkbox" checked={visible} onChange={({ target }) => setVisible(target.checked)} />
            Show what I type
          </label>
          <p id={problem} className="problem" role="alert">
            {accept.isError && messageOf(accept.error)}
          </p>
          <button type="submit" className="primary" disabled={accept.isPending}>
            Set password
          </button>
        </form>
      )}
    </>
  );
}
