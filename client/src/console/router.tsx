// Which page is shown: it follows the address, and links and pages change it without loading the console anew.
import {
  Component,
  createContext,
  Suspense,
  use,
  useSyncExternalStore,
  type ComponentProps,
  type ComponentType,
  type MouseEvent,
  type ReactNode,
} from "react";
import { hrefOf, placeOf, type Path, type Place, type SearchOf, type Target } from "./addresses.ts";
import { isOfCall } from "./calls.ts";
import { Failure, Skeleton } from "./parts/states.tsx";

export class PageFile {
  readonly #read: () => Promise<ComponentType>;
  #loading: Promise<ComponentType> | undefined;
  #page: ComponentType | undefined;
  #hasFailed = false;

  constructor(read: () => Promise<ComponentType>) {
    this.#read = read;
  }

  get isLoaded(): boolean {
    return this.#page !== undefined;
  }

  /** Once; again when it failed. */
  load(): Promise<ComponentType> {
    if (this.#loading === undefined || this.#hasFailed) {
      this.#hasFailed = false;
      this.#loading = this.#read();
      this.#loading.then(
        (page) => (this.#page = page),
        () => (this.#hasFailed = true),
      );
    }
    return this.#loading;
  }

  /** For a component, which waits for it. @throws why it could not be loaded */
  shown(): ComponentType {
    return this.#page ?? use(this.#loading ?? this.load());
  }
}

/** The pages at each path: the outer one and those within it. */
type Pages = Readonly<Record<Path, readonly (ComponentType | PageFile)[]>>;

/** What is kept with an entry of the browser's history. */
interface EntryState {
  /** The row of the inbox that the keyboard goes to. */
  readonly row?: string;
}

interface How {
  readonly replace?: boolean;
  readonly state?: EntryState;
}

/** A page that takes longer to load is waited for in its place, and not on the page before it. */
const pendingMs = 1_000;

export class Router {
  readonly pages: Pages;
  #place = placeOf(location);
  #turn = 0;
  readonly #listeners = new Set<() => void>();

  constructor(pages: Pages) {
    this.pages = pages;
    history.replaceState(history.state, "", this.#place.href);
    if (this.#place.path !== undefined) this.preload(this.#place.path);
    addEventListener("popstate", () => void this.#show(placeOf(location), true));
  }

  get place(): Place {
    return this.#place;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resolves when the page is shown, or when the operator has gone on to another one before. */
  readonly navigate = <To extends Path>({ replace, state, ...target }: Target<To> & How): Promise<void> =>
    this.goTo(hrefOf(target), { replace, state });

  goTo(href: string, { replace = false, state = {} }: { [Name in keyof How]: How[Name] | undefined }): Promise<void> {
    const place = placeOf(new URL(href, location.href));
    const isSame = place.href === placeOf(location).href;
    history[replace || isSame ? "replaceState" : "pushState"](state, "", place.href);
    return this.#show(place);
  }

  /** Loads a page before it is gone to. */
  preload(path: Path): void {
    for (const file of this.#filesOf(path)) file.load().catch(() => {});
  }

  /** Loads again what could not be loaded. */
  retry(): void {
    if (this.#place.path !== undefined) this.preload(this.#place.path);
  }

  #filesOf(path: Path): readonly PageFile[] {
    return this.pages[path].filter((page) => page instanceof PageFile).filter(({ isLoaded }) => !isLoaded);
  }

  async #show(place: Place, isReturn = false): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const files = place.path === undefined ? [] : this.#filesOf(place.path);
    if (files.length > 0) {
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, pendingMs);
      await Promise.race([Promise.allSettled(files.map((file) => file.load())), isLate]);
      clearTimeout(timer);
      if (turn !== this.#turn) return;
    }
    // What reads the parameters need not look at them again.
    const isSame = JSON.stringify(place.search) === JSON.stringify(this.#place.search);
    const isOther = place.pathname !== this.#place.pathname;
    this.#place = isSame ? { ...place, search: this.#place.search } : place;
    for (const listener of this.#listeners) listener();
    // Where one returns to, the browser scrolls as it was.
    if (isOther && !isReturn) scrollTo({ top: 0 });
  }
}

const RouterContext = createContext<Router | undefined>(undefined);

export function useRouter(): Router {
  const router = use(RouterContext);
  if (router === undefined) throw new Error("There is no router here.");
  return router;
}

export const RouterProvider = ({ router, children }: { readonly router: Router; readonly children: ReactNode }) => (
  <RouterContext value={router}>
    <Boundary href="" retry={() => router.retry()}>
      {children}
    </Boundary>
  </RouterContext>
);

export function usePlace(): Place {
  const router = useRouter();
  return useSyncExternalStore(router.subscribe, () => router.place);
}

export const useNavigate = () => useRouter().navigate;
export const useParams = () => usePlace().params;
/** What the address says. @param _path a path of the page that asks */
export const useSearch = <One extends Path>(_path: One): SearchOf<One> => usePlace().search as SearchOf<One>;
/** What was kept with the present entry of the history. */
export const useEntryState = (): EntryState => {
  usePlace();
  return (history.state as EntryState | null) ?? {};
};

interface LinkProps<To extends Path> extends Target<To>, Omit<ComponentProps<"a">, "href"> {}

/** A link to a page of the console. The page is loaded as soon as the link is pointed at. */
export function Link<To extends Path>({ to, params, search, onClick, ...others }: LinkProps<To>) {
  const router = useRouter();
  const target = { to, ...(params && { params }), ...(search && { search }) } as Target<To>;
  const preload = () => router.preload(to);
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey } = event;
    // The browser opens it in another tab or window, or stores it.
    if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
    event.preventDefault();
    void router.navigate(target);
  };
  return (
    <a
      {...others}
      href={hrefOf(target)}
      onClick={go}
      onPointerEnter={preload}
      onFocus={preload}
      onTouchStart={preload}
    />
  );
}

interface OutletProps {
  /** 1: the page within the outer one. */
  readonly level?: number;
  /** What stands there when no page is at the address. */
  readonly missing?: ReactNode;
}

/** The page of the address. */
export function Outlet({ level = 0, missing }: OutletProps) {
  const router = useRouter();
  const { path, href } = usePlace();
  if (path === undefined) return missing;
  const page = router.pages[path][level];
  if (page === undefined) return null;
  return (
    <Boundary href={href} retry={() => router.retry()}>
      <Suspense fallback={<Skeleton rows={6} />}>
        <Shown page={page} />
      </Suspense>
    </Boundary>
  );
}

function Shown({ page }: { readonly page: ComponentType | PageFile }) {
  const Its = page instanceof PageFile ? page.shown() : page;
  return <Its />;
}

interface BoundaryProps {
  readonly href: string;
  readonly retry: () => void;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | null;
}

/** Says that what stands in it failed, until another page is gone to. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidUpdate({ href }: BoundaryProps): void {
    if (this.state.failure !== null && href !== this.props.href) this.setState({ failure: null });
  }

  readonly #retry = () => {
    // A browser never asks again for a file that it could not get, unless the whole console is loaded anew.
    if (!isOfCall(this.state.failure?.error)) return location.reload();
    this.props.retry();
    this.setState({ failure: null });
  };

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : <Failure error={failure.error} retry={this.#retry} />;
  }
}
