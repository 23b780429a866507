// Signing in: a page at the same address as what was asked for, and a dialog over the page when the session ended.
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Me } from "@submissions/shared/console";
import { useEffect, useState } from "react";
import { isWrong, trpc } from "../calls.ts";
import { consoleUrl } from "../early.ts";
import { Field, Form } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { CardPage } from "../parts/page.tsx";
import { useRouter, type Router } from "../router.tsx";
import { session } from "../session.ts";

/** Where the page is kept that asked for the sign-in, in this tab: the provider leads back to the inbox. */
const wantedKey = "console.wanted";

const inboxUrl = consoleUrl.replace(/\/$/, "");
/** What the service still asks for when it leads back from the provider: the code of the second factor, or the password. */
const asked = ["#code", "#connect"];

/** Goes on after a sign-in: if the provider has led back, with the page that asked for it. */
export function enter(me: Me, router: Router): void {
  const wanted = sessionStorage.getItem(wantedKey) ?? inboxUrl;
  sessionStorage.removeItem(wantedKey);
  const isBack = ["", ...asked].some((fragment) => location.href === inboxUrl + fragment);
  if (isBack && location.href !== wanted) void router.goTo(wanted, { replace: true });
  session.set(me);
}

/** Where the page after a sign-out finds the provider's end of session, in this tab. */
const providerKey = "console.provider";

export function keepProviderUrl(url: string | undefined): void {
  if (url !== undefined) sessionStorage.setItem(providerKey, url);
}

export function SignInPage() {
  const [providerUrl] = useState(() => sessionStorage.getItem(providerKey));
  useEffect(() => sessionStorage.removeItem(providerKey), []);
  return (
    <CardPage title="Sign in">
      {providerUrl !== null && (
        <p className="quiet">
          You are signed out here. Your organisation's account may still be signed in in this browser.{" "}
          <a href={providerUrl}>Sign out of it as well</a>
        </p>
      )}
      <SignInForm />
    </CardPage>
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

/** How operators may sign in here; undefined until it is known. Where it cannot be asked, the password is tried. */
export function useMethods(): { readonly password: boolean; readonly oidc: boolean } | undefined {
  const { data, isError } = useQuery(trpc.session.methods.queryOptions(undefined, { staleTime: Infinity }));
  return isError ? { password: true, oidc: false } : data;
}

/** The token of a link, which stands in the fragment: no server or log on the way sees it. */
export const tokenOfAddress = (): string => new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

interface ProviderFormProps {
  /** Of an invitation that is accepted with the account. */
  readonly token?: string;
  readonly primary?: boolean;
  /** In another tab: the page must stay as it is. */
  readonly elsewhere?: boolean;
}

/** Leads to the provider of OpenID Connect. A form: no page of another site can begin a sign-in. */
export const ProviderForm = ({ token = "", primary = false, elsewhere = false }: ProviderFormProps) => (
  <form
    method="post"
    action={new URL("oidc/start", consoleUrl).href}
    target={elsewhere ? "_blank" : undefined}
    className="stack"
    onSubmit={() => {
      // Where the provider has led back, the page is known already.
      if (!elsewhere && token === "" && !asked.includes(location.hash))
        sessionStorage.setItem(wantedKey, location.href);
    }}
  >
    <input type="hidden" name="token" value={token} />
    <button className={primary ? "primary" : undefined}>
      {token === "" ? "Continue with your organisation" : "Accept with your organisation's account"}
    </button>
  </form>
);

function SignInForm({ email }: { readonly email?: string }) {
  const methods = useMethods();
  // The dialog begins a sign-in of its own. What stands in the address would be of an earlier one.
  const [asks] = useState(() => (email === undefined ? location.hash : ""));
  const connecting = asks === "#connect";
  if (asks === "#code") {
    return (
      <>
        <p className="quiet">Your organisation's account is not enough here: enter the code, too.</p>
        <CodeForm />
        <ProviderForm />
      </>
    );
  }
  return (
    <>
      {connecting && (
        <p className="quiet">Enter your password once. After that, your organisation's account signs you in.</p>
      )}
      {methods?.password !== false && <PasswordForm email={email} />}
      {methods?.password !== false && (
        <p className="quiet">
          Forgot your password? An administrator can invite you again, which mails you a new link.
        </p>
      )}
      {methods?.oidc && !connecting && <ProviderForm elsewhere={email !== undefined} primary={!methods.password} />}
    </>
  );
}

/** Where the provider has led back, and named no second factor. */
function CodeForm() {
  const router = useRouter();
  const entering = useMutation({
    ...trpc.session.enterCode.mutationOptions(),
    onSuccess: (me) => enter(me, router),
  });
  return (
    <Form
      call={entering}
      onSubmit={(text) => entering.mutate({ code: text("code").trim() })}
      foot={
        <button className="primary" disabled={entering.isPending}>
          Sign in
        </button>
      }
    >
      <CodeField />
    </Form>
  );
}

const CodeField = () => (
  <Field
    label="Code of your authenticator app, or a recovery code"
    name="code"
    autoComplete="one-time-code"
    required
    autoFocus
  />
);

function PasswordForm({ email }: { readonly email: string | undefined }) {
  const router = useRouter();
  const signIn = useMutation({
    ...trpc.session.signIn.mutationOptions(),
    onSuccess: (me) => {
      // Another operator must not see what this one had on the page.
      if (email !== undefined && me.email.toLowerCase() !== email.toLowerCase()) location.reload();
      else enter(me, router);
    },
  });
  // The server asks for the code once the password is right.
  const [asksForCode, setAsksForCode] = useState(false);
  if (signIn.isError && !asksForCode && isWrong(signIn.error, "code")) setAsksForCode(true);
  return (
    <Form
      call={signIn}
      onSubmit={(text) => {
        const code = text("code").trim();
        signIn.mutate({ email: text("email").trim(), password: text("password"), ...(code !== "" && { code }) });
      }}
      foot={
        <button className="primary" aria-busy={signIn.isPending} disabled={signIn.isPending}>
          Sign in
        </button>
      }
    >
      <Field
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        readOnly={email !== undefined}
        autoFocus={email === undefined}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={email !== undefined}
      />
      {asksForCode && <CodeField />}
    </Form>
  );
}
