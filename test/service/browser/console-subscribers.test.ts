// Adding, importing and unsubscribing subscribers in the console, in a real browser.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { subscribers } from "../../contract/records.ts";
import { atNight, nightly } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { ConsoleSite, operators } from "../../support/browser/console-site.ts";
import { isWellMade, oneVisit } from "../../support/browser/console-visit.ts";

const site = shared(() => ConsoleSite.open({ count: 20 }));
const { go, expectProblems } = oneVisit(site, operators.mia[0]);
const stateOf = async (address: string) =>
  (await subscribers(site().store)).find(({ email }) => email === address)?.status;

test("a subscriber is added, and one who is subscribed already is refused with the reason", async () => {
  const page = await go("/subscribers");
  expectProblems(/status of 409/);
  await page.getByRole("button", { name: "Add subscriber" }).click();
  const dialog = page.getByRole("dialog");
  if (atNight) await isWellMade(page, "Add subscriber");
  await dialog.getByLabel("E-mail address").fill("new@example.org");
  await dialog.getByLabel("Source").fill("Trade fair");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("new@example.org gets a mail to confirm the subscription.").waitFor();
  const row = page.getByRole("row", { name: /new@example\.org/ });
  await page.getByRole("img", { name: "New subscribers by day, by source" }).waitFor();
  await row.getByText("Pending").waitFor();
  expect(await stateOf("new@example.org")).toBe("pending");
  await page.getByRole("combobox", { name: "Source" }).selectOption("trade-fair (1)");
  await expect.poll(() => page.getByRole("table", { name: "Subscribers" }).getByRole("row").count()).toBe(2);
  expect(new URL(page.url()).searchParams.get("source")).toBe("trade-fair");
  await go("/subscribers?source=trade-fair");
  await row.waitFor();
  await expect.poll(() => page.getByRole("table", { name: "Subscribers" }).getByRole("row").count()).toBe(2);

  await page.getByRole("button", { name: "Add subscriber" }).click();
  await dialog.getByLabel("E-mail address").fill("NEW@example.org");
  await dialog.getByLabel("Proof of consent").fill("Yes, send me news.");
  await dialog.getByLabel("Given on").fill("2026-05-01");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("NEW@example.org is subscribed.").waitFor();
  expect(await stateOf("new@example.org")).toBe("active");
  await page.getByRole("button", { name: "Add subscriber" }).click();
  await dialog.getByLabel("E-mail address").fill("new@example.org");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("alert").getByText("It is subscribed already.").waitFor();
  await page.keyboard.press("Escape");
});

nightly("a file is imported, and the report names who was left out and why", async () => {
  const known = (await subscribers(site().store)).find(({ status }) => status === "active")!;
  const page = await go("/subscribers");
  expectProblems(/status of 400/);
  const file = (text: string | Buffer) => ({ name: "readers.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog");
  if (atNight) await isWellMade(page, "Import");
  const send = async (text: string | Buffer) => {
    await dialog.getByLabel("CSV file").setInputFiles(file(text));
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
  };
  await send("name\nAnn\n");
  await dialog.getByText("There is no email.").waitFor();
  await send(Buffer.from([0x65, 0xfc, 0x0a]));
  await dialog.getByText("Save it as CSV UTF-8.").waitFor();
  await send(`email,source,consentText,consentPage,consentAt
one@example.org,fair,,,
two@example.org,fair,Yes,https://fair.example.org/,2026-05-01
${known.email},fair,,,
nobody,fair,,,
`);
  await dialog
    .getByRole("status")
    .getByText("2 addresses added: 1 with a proof of consent, 1 to confirm by mail.")
    .waitFor();
  const rows = dialog.getByRole("table", { name: "Left out" }).getByRole("row");
  if (atNight) await isWellMade(page, "the report");
  const [, first, second] = await rows.allInnerTexts();
  expect(first).toMatch(new RegExp(`^4\\s+${RegExp.escape(known.email)}\\s+It is subscribed already\\.$`));
  expect(second).toMatch(/^5\s+nobody\s+Enter one e-mail address/);
  expect([await stateOf("one@example.org"), await stateOf("two@example.org")]).toEqual(["pending", "active"]);
  // Where the page was left before, it is read later.
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("button", { name: "Import" }).click();
  await dialog.getByRole("button", { name: "Show the last report" }).click();
  await dialog.getByRole("status").getByText("2 addresses added").waitFor();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("row", { name: /two@example\.org/ }).waitFor();
  await page.getByRole("combobox", { name: "Source" }).selectOption("fair (2)");
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV of those shown" }).click(),
  ]);
  expect((await readFile(await download.path(), "utf8")).trim().split("\r\n")).toHaveLength(3);
  // The chart is of those shown.
  await page.getByRole("img", { name: "New subscribers by day, from fair" }).waitFor();
  if (atNight) await isWellMade(page, "of one source");
  await page.getByRole("link", { name: "two@example.org" }).click();
  await page.getByText("Imported by mia; consent stated 1 May 2026").waitFor();
  expect(await page.getByText("Confirmed the subscription").count()).toBe(0);
});

nightly("unsubscribing asks first", async () => {
  const { email } = (await subscribers(site().store)).find(({ status }) => status === "active")!;
  const page = await go("/subscribers");
  await page.getByRole("searchbox", { name: "Search" }).fill(email);
  const row = page.getByRole("row", { name: new RegExp(RegExp.escape(email)) });
  await expect.poll(() => page.getByRole("table", { name: "Subscribers" }).getByRole("row").count()).toBe(2);
  const dialog = page.getByRole("dialog");
  await row.getByRole("button", { name: "Unsubscribe" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await stateOf(email)).toBe("active");
  await row.getByRole("button", { name: "Unsubscribe" }).click();
  await dialog.getByRole("button", { name: "Unsubscribe" }).click();
  await row.getByText("Unsubscribed", { exact: true }).waitFor();
  expect(await stateOf(email)).toBe("unsubscribed");
  await expect.poll(() => row.getByRole("button", { name: "Unsubscribe" }).count()).toBe(0);
});

nightly("the report of an import is shown, too, where its answer was lost", async () => {
  const page = await go("/subscribers");
  expectProblems(/ERR_FAILED/);
  await page.route("**/subscribers.import", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog");
  const buffer = Buffer.from("email\nlost-answer@example.org\nnobody\n");
  await dialog.getByLabel("CSV file").setInputFiles({ name: "readers.csv", mimeType: "text/csv", buffer });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByRole("status").getByText("1 address added").waitFor();
  expect(await stateOf("lost-answer@example.org")).toBe("pending");
});
