// Where links lead that are sent to operators. An invitation: the operator sets a password and a display name, and is signed
// in. A link of `operators sign-in`: it signs in once.
import type { Me } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { Check, Field, Form, NewPassword } from "../parts/form.tsx";
import { CardPage } from "../parts/page.tsx";
import { Fact, Waiting } from "../parts/states.tsx";
import { session } from "../session.ts";
import { ProviderForm, tokenOfAddress, useMethods } from "./sign-in.tsx";
import "../styles/pages.css";
import { exactTime, word } from "../words.ts";
import { Link, useNavigate } from "../router.tsx";

/** What happens after either: the operator is signed in, and the page leads to the inbox. */
function useEntrance(): (me: Me | null) => void {
  const navigate = useNavigate();
  return (me) => {
    queryClient.removeQueries({ type: "inactive" });
    session.set(me);
    void navigate({ to: "/", replace: true });
  };
}

export function InvitationPage() {
  const [token] = useState(tokenOfAddress);
  // Read once: it is used up while the page is still there.
  const invitation = useQuery(trpc.session.invitation.queryOptions({ token }, { staleTime: Infinity, gcTime: 0 }));
  const methods = useMethods();
  const [visible, setVisible] = useState(false);
  const accept = useMutation({ ...trpc.session.acceptInvitation.mutationOptions(), onSuccess: useEntrance() });
  return (
    <CardPage title="Welcome">
      {invitation.data && (
        <>
          <dl className="fields">
            <Fact label="Account">{invitation.data.email}</Fact>
            <Fact label="Role">{word(invitation.data.role)}</Fact>
            <Fact label="Link works until">{exactTime(invitation.data.expiresAt)}</Fact>
          </dl>
          {methods?.oidc && <ProviderForm token={token} primary={!methods.password} />}
          {methods?.password && (
            <Form
              call={accept}
              onSubmit={(text) => {
                const typed = text("name").trim();
                accept.mutate({ token, password: text("password"), ...(typed !== "" && { name: typed }) });
              }}
              foot={
                <button className="primary" disabled={accept.isPending}>
                  Set password
                </button>
              }
            >
              <input type="email" autoComplete="username" value={invitation.data.email} readOnly hidden />
              <Field
                label="Display name"
                name="name"
                autoComplete="name"
                maxLength={100}
                autoFocus
                defaultValue={invitation.data.name ?? ""}
              />
              <NewPassword
                label="Password"
                advice="Some words in a row are easy to remember and hard to guess."
                isVisible={visible}
              />
              <Check checked={visible} onChange={setVisible}>
                Show what I type
              </Check>
            </Form>
          )}
        </>
      )}
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
    </CardPage>
  );
}

/** The button is there so that a program that follows links of mails uses up nothing. */
export function SignInLinkPage() {
  const [token] = useState(tokenOfAddress);
  const use = useMutation({ ...trpc.session.useSignInLink.mutationOptions(), onSuccess: useEntrance() });
  return (
    <CardPage title="Sign in">
      <p className="quiet">This link signs you in once.</p>
      <p className="problem" role="alert">
        {use.isError && messageOf(use.error)}
      </p>
      <button className="primary" disabled={use.isPending} onClick={() => use.mutate({ token })}>
        Sign in
      </button>
      <p className="card-foot">
        <Link to="/">Sign in with your password</Link>
      </p>
    </CardPage>
  );
}
