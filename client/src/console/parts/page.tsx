// The frame of a page that is not the inbox: heading, actions and content. It also names the browser's tab, and knows
// whether the window is wide or a phone's.
import { useEffect, type ReactNode, type RefObject, useRef, useSyncExternalStore } from "react";
import { Link } from "../router.tsx";

/** What the installation is called. The server writes it into the page. */
export const brand = document.querySelector<HTMLMetaElement>("meta[name=application-name]")?.content ?? "Console";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title]);
}

export const brandIcon = new URL("../icon.svg", import.meta.url).href;

interface CardPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page in front of the console. */
export function CardPage({ title, children }: CardPageProps) {
  useTitle(title);
  return (
    <main className="card-page">
      <div className="card">
        <p className="card-brand">
          <img src={brandIcon} alt="" width="32" height="32" />
          {brand}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function PageFrame({ title, lead, actions, children }: Props) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export const NotFoundPage = () => (
  <PageFrame title="Page not found" lead="There is no page at this address.">
    <p>
      <Link to="/" className="button-like">
        Go to the inbox
      </Link>
    </p>
  </PageFrame>
);

/** Of tabs that are wider than their place the current one is in view. @param shown changes with it, or with the place */
export function useTabInView(shown: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = tabs.current;
    const tab = place?.querySelector("[aria-current]")?.getBoundingClientRect();
    if (place === null || tab === undefined) return;
    const { left, right } = place.getBoundingClientRect();
    place.scrollLeft += Math.max(0, tab.right - right) || Math.min(0, tab.left - left);
  }, [shown]);
  return tabs;
}

function mediaHook(query: string): () => boolean {
  const list = matchMedia(query);
  const subscribe = (listener: () => void) => {
    list.addEventListener("change", listener);
    return () => list.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => list.matches);
}

/** Room for the list beside a submission. */
export const useWide = mediaHook("(min-width: 68rem)");
/** The side bar is a menu. */
export const usePhone = mediaHook("(max-width: 47.9375rem)");
