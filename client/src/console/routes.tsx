// The pages by address. All but the inbox and the sign-in are loaded when they are first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { MailRow, SubscriberStatus } from "@submissions/shared/console";
import { App } from "./app.tsx";
import { consoleUrl } from "./calls.ts";
import { readInboxSearch } from "./inbox-search.ts";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { Skeleton } from "./parts/states.tsx";
import { NotFoundPage } from "./parts/page.tsx";
import { mailStatusWords, subscriberWords } from "./words.ts";

const root = createRootRoute({ component: App, notFoundComponent: NotFoundPage });

const inbox = createRoute({
  getParentRoute: () => root,
  id: "inbox",
  component: InboxPage,
  validateSearch: readInboxSearch,
});
const inboxIndex = createRoute({ getParentRoute: () => inbox, path: "/" });

const submissionPage = lazyRouteComponent(() => import("./submission/submission-page.tsx"), "SubmissionPage");
const inquiry = createRoute({
  getParentRoute: () => inbox,
  path: "/inquiries/$reference",
  component: submissionPage,
});
const application = createRoute({
  getParentRoute: () => inbox,
  path: "/applications/$reference",
  component: submissionPage,
});

const keyOf = <Name extends string>(words: Readonly<Record<Name, string>>, value: unknown) =>
  (Object.keys(words) as Name[]).find((name) => name === value);

const person = createRoute({
  getParentRoute: () => root,
  path: "/people/$email",
  component: lazyRouteComponent(() => import("./pages/person-page.tsx"), "PersonPage"),
});
const subscribers = createRoute({
  getParentRoute: () => root,
  path: "/subscribers",
  component: lazyRouteComponent(() => import("./pages/subscribers-page.tsx"), "SubscribersPage"),
  validateSearch: ({ status, q }: Record<string, unknown>): { status?: SubscriberStatus; q?: string } => {
    const known = keyOf(subscriberWords, status);
    return { ...(known && { status: known }), ...(typeof q === "string" && q !== "" && { q }) };
  },
});
const mails = createRoute({
  getParentRoute: () => root,
  path: "/mails",
  component: lazyRouteComponent(() => import("./pages/mails-page.tsx"), "MailsPage"),
  validateSearch: ({ status }: Record<string, unknown>): { status?: MailRow["status"] | "all" } => {
    const known = keyOf({ ...mailStatusWords, all: "All" }, status);
    return known ? { status: known } : {};
  },
});
const overview = createRoute({
  getParentRoute: () => root,
  path: "/overview",
  component: lazyRouteComponent(() => import("./pages/overview-page.tsx"), "OverviewPage"),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  component: lazyRouteComponent(() => import("./pages/audit-page.tsx"), "AuditPage"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings-page.tsx"), "SettingsPage"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./pages/invitation-page.tsx"), "InvitationPage"),
  validateSearch: ({ token }: Record<string, unknown>): { token: string } => ({
    token: typeof token === "string" ? token : "",
  }),
});

/** `/console`, or longer where the service lies below a path. */
const base = new URL(consoleUrl).pathname.replace(/\/$/, "");

export const router = createRouter({
  routeTree: root.addChildren([
    inbox.addChildren([inboxIndex, inquiry, application]),
    person,
    subscribers,
    mails,
    overview,
    audit,
    settings,
    invitation,
  ]),
  // In place of `basepath`, which would put a slash behind the inbox's `/console`.
  rewrite: {
    input: ({ url }) => {
      if (url.pathname === base || url.pathname.startsWith(`${base}/`))
        url.pathname = url.pathname.slice(base.length) || "/";
      return url;
    },
    output: ({ url }) => {
      url.pathname = `${base}${url.pathname}`.replace(/\/$/, "");
      return url;
    },
  },
  defaultPreload: "intent",
  defaultPendingComponent: () => <Skeleton rows={6} />,
  scrollRestoration: false,
  // Plain parameters, as people would write them, in place of JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
