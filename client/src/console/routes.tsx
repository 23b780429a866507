// The pages by address. All but the inbox and the sign-in are loaded when they are first opened.
import { kinds, submissionKinds, type KindPlural } from "@submissions/shared/kinds";
import type { Me } from "@submissions/shared/console";
import type { ComponentType } from "react";
import { calls } from "./calls.ts";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { useMe } from "./operators.ts";
import { isAdmin, seesSubmissions, seesSubscribers } from "./roles.ts";
import { NotFoundPage } from "./parts/page.tsx";
import { PageFile, Router } from "./router.tsx";
import { session } from "./session.ts";

/**
 * A page in a file of its own, for those whose role includes it. A browser never asks again for a file that it could not
 * get. So the service is asked first whether it is there: nothing that was typed is lost.
 */
const page = <Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  sees: (me: Me) => boolean = () => true,
): PageFile =>
  new PageFile(async () => {
    if (session.state.name !== "unknown") await calls.session.me.query();
    const Its: ComponentType = (await load())[name];
    return () => (sees(useMe()) ? <Its /> : <NotFoundPage />);
  });

const submission = [InboxPage, page(() => import("./submission/submission-page.tsx"), "SubmissionPage")];

export const router = new Router({
  "/": [InboxPage],
  ...(Object.fromEntries(submissionKinds.map((kind) => [`/${kinds[kind].plural}/$reference`, submission])) as Readonly<
    Record<`/${KindPlural}/$reference`, typeof submission>
  >),
  "/people/$person": [page(() => import("./person/person-page.tsx"), "PersonPage")],
  "/subscribers": [page(() => import("./subscribers/subscribers-page.tsx"), "SubscribersPage", seesSubscribers)],
  "/mails": [page(() => import("./mails/mails-page.tsx"), "MailsPage")],
  "/overview": [page(() => import("./overview/overview-page.tsx"), "OverviewPage", seesSubmissions)],
  "/unmatched": [page(() => import("./mails/unmatched-page.tsx"), "UnmatchedPage", isAdmin)],
  "/audit": [page(() => import("./audit/audit-page.tsx"), "AuditPage", isAdmin)],
  "/settings": [page(() => import("./settings/settings-page.tsx"), "SettingsPage")],
  "/invitation": [page(() => import("./sign-in/link-pages.tsx"), "InvitationPage")],
  "/sign-in": [page(() => import("./sign-in/link-pages.tsx"), "SignInLinkPage")],
});
