// What operators do in the tests of the console.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Visit } from "../support/browser.ts";
import { password, type ConsoleStandIn } from "./console-stand-in.ts";

export const operator = "eva@voices.example";

export async function fillSignIn(page: Page, secret = password, address = operator): Promise<void> {
  const email = page.getByLabel("E-mail address");
  if (await email.isEditable()) await email.fill(address);
  await page.getByLabel("Password").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens a page of the console, signed in. */
export async function enter(
  browser: Browser,
  standIn: Pick<ConsoleStandIn, "url">,
  path = "",
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const visit = await Visit.begin(browser, { viewport: { width: 1440, height: 900 }, ...options });
  await visit.page.goto(standIn.url + path);
  await fillSignIn(visit.page);
  await visit.page.locator("#content").waitFor();
  return visit;
}
