// The pages by address. All but the inbox and the sign-in are loaded when they are first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AsyncRouteComponent,
} from "@tanstack/react-router";
import { kinds, submissionKinds, type KindPlural } from "@submissions/shared/kinds";
import { mailStatuses, overviewDays, subscriberStatuses, type Me } from "@submissions/shared/console";
import { App } from "./app.tsx";
import type { ComponentType } from "react";
import { calls } from "./calls.ts";
import { consoleUrl } from "./early.ts";
import { oneOf, readInboxSearch, textUpTo } from "./inbox/inbox-search.ts";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { useMe } from "./operators.ts";
import { isAdmin, seesSubmissions, seesSubscribers } from "./roles.ts";
import { Failure, Skeleton } from "./parts/states.tsx";
import { NotFoundPage } from "./parts/page.tsx";
import { session } from "./session.ts";

const root = createRootRoute({ component: App, notFoundComponent: NotFoundPage });

/**
 * A page in a file of its own, for those whose role includes it. A browser never asks again for a file that it could not
 * get, and the router then loads the whole console anew. So the service is asked first whether it is there: nothing that was
 * typed is lost.
 */
function page<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  sees: (me: Me) => boolean = () => true,
): AsyncRouteComponent<object> {
  const Page: AsyncRouteComponent<object> = lazyRouteComponent(async () => {
    if (session.state.name !== "unknown") await calls.session.me.query();
    return load();
  }, name);
  const Guarded: AsyncRouteComponent<object> = () => (sees(useMe()) ? <Page /> : <NotFoundPage />);
  // It is gone once the file is there.
  return Object.defineProperty(Guarded, "preload", { get: () => Page.preload });
}

/** Takes from an address what a page understands. The router would keep the rest beside it. */
const only =
  <Search extends object>(read: (raw: Readonly<Record<string, unknown>>) => Search) =>
  (raw: Readonly<Record<string, unknown>>): Partial<Search> => ({
    ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])),
    ...read(raw),
  });

const inbox = createRoute({
  getParentRoute: () => root,
  id: "inbox",
  component: InboxPage,
  validateSearch: only(readInboxSearch),
});
const inboxIndex = createRoute({ getParentRoute: () => inbox, path: "/" });

const submissionPage = page(() => import("./submission/submission-page.tsx"), "SubmissionPage");
const submission = <Plural extends KindPlural>(plural: Plural) =>
  createRoute({ getParentRoute: () => inbox, path: `/${plural}/$reference`, component: submissionPage });
/** A page for each kind. The router knows each of their paths by its type. */
const submissions = submissionKinds.map((kind) => submission(kinds[kind].plural)) as readonly {
  readonly [Plural in KindPlural]: ReturnType<typeof submission<Plural>>;
}[KindPlural][];

/** A page that takes nothing from its address but its path. */
const at = <Path extends string>(path: Path, component: AsyncRouteComponent<object>) =>
  createRoute({ getParentRoute: () => root, path, component });

const subscribers = createRoute({
  getParentRoute: () => root,
  path: "/subscribers",
  component: page(() => import("./subscribers/subscribers-page.tsx"), "SubscribersPage", seesSubscribers),
  validateSearch: only(({ status, source, q }) => ({
    status: oneOf(subscriberStatuses, status),
    source: textUpTo(source, 254),
    q: textUpTo(q, 254),
  })),
});
const mails = createRoute({
  getParentRoute: () => root,
  path: "/mails",
  component: page(() => import("./mails/mails-page.tsx"), "MailsPage"),
  validateSearch: only(({ status }) => ({ status: oneOf([...mailStatuses, "all"] as const, status) })),
});
const overview = createRoute({
  getParentRoute: () => root,
  path: "/overview",
  component: page(() => import("./overview/overview-page.tsx"), "OverviewPage", seesSubmissions),
  validateSearch: only(({ days }) => ({ days: overviewDays.find((one) => one === Number(days)) })),
});
const person = page(() => import("./person/person-page.tsx"), "PersonPage");
const audit = page(() => import("./audit/audit-page.tsx"), "AuditPage", isAdmin);
const unmatched = page(() => import("./mails/unmatched-page.tsx"), "UnmatchedPage", isAdmin);
const settings = page(() => import("./settings/settings-page.tsx"), "SettingsPage");
const invitation = page(() => import("./sign-in/link-pages.tsx"), "InvitationPage");
const signInLink = page(() => import("./sign-in/link-pages.tsx"), "SignInLinkPage");

/**
 * What is searched for stands in the fragment, which no server or log on the way sees. The pages read it like their other
 * parameters. An old address with `?q=` is rewritten when it is opened.
 */
function moveWords(url: URL, from: URLSearchParams, to: URLSearchParams): URL {
  const words = ["q", "letter"].flatMap((name) => {
    const word = from.get(name);
    return word === null ? [] : [[name, word] as const];
  });
  if (words.length === 0) return url;
  for (const [name, word] of words) {
    from.delete(name);
    to.set(name, word);
  }
  url.hash = to === url.searchParams ? "" : to.toString();
  return url;
}

/** `/console`, or longer where the service lies below a path. */
const base = new URL(consoleUrl).pathname.replace(/\/$/, "");

export const router = createRouter({
  routeTree: root.addChildren([
    inbox.addChildren([inboxIndex, ...submissions]),
    at("/people/$person", person),
    subscribers,
    mails,
    overview,
    at("/unmatched", unmatched),
    at("/audit", audit),
    at("/settings", settings),
    at("/invitation", invitation),
    at("/sign-in", signInLink),
  ]),
  // In place of `basepath`, which would put a slash behind the inbox's `/console`.
  rewrite: {
    input: ({ url }) => {
      if (url.pathname === base || url.pathname.startsWith(`${base}/`))
        url.pathname = url.pathname.slice(base.length) || "/";
      return moveWords(url, new URLSearchParams(url.hash.slice(1)), url.searchParams);
    },
    output: ({ url }) => {
      url.pathname = `${base}${url.pathname}`.replace(/\/$/, "");
      return moveWords(url, url.searchParams, new URLSearchParams());
    },
  },
  defaultPreload: "intent",
  defaultPendingComponent: () => <Skeleton rows={6} />,
  defaultErrorComponent: ({ error }) => <Failure error={error} retry={() => void router.invalidate()} />,
  scrollRestoration: false,
  // Plain parameters, as people would write them, in place of JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const parts = Object.entries(search as Record<string, string | undefined>);
    const text = new URLSearchParams(parts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    return text.size === 0 ? "" : `?${text.toString()}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** The row of the inbox that the keyboard goes to. */
    row?: string;
  }
}
