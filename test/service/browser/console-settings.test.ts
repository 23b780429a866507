// The settings of the console in a real browser: password, operators, tokens, webhooks, shortcuts; and their dialogs.
import { expect, test } from "vitest";
import { password } from "../../support/console/operator.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite } from "../../support/browser/console-site.ts";
import { failNext, hasFocus, holdNext, isWellMade, oneVisit, rows } from "../../support/browser/console-visit.ts";
import { routeNext } from "../../support/browser.ts";

const site = shared(() => ConsoleSite.open({ count: 20 }));
const { go, expectProblems } = oneVisit(site);

nightly("an operator is invited by keyboard alone, and a dialog gives the focus back", async () => {
  const page = await go("/settings");
  const dialog = page.getByRole("dialog");
  const invite = page.getByRole("button", { name: "Invite" });
  await invite.click();
  await expect.poll(() => hasFocus(dialog.getByLabel("E-mail address"))).toBe(true);
  await page.keyboard.type("nils@voices.example");
  await dialog.getByRole("combobox", { name: "Role", exact: true }).selectOption("recruiting");
  await dialog.getByLabel("E-mail address").press("Enter");
  const link = dialog.getByLabel("Invitation link");
  await expect.poll(() => hasFocus(link)).toBe(true);
  await expect.poll(() => link.inputValue()).toContain("/console/invitation#token=");
  await page.keyboard.press("Escape");
  await expect.poll(() => hasFocus(invite)).toBe(true);
  await page.getByText("nils@voices.example").waitFor();
  await page.getByRole("button", { name: "Remove nils@voices.example" }).click();
  await expect.poll(() => hasFocus(dialog.getByRole("button", { name: "Cancel" }))).toBe(true);
  await page.keyboard.press("Escape");
});

nightly(
  "a token is shown once; its dialog stays when a selection ends beside it, and is closed by a click there",
  async () => {
    const page = await go("/settings");
    const dialog = page.getByRole("dialog");
    const create = page.getByRole("button", { name: "Create token" });
    await create.click();
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Nightly export");
    const { x, y, height } = (await name.boundingBox())!;
    await page.mouse.move(x + 60, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(5, y + height / 2);
    await page.mouse.up();
    await expect.poll(() => name.inputValue()).toBe("Nightly export");
    await page.mouse.click(5, y);
    await expect.poll(() => dialog.count()).toBe(0);

    await create.click();
    await name.fill("Nightly export");
    // Without an answer it may be there.
    expectProblems(/ERR_FAILED/);
    await routeNext(page, "**/tokens.create*", (route) => route.fetch().then(() => route.abort()));
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByText("It may have been done all the same.").waitFor();
    const held = await holdNext(page, "**/tokens.create*");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await held.answered;
    await page.keyboard.press("Escape");
    await held.release();
    await expect.poll(() => page.getByRole("textbox", { name: "API token" }).inputValue()).toMatch(/^submissions_/);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    // It was done, and only once. The keyboard goes on beside what is gone.
    const before = await site().store.access.listTokens();
    expect(before.map((token) => token.name)).toEqual(["Nightly export"]);
    await page.getByRole("button", { name: /^Revoke \d+ Nightly export$/ }).press("Enter");
    await page.getByText("The token no longer works.").waitFor();
    await expect.poll(() => hasFocus(page.getByRole("button", { name: "Add webhook" }))).toBe(true);
    const saveName = page.getByRole("button", { name: "Save name" });
    await saveName.press("Enter");
    await page.getByText("Your name is saved.").waitFor();
    await expect.poll(() => hasFocus(saveName)).toBe(true);
  },
);

nightly("a webhook is added, its deliveries are shown and replayed, it gets a new secret and is removed", async () => {
  const page = await go("/settings");
  expectProblems(/status of 500/);
  const dialog = page.getByRole("dialog");
  const url = "https://crm.example.org/a-long-path/0123456789abcdef0123456789abcdef";
  await page.getByRole("button", { name: "Add webhook" }).click();
  if (atNight) await isWellMade(page, "Add webhook");
  await dialog.getByLabel("Address").fill(url);
  await dialog.getByLabel("Applications").uncheck();
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await expect.poll(() => dialog.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const line = page.getByRole("listitem").filter({ hasText: url });
  await expect
    .poll(() => line.textContent())
    .toContain("Inquiries, Answers, Confirmed subscribers, Subscribers who left");

  const { reference } = site().submissions[0]!;
  site().addDeliveries();
  await page.getByRole("button", { name: "Deliveries: crm.example.org" }).click();
  const row = dialog.getByRole("row").filter({ hasText: "HTTP 503, 2 tries, again " });
  await row.waitFor();
  if (atNight) await isWellMade(page, "Deliveries");
  await row.getByRole("button", { name: `Replay ${reference}` }).click();
  const said = dialog.getByRole("status");
  await said.getByText("The delivery is on its way.").waitFor();
  await dialog.getByRole("button", { name: "Replay all failed" }).click();
  await said.getByText("1 delivery on the way.").waitFor();
  await failNext(page, "webhooks.replay");
  await dialog
    .getByRole("button", { name: `Replay ${reference}` })
    .first()
    .click();
  await said.getByText("Not sent again. Something went wrong on the server. Please try again.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await page.getByRole("button", { name: "New secret: crm.example.org" }).click();
  if (atNight) await isWellMade(page, "New secret");
  await dialog.getByRole("button", { name: "New secret" }).click();
  await expect.poll(() => dialog.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  if (atNight) await isWellMade(page, "a webhook with two secrets");
  await page.getByRole("button", { name: "Remove: crm.example.org" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("The webhook was removed.").waitFor();
  await expect.poll(() => line.count()).toBe(0);
});

nightly("shortcuts can be turned off", async () => {
  const page = await go("/settings");
  await page.getByLabel("Keyboard shortcuts of single keys").uncheck();
  await page
    .getByRole("link", { name: /^To do/ })
    .first()
    .click();
  await rows(page).first().waitFor();
  await page.keyboard.press("?");
  await page.keyboard.press("j");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset["reference"]))
    .toBeUndefined();
  // The boxes are then reached as other fields are.
  await page.getByRole("button", { name: "More" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
});

test("a password is changed with the current one, and the operator stays signed in", async () => {
  const page = await go("/settings");
  expectProblems(/status of 400/);
  await page.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Change password" });
  await dialog.getByLabel("Current password").fill("wrong password");
  await dialog.getByLabel("New password").fill("vermilion kettle 41");
  await dialog.getByRole("button", { name: "Change password" }).click();
  await dialog.getByText("This is not your current password.").waitFor();
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});
