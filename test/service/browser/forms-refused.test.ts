// What people see, keep and can do when a form is refused: by its own checks, by the service, or by the network.
import type { RefusalDetail } from "@submissions/client/forms";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { FlakyProxy } from "../../support/flaky-proxy.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fillInquiry, formsReady, sendInVain, visitFrontPage } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const service = shared(() => startService());
const proxy = shared(() => FlakyProxy.open(service().url));

const nowhere = "http://127.0.0.1:1";
const failedToLoad = /Failed to load resource/;

/** One for all inquiries that do not arrive at their first try. The clock is set forward in it. */
const one = shared(async () => {
  const begun = await Visit.begin(browser());
  await begun.page.clock.install();
  const asked = begun.page.waitForResponse(/\/forms\/config\.json$/);
  await begun.page.goto(proxy().url);
  await formsReady(begun.page);
  // Then it has loaded all that forms load.
  await begun.page.locator("inquiry-form").getByLabel("Your name").focus();
  await (await asked).finished();
  return begun;
});

function testInquiry(
  name: string,
  email: string,
  run: (form: Locator, page: Page) => Promise<void>,
  problems = [failedToLoad],
): void {
  test(name, async () => {
    const { page } = one();
    const form = page.locator("inquiry-form");
    const another = form.getByRole("button", { name: "Send another inquiry" });
    if (await another.isVisible()) await another.click();
    await fillInquiry(form, email);
    one().expectProblems(...problems);
    await run(form, page);
    one().check();
  });
}

const send = (form: Locator) => form.getByRole("button", { name: "Send inquiry" }).click();
const accepted = (form: Locator) => form.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
const hasFocus = (locator: Locator) => locator.evaluate((element) => element.matches(":focus"));

async function inquiriesOf(email: string) {
  const { inquiries } = await service().stored();
  return inquiries.filter((inquiry) => inquiry.email === email);
}

async function summaryOf(form: Locator): Promise<Locator> {
  const summary = form.locator("#summary");
  await summary.waitFor();
  return summary;
}

describe("a problem of a field", () => {
  test("is shown at its field and above the form before anything is sent, with a link to the field, until it is corrected", async () => {
    await using visit = await visitFrontPage(browser(), service());
    const { page } = visit;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.method()));
    const form = page.locator("application-form");
    await form.getByLabel("E-mail address").fill("ana@nowhere");
    await form.getByLabel("Portfolio").fill("javascript:alert(1)");
    await form.getByLabel("Telephone").fill("call me");
    const email = form.getByLabel("E-mail address");
    await expect.poll(() => email.getAttribute("aria-invalid")).toBe(null);
    await form.getByRole("button", { name: "Send application" }).click();

    const summary = await summaryOf(form);
    expect(await hasFocus(summary)).toBe(true);
    await expect
      .poll(() => summary.getByRole("link").allInnerTexts())
      .toEqual([
        "Enter your full name.",
        "E-mail address: Enter one e-mail address, like name@example.org.",
        "Telephone: Enter a number like +44 20 7946 0018, or leave the field empty.",
        "Enter the position you apply for.",
        "Portfolio: Enter an address like https://example.org, or leave the field empty.",
      ]);
    await expect.poll(() => email.getAttribute("aria-invalid")).toBe("true");
    const described = (await email.getAttribute("aria-describedby"))!.split(" ").at(-1);
    await expect
      .poll(() => form.locator(`#${described}`).innerText())
      .toBe("Enter one e-mail address, like name@example.org.");
    await summary.getByRole("link", { name: "Telephone" }).click();
    expect(await hasFocus(form.getByLabel("Telephone"))).toBe(true);
    expect(sent).not.toContain("POST");

    // A problem is removed when it is corrected, and not before.
    const mended = { "Full name": "Ana Souza", "Position you apply for": "Annotator", Portfolio: "", Telephone: "" };
    for (const [label, text] of Object.entries(mended)) await form.getByLabel(label).fill(text);
    await email.fill("ana@example");
    await expect.poll(() => email.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => summary.isVisible()).toBe(true);
    await email.fill("ana@example.org");
    await expect.poll(() => email.getAttribute("aria-invalid")).toBe(null);
    await expect.poll(() => summary.isVisible()).toBe(false);
  });

  testInquiry("that only the service finds is shown at its field too", "late@example.org", async (form) => {
    const issues = [{ path: ["selectedPackageIds", 0], message: "“sold-out” is not a package we offer." }];
    const body = { message: "Please check the highlighted fields.", code: "BAD_REQUEST", requestId: "r-1", issues };
    proxy().next({ status: 400, body });
    await send(form);
    await expect
      .poll(async () => (await summaryOf(form)).innerText())
      .toContain("“sold-out” is not a package we offer.");
    await expect
      .poll(() => form.getByRole("group", { name: "Packages" }).innerText())
      .toContain("is not a package we offer");
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");
  });

  testInquiry("that belongs to no field of the form is shown above it", "nowhere@example.org", async (form) => {
    const issues = [{ path: ["moon"], message: "The moon is not in the right place." }];
    const body = { message: "Please check the highlighted fields.", code: "BAD_REQUEST", requestId: "r-1", issues };
    proxy().next({ status: 400, body });
    await send(form);
    expect(await (await summaryOf(form)).innerText()).toContain("The moon is not in the right place.");
  });
});

