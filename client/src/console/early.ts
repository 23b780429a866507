// Asks for what the inbox shows first while the script of the page is on its way, which takes seconds on a slow line.
// The page loads it as a script of its own, before that one. It is small and imports nothing, so that it comes first.

const { url: scriptUrl } = import.meta;
/** The address of the console itself, with a slash at the end: `https://…/console/`. Scripts are built into `assets/`. */
export const consoleUrl = new URL("../", scriptUrl).href;

/** Kept by the browser while an operator is signed in. Its value is `inbox` for one who sees submissions. */
const signedIn = "console.signed-in";

/** The page needs an answer at once. One that waits for longer, because the page could not be shown, is out of date. */
const keptMs = 10_000;

class EarlyCalls {
  readonly #answers = new Map<string, Promise<{ readonly response: Response; readonly at: number }>>();

  /** @param withInbox whether to ask for the first rows of the inbox, too */
  ask(withInbox: boolean): void {
    this.#ask("session.me");
    if (!withInbox) return;
    this.#ask("inbox.since", { arrival: 0 });
    this.#ask("inbox.list", { filter: { status: "todo" }, page: {} });
  }

  /** Gives the answer of the same early call, once and if it succeeded lately; otherwise makes the call. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const name = nameOf(url, init.body);
    const asked = this.#answers.get(name);
    this.#answers.delete(name);
    const answer = await asked?.catch(() => undefined);
    return answer?.response.ok && Date.now() - answer.at < keptMs ? answer.response : fetch(url, init);
  }

  /** The next page asks for the inbox where its operator sees it: the server writes a call that it refuses into the audit log. */
  remember(operator: { readonly seesInbox: boolean } | null): void {
    if (operator === null) localStorage.removeItem(signedIn);
    else localStorage.setItem(signedIn, operator.seesInbox ? "inbox" : "");
  }

  #ask(procedure: string, input?: unknown): void {
    const url = `${consoleUrl}trpc/${procedure}`;
    const body = input === undefined ? null : JSON.stringify(input);
    const headers = { "content-type": "application/json" };
    const answer = fetch(url, { method: "POST", headers, body }).then((response) => ({ response, at: Date.now() }));
    // What fails is asked for again when it is needed.
    answer.catch(() => {});
    this.#answers.set(nameOf(url, body), answer);
  }
}

const nameOf = (url: string, body: BodyInit | null | undefined) => `${url} ${typeof body === "string" ? body : ""}`;

export const early = new EarlyCalls();

const remembered = localStorage.getItem(signedIn);
// Draws the frame before the script that fills it is there.
document.documentElement.classList.toggle("framed", remembered !== null);
// Not for another page, or a list that is narrowed.
early.ask(remembered === "inbox" && location.href.replace(/\/?$/, "/") === consoleUrl);
