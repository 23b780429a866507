// What operators do in the tests of the console, and what goes wrong meanwhile.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { password } from "../console/operator.ts";
import { Visit } from "../browser.ts";
import { operators, type ConsoleSite } from "./console-site.ts";

export const operator = operators.eva[0];

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

/** Opens a page of the console, signed in. */
export async function enter(
  browser: Browser,
  site: Pick<ConsoleSite, "url" | "signIn">,
  path = "",
  { as = operator, ...options }: BrowserContextOptions & { readonly as?: string } = {},
): Promise<Visit> {
  const visit = await Visit.begin(browser, { viewport: { width: 1440, height: 900 }, ...options });
  await site.signIn(visit.context, as);
  await visit.page.goto(site.url + path);
  await visit.page.locator("#content").waitFor();
  return visit;
}

/** The next calls of a procedure fail. */
export async function failNext(page: Page, procedure: string, times = 1): Promise<void> {
  const data = { code: "INTERNAL_SERVER_ERROR", httpStatus: 500 };
  const json = { error: { message: "Something went wrong.", code: -32_603, data } };
  await page.route(`**/${procedure}*`, (route) => route.fulfill({ status: 500, json }), { times });
}

/** The sessions end with the next call of a procedure. Ended at once, they could end with a call that a page repeats. */
export async function endSessionsAt(page: Page, site: ConsoleSite, procedure: string): Promise<void> {
  const end = async () => site.endSessions();
  await page.route(`**/${procedure}*`, (route) => end().then(() => route.continue()), { times: 1 });
}