describe("when the service cannot take it", () => {
  testInquiry("a rate limit is shown with the time to wait, and nothing is lost", "late@example.org", async (form) => {
    const body = { message: "Too many submissions.", code: "TOO_MANY_REQUESTS", requestId: "r-1" };
    proxy().next({ status: 429, headers: { "retry-after": "50" }, body });
    await send(form);
    const summary = await summaryOf(form);
    await expect.poll(() => summary.getByRole("heading").innerText()).toBe("Your form was not sent");
    await expect
      .poll(() => summary.innerText())
      .toContain("Everything you entered is still here. Please try again in 50 seconds.");
    await expect.poll(() => summary.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
    await expect.poll(() => form.getByLabel("E-mail address").inputValue()).toBe("late@example.org");
  });

  for (const [status, code, words] of [
    [
      503,
      "SERVICE_UNAVAILABLE",
      "We cannot take submissions right now. Everything you entered is still here, and trying again cannot send it twice.",
    ],
    [500, "INTERNAL_SERVER_ERROR", "Something went wrong on our side."],
  ] as const)
    testInquiry(`${status} is explained, and trying again works`, `${status}@example.org`, async (form) => {
      // Longer than a form waits before it tries again by itself.
      const mishap = { status, headers: { "retry-after": "60" }, body: { message: "No.", code, requestId: "r-42" } };
      proxy().next(mishap);
      await send(form);
      const summary = await summaryOf(form);
      await expect
        .poll(() => summary.getByRole("heading").innerText())
        .toBe("We could not confirm that your form was sent");
      await expect.poll(() => summary.innerText()).toContain(words);
      if (status === 500) await expect.poll(() => summary.innerText()).toContain("please quote r-42");
      expect(await hasFocus(summary)).toBe(true);
      expect(await inquiriesOf(`${status}@example.org`)).toEqual([]);
      await summary.getByRole("button", { name: "Try again" }).click();
      await accepted(form);
      expect(await inquiriesOf(`${status}@example.org`)).toHaveLength(1);
    });

  testInquiry(
    "an answer that is lost on its way back does not make two of one inquiry",
    "lost@example.org",
    async (form, page) => {
      // Not by the proxy: browsers repeat by themselves what a dead connection swallowed.
      await page.route(/\/trpc\//, async (route) => {
        await route.fetch();
        await route.abort("connectionreset");
      });
      await sendInVain(page, () => send(form));
      const summary = await summaryOf(form);
      await expect.poll(() => summary.innerText()).toContain("trying again cannot send it twice");
      await page.unrouteAll();
      await summary.getByRole("button", { name: "Try again" }).click();
      await accepted(form);
      const stored = await inquiriesOf("lost@example.org");
      expect(stored).toHaveLength(1);
      await expect.poll(() => form.getByText(stored[0]!.reference).count()).toBe(1);
    },
  );

  testInquiry(
    "a service that stays away is reported; once it is back, it gets what was typed last",
    "down@example.org",
    async (form, page) => {
      const { target } = proxy();
      proxy().target = nowhere;
      await sendInVain(page, () => send(form));
      const summary = await summaryOf(form);
      await expect.poll(() => summary.innerText()).toContain("We could not be reached.");
      proxy().target = target;
      await form.getByLabel("Your name").fill("Bea Buyer");
      await summary.getByRole("button", { name: "Try again" }).click();
      await accepted(form);
      expect(await inquiriesOf("down@example.org")).toMatchObject([{ name: "Bea Buyer" }]);
    },
  );

  testInquiry(
    "a service that is away for some seconds is tried again quietly, and the form is locked meanwhile",
    "away@example.org",
    async (form, page) => {
      const { target } = proxy();
      proxy().target = nowhere;
      const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/trpc/"));
      await send(form);
      await failed;
      await form.getByRole("status").getByText("Sending…").waitFor();
      await expect.poll(() => form.locator("#summary").isVisible()).toBe(false);
      await expect
        .poll(() => form.getByLabel("Your name").evaluate((input: HTMLInputElement) => input.readOnly))
        .toBe(true);
      const box = form.getByRole("checkbox").first();
      await box.dispatchEvent("click");
      await expect.poll(() => box.isChecked()).toBe(true);
      proxy().target = target;
      await accepted(form);
      expect(await inquiriesOf("away@example.org")).toHaveLength(1);
    },
  );

  testInquiry(
    "offline, the form says so, waits until it is cancelled, and is sent by itself when the connection is back",
    "offline@example.org",
    async (form, page) => {
      const status = form.getByRole("status");
      const seen = proxy().requests.length;
      await page.context().setOffline(true);
      await send(form);
      await status.getByText("You are offline. The form is sent as soon as").waitFor();
      await expect.poll(() => form.locator("#summary").isVisible()).toBe(false);
      await form.getByRole("button", { name: "Cancel" }).click();
      await status.getByText("Cancelled.").waitFor();
      await page.context().setOffline(false);
      await form.getByLabel("Your name").fill("Bea Buyer");
      await expect.poll(() => status.innerText()).toContain("Cancelled.");
      expect(proxy().requests.length).toBe(seen);

      await page.context().setOffline(true);
      await send(form);
      await status.getByText("You are offline").waitFor();
      expect(await inquiriesOf("offline@example.org")).toEqual([]);
      await page.context().setOffline(false);
      await accepted(form);
      expect(await inquiriesOf("offline@example.org")).toMatchObject([{ name: "Bea Buyer" }]);
    },
  );

  testInquiry(
    "a service that never answers is given up after some time, and the form can be sent again",
    "silent@example.org",
    async (form, page) => {
      const seen = proxy().requests.length;
      proxy().next("hang");
      await send(form);
      await expect.poll(() => proxy().requests.length).toBe(seen + 1);
      await page.clock.fastForward(90_000);
      const summary = await summaryOf(form);
      await expect.poll(() => summary.innerText()).toContain("We could not confirm that your form was sent");
      await summary.getByRole("button", { name: "Try again" }).click();
      await accepted(form);
      expect(await inquiriesOf("silent@example.org")).toHaveLength(1);
    },
    [],
  );

  testInquiry("the page gets an event with the refusal", "hear@example.org", async (form, page) => {
    await page.evaluate(() => {
      document.addEventListener("submission-refused", (event) => {
        const detail: RefusalDetail = event.detail;
        document.title = `${detail.error?.code} ${detail.error?.requestId} ${detail.message}`;
      });
    });
    const body = { message: "Gone for good.", code: "NOT_FOUND", requestId: "r-9" };
    proxy().next({ status: 404, body });
    await send(form);
    await summaryOf(form);
    await expect.poll(() => page.title()).toBe("NOT_FOUND r-9 Gone for good. Everything you entered is still here.");
  });
});
