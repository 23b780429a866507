// Where a link of `operators sign-in` leads: it signs in once. The button is there so that a program that follows links of
// mails uses up nothing.
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { CardPage } from "../parts/page.tsx";
import { session } from "../session.ts";
import { tokenOfAddress } from "./sign-in.tsx";

export function SignInLinkPage() {
  const navigate = useNavigate();
  const [token] = useState(tokenOfAddress);
  const use = useMutation({
    ...trpc.session.useSignInLink.mutationOptions(),
    onSuccess: (me) => {
      queryClient.clear();
      session.set(me);
      void navigate({ to: "/", replace: true });
    },
  });
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
