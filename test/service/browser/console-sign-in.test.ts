// Signing in to the console with more than a password, in a real browser: a second factor, a provider, a link.
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { drawSecret, hashSecret } from "../../../server/src/secrets.ts";
import { client, IdentityProvider } from "../../support/console/identity-provider.ts";
import { password } from "../../support/console/operator.ts";
import { openBrowser, Visit } from "../../support/browser.ts";
import { freePort } from "../../support/free-port.ts";
import { nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { enter, fillSignIn, signOut } from "../../support/browser/console-visit.ts";

const browser = shared(openBrowser);
const site = shared(() => ConsoleSite.open({ count: 0, env: { CONSOLE_TOTP: "required" } }));

const inbox = (page: Page) => page.getByRole("heading", { name: "Inbox" });

/** Answers a recovery code. @param by what vouches for the operator */
async function setUp(page: Page, by: "password" | "organisation" = "password"): Promise<string> {
  await page.getByRole("button", { name: "Set up" }).click();
  if (by === "password") await page.getByLabel("Your password").fill(password);
  else await page.getByText("You must have signed in with your organisation").waitFor();
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  const secret = (await page.locator("dialog code").first().innerText()).replaceAll(" ", "");
  await page.getByLabel("The code that the app shows").fill(new TOTP({ secret }).generate());
  await page.getByRole("button", { name: "Turn on" }).click();
  const recovery = await page.locator(".recovery-codes code").first().innerText();
  await page.getByRole("button", { name: "I have kept them" }).click();
  return recovery;
}

test("an administrator who needs a second factor sets it up, goes on, and signs in with a recovery code", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  visit.expectProblems(/status of 400/);
  await site().signIn(visit.context);
  await page.goto(site().url);
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  const recovery = await setUp(page);
  await inbox(page).waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  await signOut(page);
  await fillSignIn(page);
  const code = page.getByLabel("Code of your authenticator app, or a recovery code");
  await code.fill("000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This code is wrong, or was used before.").waitFor();
  await code.fill(recovery);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

nightly("a second factor is set up in the settings", async () => {
  await using visit = await enter(browser(), site(), "/settings", { as: operators.ben[0] });
  await setUp(visit.page);
  await visit.page.getByRole("button", { name: "Turn off" }).waitFor();
});

nightly("sessions are listed, and another one is ended", async () => {
  await using visit = await Visit.begin(browser());
  const { page, context } = visit;
  await site().signIn(context, operators.cleo[0]);
  const [other] = await context.cookies();
  await site().signIn(context, operators.cleo[0]);
  await page.goto(`${site().url}/settings`);
  await page.getByText("this one").waitFor();
  await page.getByRole("button", { name: /^End the session of/ }).click();
  await page.getByRole("button", { name: /^End the session of/ }).waitFor({ state: "detached" });
  await context.addCookies([other!]);
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a link of the command line signs in with one click, and not a second time", async () => {
  const token = drawSecret();
  const root = { operator: "command line", at: Date.now() };
  await site().store.access.changeOperator(operators.mia[0], { signInLinkHash: hashSecret(token) }, root);
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  visit.expectProblems(/status of 400/);
  await page.goto(`${site().url}/sign-in#token=${token}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^Account of/ }).waitFor();
  await page.goto(`${site().url}/sign-in#token=${token}`);
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This link was used or has expired.").waitFor();
});

/** A console without passwords, and the provider of its operators. */
async function withProvider(person: IdentityProvider["person"]) {
  const opened = new AsyncDisposableStack();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const provider = opened.use(await IdentityProvider.open(() => `${base}/console/oidc/callback`));
  provider.person = person;
  const env = {
    PORT: String(port),
    PUBLIC_URL: base,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    CONSOLE_PASSWORDS: "off",
  };
  const offering = opened.use(await ConsoleSite.open({ count: 0, env }));
  return { provider, offering, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

nightly("where the provider names no second factor, the page asks for the code of the one that is set", async () => {
  await using scene = await withProvider({ subject: "nils", email: "nils@voices.example", amr: ["pwd"] });
  const { offering } = scene;
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  visit.expectProblems(/status of 400/);
  await page.goto(`${offering.url}/invitation#token=${await offering.invite("nils@voices.example", "sales")}`);
  await page.getByRole("button", { name: "Accept with your organisation's account" }).click();
  await inbox(page).waitFor();
  await page.goto(`${offering.url}/settings`);
  const recovery = await setUp(page, "organisation");
  await page.waitForLoadState("networkidle");
  await signOut(page);
  await page.getByRole("button", { name: "Continue with your organisation" }).click();
  const code = page.getByLabel("Code of your authenticator app, or a recovery code");
  await code.fill("000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This code is wrong, or was used before.").waitFor();
  await code.fill(recovery);
  await page.getByRole("button", { name: "Sign in" }).click();
  // It goes on with the page that asked for the sign-in.
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(page.url()).toBe(`${offering.url}/settings`);
});

nightly("an invitation is accepted with the account of a provider, whose page is reached", async () => {
  await using scene = await withProvider({ subject: "nils", email: "nils@voices.example" });
  const { provider, offering } = scene;
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  await page.goto(`${offering.url}/invitation#token=${await offering.invite("nils@voices.example", "sales")}`);
  await expect.poll(() => page.getByLabel("Password").count()).toBe(0);
  await page.getByRole("button", { name: "Accept with your organisation's account" }).click();
  await inbox(page).waitFor();
  expect(page.url()).toBe(offering.url);

  // The provider's own session is another one. No call is under way that would find the session ended.
  await page.waitForLoadState("networkidle");
  await signOut(page);
  const link = page.getByRole("link", { name: "Sign out of it as well" });
  expect(new URL((await link.getAttribute("href"))!).origin).toBe(new URL(provider.issuer).origin);
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expect.poll(() => link.count()).toBe(0);
});
