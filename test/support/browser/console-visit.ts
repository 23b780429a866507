// What operators do in the tests of the console, and what goes wrong meanwhile.
import type { InboxRow } from "@submissions/shared/console";
import type { Browser, BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import { afterEach, expect } from "vitest";
import { password } from "../console/operator.ts";
import { barriersOf, openBrowser, Visit, routeNext } from "../browser.ts";
import { manyOrFew } from "../many-or-few.ts";
import { shared } from "../shared.ts";
import { operators, type ConsoleSite } from "./console-site.ts";

export const operator = operators.eva[0];
export const rows = (page: Page): Locator => page.locator(".rows .row");
export const pathOf = ({ kind, reference }: Pick<InboxRow, "kind" | "reference">) =>
  `/${kind === "inquiry" ? "inquiries" : "applications"}/${reference}`;
export const personOf = (email: string) => `/people/${encodeURIComponent(email)}`;
export const focusedRow = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement).dataset["reference"]);
export const hasFocus = (place: Locator) => place.evaluate((element) => element === document.activeElement);

export async function fillSignIn(page: Page, secret = password, address: string = operator): Promise<void> {
  const email = page.getByLabel("E-mail address");
  if (await email.isEditable()) await email.fill(address);
  await page.getByLabel("Password").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}

export async function enter(
  browser: Browser,
  site: Pick<ConsoleSite, "url" | "signIn">,
  path = "",
  { as = operator, ...options }: BrowserContextOptions & { readonly as?: string } = {},
): Promise<Visit> {
  const visit = await Visit.begin(browser, { ...wide, ...options });
  await site.signIn(visit.context, as);
  await visit.page.goto(site.url + path);
  await visit.page.locator("#content").waitFor();
  return visit;
}

/**
 * One operator's visit for all tests of a file. `go` goes to an address in it as a link would, which spares the page from
 * being loaded again: what other operators have changed meanwhile may be missing. After each test the problems in the page
 * must be those that it named.
 */
export function oneVisit(site: () => ConsoleSite, as: string = operator): OneVisit {
  const visit = shared(async () => enter(await openBrowser(), site(), "", { as }));
  afterEach(() => visit().check());
  return {
    expectProblems: (...patterns) => visit().expectProblems(...patterns),
    go: async (path = "", { viewport, forcedColors = null } = wide) => {
      const { page } = visit();
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: null, forcedColors });
      return moveTo(page, site().url + path);
    },
  };
}

/** Goes on to another address of the console without loading the page again. */
export async function moveTo(page: Page, address: string): Promise<Page> {
  await page.evaluate(async (next) => {
    history.pushState(null, "", next);
    dispatchEvent(new PopStateEvent("popstate"));
    // The page is drawn anew by then.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, address);
  // Until then the rows of the list before are shown.
  await page.locator(".list-body[aria-busy=true]").waitFor({ state: "detached" });
  return page;
}

interface OneVisit extends Pick<Visit, "expectProblems"> {
  go(path?: string, look?: Look): Promise<Page>;
}

interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly forcedColors?: "active" | null;
}

export const wide = { viewport: { width: 1440, height: 900 } };
export const phone = { viewport: { width: 360, height: 740 } };
/** By day the one in which most goes wrong. */
export const looks = (
  [
    { colorScheme: "dark", ...phone },
    { colorScheme: "light", ...wide },
  ] as const
).slice(0, manyOrFew(2));

/** Axe leaves the size of targets (WCAG 2.2) to those who ask for it. */
const withTargets = { rules: { "target-size": { enabled: true } } };

export async function findingsIn(page: Page): Promise<string[]> {
  return (await barriersOf(page, withTargets)).flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

export const overflowOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** In dark on a phone, and at night in light and wide: nothing that axe finds, and nothing that does not fit. Ends wide. */
export async function isWellMade(page: Page, what = ""): Promise<void> {
  for (const { colorScheme, viewport } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect(await findingsIn(page), `${what}, ${colorScheme}`).toEqual([]);
    expect(await overflowOf(page), what).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(wide.viewport);
}

export async function failNext(page: Page, procedure: string, times = 1): Promise<void> {
  const data = { code: "INTERNAL_SERVER_ERROR", httpStatus: 500 };
  const json = { error: { message: "Something went wrong.", code: -32_603, data } };
  await routeNext(page, `**/${procedure}*`, (route) => route.fulfill({ status: 500, json }), times);
}

/** Holds the answer to the next such call back from the page: `answered` once the server has given it, until `release`. */
export async function holdNext(page: Page, url: string) {
  const [answered, gate, given] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const hold = async (route: Route) => {
    const response = await route.fetch();
    answered!.resolve();
    await gate!.promise;
    // The page may have given the call up.
    await route.fulfill({ response }).catch(() => {});
    given!.resolve();
  };
  await routeNext(page, url, hold);
  return { answered: answered!.promise, release: () => (gate!.resolve(), given!.promise) };
}

/** The sessions end with the next call of a procedure. Ended at once, they could end with a call that a page repeats. */
export async function endSessionsAt(page: Page, site: ConsoleSite, procedure: string): Promise<void> {
  const end = async () => site.endSessions();
  await routeNext(page, `**/${procedure}*`, (route) => end().then(() => route.continue()));
}
