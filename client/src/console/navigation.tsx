// The side bar; on a phone, a bar at the top with a menu.
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState, type LinkProps } from "@tanstack/react-router";
import { useEffect, useId, useRef } from "react";
import { calls, isSignedOut, trpc } from "./calls.ts";
import { isAdmin, seesSubmissions, seesSubscribers, useMe } from "./me.ts";
import { useNames } from "./operators.ts";
import { forgetDrafts } from "./parts/drafts.tsx";
import { Icon, type IconName } from "./parts/icons.tsx";
import { brand } from "./parts/page.tsx";
import { Avatar } from "./parts/states.tsx";
import { useToasts } from "./parts/toasts.tsx";
import { keepProviderUrl } from "./sign-in/sign-in.tsx";
import { cappedCount, word } from "./words.ts";

/** Counts are asked for again every half a minute, and after each change. */
const countsEveryMs = 30_000;

export const useCounts = () =>
  useQuery({
    ...trpc.inbox.counts.queryOptions(),
    refetchInterval: countsEveryMs,
    enabled: seesSubmissions(useMe()),
  }).data;

/** Ends the session and loads the page anew: the next operator finds nothing of this one, such as notes that were begun. */
export function useSignOut(): (everywhere: boolean) => void {
  const { showFailure } = useToasts();
  const { signOut, signOutEverywhere } = calls.session;
  return (everywhere) =>
    void (everywhere ? signOutEverywhere : signOut)
      .mutate()
      .then(
        (ended) => keepProviderUrl(ended?.providerUrl),
        (error: unknown) => {
          if (!isSignedOut(error)) throw error;
        },
      )
      .then(() => forgetDrafts())
      .then(
        () => location.reload(),
        (error: unknown) => showFailure("Not signed out.", error),
      );
}

export function Navigation({ onHelp }: { readonly onHelp: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => menu.current?.hidePopover(), [path]);
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
          <img src={new URL("icon.svg", import.meta.url).href} alt="" width="24" height="24" />
          <span>{brand}</span>
        </Link>
        <button type="button" className="bare menu-button" popoverTarget="menu" aria-label="Menu">
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
  const search = useRouterState({ select: ({ location }) => location.search as Readonly<Record<string, unknown>> });
  const inInbox = useRouterState({
    select: ({ matches }) => matches.some(({ routeId }) => (routeId as string) === "/inbox"),
  });
  const { assignee, kind } = search;
  const places = [
    ["To do", {}, "inbox", counts?.todo, assignee === undefined && kind === undefined, "to do"],
    ["Inquiries", { kind: "inquiry" }, "inquiry", counts?.inquiries, kind === "inquiry", "to do"],
    ["Applications", { kind: "application" }, "application", counts?.applications, kind === "application", "to do"],
    ["Mine", { assignee: me.email }, "mine", counts?.mine, assignee === me.email, "assigned to you"],
    ["Unassigned", { assignee: "none" }, "help", counts?.unassigned, assignee === "none", "to do"],
  ] as const;
  const hidden: Readonly<Record<string, string>> = { sales: "Applications", recruiting: "Inquiries" };
  return (
    <nav aria-label="Console">
      {seesSubmissions(me) && (
        <>
          {places.map(
            ([name, filter, icon, count, isShown, about]) =>
              name !== hidden[me.role] && (
                <Place
                  key={name}
                  to="/"
                  search={filter}
                  icon={icon}
                  count={count}
                  current={inInbox && isShown}
                  about={about}
                >
                  {name}
                </Place>
              ),
          )}
        </>
      )}
      {seesSubscribers(me) && (
        <Place to="/subscribers" icon="subscribers">
          Subscribers
        </Place>
      )}
      <Place to="/mails" icon="mails">
        Mails
      </Place>
      {seesSubmissions(me) && (
        <Place to="/overview" icon="overview">
          Overview
        </Place>
      )}
      {isAdmin(me) && (
        <Place to="/audit" icon="audit">
          Audit log
        </Place>
      )}
      <Place to="/settings" icon="settings">
        Settings
      </Place>
    </nav>
  );
}

interface PlaceProps {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly search?: Readonly<Record<string, string>>;
  readonly icon: IconName;
  readonly count?: number | undefined;
  /** What is counted, for screen readers. */
  readonly about?: string;
  readonly current?: boolean;
  readonly children: string;
}

function Place({ to, search = {}, icon, count, about, current, children }: PlaceProps) {
  return (
    <Link
      to={to}
      search={search as never}
      className="place"
      activeOptions={{ includeSearch: false, exact: to === "/" }}
      activeProps={
        current === undefined ? { className: "current", "aria-current": "page" } : { "aria-current": undefined }
      }
      {...(current === true && { className: "place current", "aria-current": "page" as const })}
    >
      <Icon name={icon} />
      <span>{children}</span>
      {count !== undefined && count > 0 && (
        <span className="count">
          {cappedCount(count)} <span className="unseen">{about}</span>
        </span>
      )}
    </Link>
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
      <button type="button" className="bare account" popoverTarget={id}>
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
        <button type="button" className="choice" onClick={onHelp}>
          Keyboard shortcuts <kbd>?</kbd>
        </button>
        <button type="button" className="choice" onClick={() => signOut(false)}>
          Sign out
        </button>
      </div>
    </>
  );
}
