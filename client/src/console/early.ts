// Asks for what the inbox shows first while the script of the page is still on its way, which takes seconds on a slow line.
// The page loads it as a script of its own, before that one.
import type { Me } from "@submissions/shared/console";
import { filterOf } from "./inbox/inbox-search.ts";
import { seesSubmissions } from "./roles.ts";

const { url: scriptUrl } = import.meta;
/** The address of the console itself, with a slash at the end: `https://…/console/`. Scripts are built into `assets/`. */
export const consoleUrl = new URL("../", scriptUrl).href;

const signedIn = "console.signed-in";

/** Draws the frame before the script that fills it is there, where an operator was signed in last. */
const drawFrame = (isSignedIn: boolean) => document.documentElement.classList.toggle("framed", isSignedIn);

class EarlyCalls {
  readonly #answers = new Map<string, Promise<Response>>();

  async askForInbox(): Promise<void> {
    const answer = (await this.#ask("session.me")).clone();
    const { result } = (await answer.json()) as { readonly result?: { readonly data: Me | null } };
    const me = result?.data;
    drawFrame(Boolean(me));
    if (me) localStorage.setItem(signedIn, "");
    else localStorage.removeItem(signedIn);
    // The server writes each call that it refuses to an operator into the audit log.
    if (!me || me.mustSetSecondFactor || !seesSubmissions(me)) return;
    // Another page, or a list that is narrowed.
    if (location.href.replace(/\/?$/, "/") !== consoleUrl) return;
    void this.#ask("inbox.since", { arrival: 0 });
    void this.#ask("inbox.list", { filter: filterOf({}), page: {} });
  }

  /** Gives the answer of the same early call, once and if it succeeded; otherwise makes the call. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const name = nameOf(url, init.body);
    const asked = this.#answers.get(name);
    this.#answers.delete(name);
    const answer = await asked?.catch(() => undefined);
    return answer?.ok ? answer : fetch(url, init);
  }

  #ask(procedure: string, input?: unknown): Promise<Response> {
    const url = `${consoleUrl}trpc/${procedure}`;
    const body = input === undefined ? null : JSON.stringify(input);
    const answer = fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    this.#answers.set(nameOf(url, body), answer);
    return answer;
  }
}

const nameOf = (url: string, body: BodyInit | null | undefined) => `${url} ${typeof body === "string" ? body : ""}`;

export const early = new EarlyCalls();

drawFrame(localStorage.getItem(signedIn) !== null);
// What fails is asked for again when it is needed.
early.askForInbox().catch(() => {});
