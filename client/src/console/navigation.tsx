// The side bar; on a phone, a bar at the top with a menu.
import { kinds, kindsOf } from "@submissions/shared/kinds";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import type { Path } from "./addresses.ts";
import { calls, isSignedOut, trpc } from "./calls.ts";
import { early } from "./early.ts";
import { useMe, useNames } from "./operators.ts";
import { isAdmin, seesSubmissions, seesSubscribers } from "./roles.ts";
import { forgetDrafts } from "./parts/drafts.tsx";
import { Icon, type IconName } from "./parts/icons.tsx";
import { brand, brandIcon } from "./parts/page.tsx";
import { Avatar } from "./parts/states.tsx";
import { useToasts } from "./parts/toasts.tsx";
import type { InboxSearch } from "./inbox/inbox-search.ts";
import { keepProviderUrl } from "./sign-in/sign-in.tsx";
import { cappedCount, word } from "./words.ts";
import { Link, usePlace } from "./router.tsx";

/** Counts are asked for again every half a minute, and after each change. */
export const countsEveryMs = 30_000;

export const useCounts = () =>
  useQuery({
    ...trpc.inbox.counts.queryOptions(),
    refetchInterval: countsEveryMs,
    enabled: seesSubmissions(useMe()),
  }).data;

/** Ends the session and loads the page anew: the next operator finds nothing of this one, such as notes that were begun. */
export function useSignOut(): (everywhere: boolean) => Promise<void> {
  const { showFailure } = useToasts();
  const { signOut, signOutEverywhere } = calls.session;
  return async (everywhere) => {
    try {
      const ended = await (everywhere ? signOutEverywhere : signOut).mutate();
      keepProviderUrl(ended?.providerUrl);
    } catch (error) {
      // The session may have ended before.
      if (!isSignedOut(error)) return showFailure("Not signed out.", error);
    }
    forgetDrafts();
    early.remember(null);
    location.reload();
  };
}

export function Navigation({ onHelp }: { readonly onHelp: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const { href } = usePlace();
  useEffect(() => menu.current?.hidePopover(), [href]);
  const content = (
    <>
      <Places />
      <Account onHelp={onHelp} />
    </>
  );
  return (
    <header className="bar">
      <div className="bar-top">
        <Link to="/" className="brand">
          <img src={brandIcon} alt="" width="24" height="24" />
          <span>{brand}</span>
        </Link>
        <button className="bare menu-button" popoverTarget="menu" aria-label="Menu">
          <Icon name="menu" size={22} />
        </button>
      </div>
      <div className="wide-menu">{content}</div>
      <div id="menu" className="menu" popover="auto" ref={menu}>
        {content}
      </div>
    </header>
  );
}

function Places() {
  const me = useMe();
  const counts = useCounts();
  const { path, params, search } = usePlace();
  const inInbox = path === "/" || params.reference !== undefined;
  const { assignee, kind, q, status } = search as InboxSearch;
  const sees = seesSubmissions(me);
  const isToDo = ["done", "spam", "all"].every((other) => status !== other);
  const isUnfiltered = isToDo && assignee === undefined && kind === undefined && q === undefined;
  // Every list is at one address. It is said here which of them is shown.
  const list = (filter: InboxSearch, isShown: boolean, count = 0) => ({ filter, count, isCurrent: inInbox && isShown });
  const places: readonly (readonly [string, IconName, Path, boolean, ReturnType<typeof list>?])[] = [
    ["To do", "inbox", "/", sees, list({}, isUnfiltered, counts?.todo)],
    ...kindsOf(me.role).map((name) => {
      const { words, plural } = kinds[name];
      return [words.en.plural, name, "/", sees, list({ kind: name }, kind === name, counts?.[plural])] as const;
    }),
    ["Mine", "mine", "/", sees, list({ assignee: me.email }, assignee === me.email, counts?.mine)],
    ["Unassigned", "unassigned", "/", sees, list({ assignee: "none" }, assignee === "none", counts?.unassigned)],
    ["Subscribers", "subscribers", "/subscribers", seesSubscribers(me)],
    ["Mails", "mails", "/mails", true],
    ["Unmatched", "help", "/unmatched", isAdmin(me)],
    ["Overview", "overview", "/overview", sees],
    ["Audit log", "audit", "/audit", isAdmin(me)],
    ["Settings", "settings", "/settings", true],
  ];
  return (
    <nav aria-label="Console">
      {places.map(
        ([name, icon, to, isSeen, its]) =>
          isSeen && (
            <Link
              key={name}
              to={to}
              search={its?.filter ?? {}}
              className={`place ${its ? "list" : "page"}-place`}
              aria-current={(its?.isCurrent ?? path === to) ? "page" : undefined}
            >
              <Icon name={icon} />
              <span>{name}</span>
              {its !== undefined && its.count > 0 && (
                <span className="count">
                  {cappedCount(its.count)}{" "}
                  <span className="unseen">{name === "Mine" ? "assigned to you" : "to do"}</span>
                </span>
              )}
            </Link>
          ),
      )}
    </nav>
  );
}

/** Who is signed in, and a menu of what belongs to the account. */
function Account({ onHelp }: { readonly onHelp: () => void }) {
  const { email, role } = useMe();
  const nameOf = useNames();
  const signOut = useSignOut();
  const id = useId();
  return (
    <>
      <button className="bare account" popoverTarget={id}>
        <Avatar name={nameOf(email)} />
        <span className="who">
          <span className="unseen">Account of</span> <strong className="clip">{nameOf(email)}</strong>
          <span>{word(role)}</span>
        </span>
      </button>
      <div
        id={id}
        popover="auto"
        className="popover choices account-menu"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        <p className="quiet small">{email}</p>
        <Link to="/settings" className="choice">
          Settings
        </Link>
        <button className="choice" onClick={onHelp}>
          Keyboard shortcuts <kbd>?</kbd>
        </button>
        <button className="choice" onClick={() => void signOut(false)}>
          Sign out
        </button>
      </div>
    </>
  );
}
