// What surrounds every page: the sign-in in front of it, navigation, messages and the help.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { calls, isMissing, messageOf, queryClient, trpc } from "./calls.ts";
import { early } from "./early.ts";
import { useMe } from "./operators.ts";
import { Navigation } from "./navigation.tsx";
import { forgetDrafts, offersOf } from "./parts/drafts.tsx";
import { seesSubmissions } from "./roles.ts";
import { Check } from "./parts/form.tsx";
import { Modal } from "./parts/modal.tsx";
import { brand, CardPage, NotFoundPage } from "./parts/page.tsx";
import { shortcutHelp, turnShortcuts, useShortcuts, useShortcutsOn } from "./parts/shortcuts.ts";
import { ToastsProvider } from "./parts/toasts.tsx";
import { session } from "./session.ts";
import { enter, SignInDialog, SignInPage } from "./sign-in/sign-in.tsx";
import { Link, Outlet, usePlace, useRouter, type Router } from "./router.tsx";

export function App() {
  const router = useRouter();
  const { path, pathname } = usePlace();
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const me = useQuery(
    trpc.session.me.queryOptions(undefined, { staleTime: Infinity, enabled: state.name === "unknown" }),
  );
  useEffect(() => {
    if (me.data === undefined || session.state.name !== "unknown") return;
    if (me.data === null) session.set(null);
    else enter(me.data, router);
  }, [me.data, router]);
  useEffect(() => {
    if (state.name === "signed-out") early.remember(null);
    if (state.name === "signed-in")
      early.remember({ seesInbox: seesSubmissions(state.me) && !state.me.mustSetSecondFactor });
  }, [state]);

  const formerPathname = useRef(pathname);
  useEffect(() => {
    // The link that led here is gone with the page that it stood on. A page that was just loaded begins at its top.
    if (formerPathname.current !== pathname && document.activeElement === document.body)
      document.getElementById("content")?.focus({ preventScroll: true });
    formerPathname.current = pathname;
  }, [pathname]);
  useEffect(() => {
    const look = () => void lookWhoIsSignedIn(router);
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    // A query is refused when the operator's role has changed.
    const stop = queryClient.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "error" && isMissing(event.action.error)) look();
    });
    return () => {
      stop();
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router]);

  if (path === "/invitation" || path === "/sign-in") return <Outlet />;
  if (state.name === "signed-out") return <SignInPage />;
  if (state.name === "unknown") {
    return me.isError ? (
      <CardPage title="The console could not be loaded">
        <p role="alert">{messageOf(me.error)}</p>
        <button className="primary" onClick={() => void me.refetch()}>
          Try again
        </button>
      </CardPage>
    ) : (
      <main className="splash" aria-busy="true" data-brand={brand}>
        <h1 className="unseen">Console</h1>
      </main>
    );
  }
  return (
    <>
      {state.me.mustSetSecondFactor ? <SecondFactorFirst /> : <SignedIn />}
      {state.name === "expired" && <SignInDialog email={state.me.email} />}
    </>
  );
}

/** In another tab the operator may have signed out or in again, or another one may have signed in. */
async function lookWhoIsSignedIn(router: Router): Promise<void> {
  const { state } = session;
  if (state.name === "unknown" || document.hidden) return;
  // Where the server cannot be reached, the next call says so.
  const me = await calls.session.me.query().catch(() => undefined);
  if (me === undefined || session.state !== state) return;
  if (me === null) session.expire();
  else if (state.name === "signed-out") enter(me, router);
  // Another operator must not see what this one had on the page.
  else if (me.email !== state.me.email) location.reload();
  else if (me.role !== state.me.role || state.name === "expired") {
    session.set(me);
    // What the role sees no more leaves the page.
    if (me.role !== state.me.role) void queryClient.invalidateQueries();
  }
}

const SecondFactor = lazy(async () => ({ default: (await import("./settings/second-factor.tsx")).SecondFactor }));

/** An administrator who needs a second factor has nothing else before it is set. */
const SecondFactorFirst = () => (
  <CardPage title="One more step">
    <p className="quiet">Administrators need a second factor here. Set one up to go on.</p>
    <ToastsProvider>
      <Suspense>
        <SecondFactor />
      </Suspense>
    </ToastsProvider>
  </CardPage>
);

const KeptOffers = lazy(async () => ({ default: (await import("./triage/offers.tsx")).KeptOffers }));

function SignedIn() {
  const [helping, setHelping] = useState(false);
  useShortcuts({ "?": () => setHelping(true) });
  const { email } = useMe();
  const [isOffered] = useState(() => offersOf(email).length > 0);
  // Those of an operator who did not sign out.
  useEffect(() => forgetDrafts(email), [email]);
  return (
    <div className="frame">
      <ToastsProvider>
        <a
          className="skip"
          href="#content"
          onClick={(event) => {
            // The fragment may hold what is searched for.
            event.preventDefault();
            document.getElementById("content")?.focus();
          }}
        >
          Skip to the content
        </a>
        <Navigation onHelp={() => setHelping(true)} />
        <main id="content" tabIndex={-1}>
          <Notices />
          <Outlet missing={<NotFoundPage />} />
        </main>
        <Suspense>{isOffered && <KeptOffers />}</Suspense>
        {helping && <HelpDialog onClose={() => setHelping(false)} />}
      </ToastsProvider>
    </div>
  );
}

function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const on = useShortcutsOn();
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose}>
      <dl className="keys">
        {shortcutHelp.map(([keys, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Check checked={on} onChange={turnShortcuts}>
        Shortcuts are on
      </Check>
    </Modal>
  );
}

const troublesEveryMs = 60_000;

function listenToConnection(listener: () => void): () => void {
  for (const name of ["online", "offline"]) addEventListener(name, listener);
  return () => {
    for (const name of ["online", "offline"]) removeEventListener(name, listener);
  };
}

function Notices() {
  const online = useSyncExternalStore(listenToConnection, () => navigator.onLine);
  const { data } = useQuery({ ...trpc.overview.troubles.queryOptions(), refetchInterval: troublesEveryMs });
  return (
    <div className={online ? "notices" : "notices offline"}>
      {!online && <p role="alert">You are offline. Changes are sent once the connection is back.</p>}
      {data?.mail && (
        <p role="alert">
          No mail goes out at present.{" "}
          <Link to="/mails" search={{ status: "queued" }}>
            Queued mails
          </Link>{" "}
          wait. Please tell those who run this service.
        </p>
      )}
      {data?.disk && <p role="alert">The disk of this service is nearly full. Please tell those who run it.</p>}
    </div>
  );
}
