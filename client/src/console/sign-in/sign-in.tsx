// Signing in: a page at the same address as what was asked for, and a dialog over the page when the session ended.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId } from "react";
import { consoleUrl, messageOf, trpc } from "../calls.ts";
import { textOf } from "../parts/fields.tsx";
import { Modal } from "../parts/modal.tsx";
import { useTitle } from "../parts/page.tsx";
import { session } from "../session.ts";

/** Where the page is kept that asked for the sign-in, in this tab: the provider leads back to the inbox. */
const wantedKey = "console.wanted";

/** The page that asked for the sign-in, once, if the provider has led back from it. */
export function takeWanted(): string | null {
  const wanted = sessionStorage.getItem(wantedKey);
  sessionStorage.removeItem(wantedKey);
  return `${location.href}/` === consoleUrl ? wanted : null;
}

const icon = new URL("../icon.svg", import.meta.url).href;

export function SignInPage() {
  // Runs after a sign-in with the password or in another tab, but not when the browser leaves for the provider.
  useEffect(() => () => sessionStorage.removeItem(wantedKey), []);
  useTitle("Sign in");
  return (
    <main className="card-page">
      <div className="card">
        <p className="card-brand">
          <img src={icon} alt="" width="32" height="32" />
          Console
        </p>
        <h1>Sign in</h1>
        <SignInForm />
      </div>
    </main>
  );
}

/** Over the page as it is. Nothing that was typed is lost. */
export function SignInDialog({ email }: { readonly email: string }) {
  return (
    <Modal title="Your session has ended">
      <p className="quiet">Sign in again to go on. What you typed stays, and your last change is sent then.</p>
      <SignInForm email={email} />
    </Modal>
  );
}

function SignInForm({ email }: { readonly email?: string }) {
  const problem = useId();
  const oidc = useQuery(trpc.session.methods.queryOptions(undefined, { staleTime: Infinity })).data?.oidc === true;
  const signIn = useMutation({
    ...trpc.session.signIn.mutationOptions(),
    onSuccess: (me) => {
      // Another operator must not see what this one had on the page.
      if (email !== undefined && me.email.toLowerCase() !== email.toLowerCase()) location.reload();
      else session.set(me);
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        signIn.mutate({ email: textOf(data, "email").trim(), password: textOf(data, "password") });
      }}
    >
      <label>
        E-mail address
        <input
          name="email"
          type="email"
          autoComplete="username"
          required
          defaultValue={email}
          readOnly={email !== undefined}
          autoFocus={email === undefined}
          aria-describedby={problem}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus={email !== undefined}
          aria-describedby={problem}
        />
      </label>
      <p id={problem} className="problem" role="alert">
        {signIn.isError && messageOf(signIn.error)}
      </p>
      <button type="submit" className="primary" aria-busy={signIn.isPending} disabled={signIn.isPending}>
        Sign in
      </button>
      {oidc && (
        // In the dialog in another tab, because the page must stay as it is.
        <a
          className="button-like"
          href={new URL("oidc/start", consoleUrl).href}
          target={email === undefined ? undefined : "_blank"}
          onClick={() => email === undefined && sessionStorage.setItem(wantedKey, location.href)}
        >
          Sign in with your organisation
        </a>
      )}
    </form>
  );
}
