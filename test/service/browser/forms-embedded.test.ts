// The forms in pages of other sites: under their policies, in their language, with their packages and colours.
import type { SubmissionError } from "@submissions/client";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { bundlePage } from "../../support/bundle-page.ts";
import { manyOrFew, nightly } from "../../support/many-or-few.ts";
import { openHostSite, type HostPage } from "../../support/host-site.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { fetchChallenge } from "../../support/solve-challenge.ts";
import type { InAPage } from "../../support/browser/client-in-a-page.ts";
import { snippetsOf } from "../../support/browser/front-end.ts";
import { fillApplication, fillInquiry, resume } from "../../support/browser/people.ts";

const browser = shared(openBrowser);
const host = shared(openHostSite);
const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
const service = shared(() => startService({ env: { CORS_ORIGINS: host().url, PACKAGE_CATALOGUE: catalogue } }));

/** Without a catalogue, as the README starts it. */
const plain = shared(() => startService({ env: { CORS_ORIGINS: host().url } }));
const strange = shared(() => startService());
const proofs = { ALTCHA_HMAC_KEY: "k".repeat(64), ALTCHA_COST: "100" };
const asking = shared(() => startService({ env: { CORS_ORIGINS: host().url, ...proofs } }));

const scriptOf = ({ url }: Service) => `<script type="module" src="${url}/forms.js"></script>`;

async function visitHost(page: HostPage, begun?: Visit): Promise<Visit> {
  host().show(page);
  const visit = begun ?? (await Visit.begin(browser()));
  await visit.page.goto(host().url);
  return visit;
}

const catalogued = (form: Locator) => form.getByRole("checkbox", { name: "English, Scottish accents" });

describe("from another origin that the service knows", () => {
  test("one script tag is enough for all three forms, under a policy that allows nothing but the service", async () => {
    const policy = `default-src 'none'; script-src ${service().url}; connect-src ${service().url}; img-src data:; require-trusted-types-for 'script'; trusted-types submission-forms`;
    await using visit = await visitHost({
      headers: { "content-security-policy": policy },
      body: `<inquiry-form></inquiry-form><newsletter-form></newsletter-form><application-form></application-form>${scriptOf(service())}`,
    });
    const { page } = visit;
    const inquiry = page.locator("inquiry-form");
    await catalogued(inquiry).waitFor();
    await fillInquiry(inquiry);
    await inquiry.getByRole("button", { name: "Send inquiry" }).click();
    await inquiry.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();

    const newsletter = page.locator("newsletter-form");
    await newsletter.getByLabel("E-mail address").fill("reader@example.org");
    await newsletter.getByRole("button", { name: "Subscribe" }).click();
    await newsletter.getByRole("region").waitFor();

    const application = page.locator("application-form");
    await fillApplication(application);
    await application.locator("input[type=file]").setInputFiles({ ...resume });
    await application.getByRole("button", { name: "Send application" }).click();
    await application.getByRole("region").waitFor();

    const { inquiries, subscribers, applications } = await service().stored();
    expect(inquiries[0]).toMatchObject({ selectedPackageIds: ["en-GB-scottish"] });
    expect(subscribers).toHaveLength(1);
    expect(applications[0]).toMatchObject({ resume: { filename: resume.name } });
  });

  test.each(["README.md", "docs/forms.md"].slice(0, manyOrFew(2)))(
    "the snippet of %s offers packages to tick and keeps forms apart",
    async (file) => {
      const text = await readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
      const snippet = /^```html\n([^]*?)^```/m.exec(text)?.[1] ?? "";
      const here = snippet.replace(/https?:[^"]*(?=\/forms\.js)/, plain().url);
      await using visit = await visitHost({ body: here });
      const inquiry = visit.page.locator("inquiry-form");
      await inquiry.getByRole("checkbox", { name: "Austrian German" }).check();
      await inquiry.getByLabel("Your name").fill("Ann Buyer");
      const email = `${file.replace("/", ".")}@example.org`;
      await inquiry.getByLabel("E-mail address").fill(email);
      const boxes = await visit.page.locator("inquiry-form, newsletter-form, application-form").all();
      expect(boxes.length).toBeGreaterThan(1);
      const places = await Promise.all(boxes.map(async (box) => (await box.boundingBox())!));
      for (const [index, { y }] of places.slice(1).entries())
        expect(y - places[index]!.y - places[index]!.height).toBeGreaterThan(20);
      await inquiry.getByRole("button", { name: "Send inquiry" }).click();
      await inquiry.getByRole("region", { name: "Your inquiry has been sent" }).waitFor();
      expect((await plain().stored()).inquiries.at(-1)).toMatchObject({ email, selectedPackageIds: ["de-AT"] });
    },
  );
});

test("from an origin that the service does not know, the form says what happens and keeps what was typed", async () => {
  await using visit = await Visit.begin(browser());
  visit.expectProblems(/blocked by CORS policy/, /net::ERR_FAILED/);
  const warnings: string[] = [];
  visit.page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
  await visitHost(
    { body: `<inquiry-form></inquiry-form><newsletter-form></newsletter-form>${scriptOf(strange())}` },
    visit,
  );
  const { page } = visit;
  await page.locator("inquiry-form").getByText("The list of packages could not be loaded.").waitFor();
  const form = page.locator("newsletter-form");
  await form.getByLabel("E-mail address").fill("reader@example.org");
  let sent = 0;
  page.on("request", (request) => request.method() === "POST" && (sent += 1));
  await form.getByRole("button", { name: "Subscribe" }).click();
  await form.locator("#summary").getByText("Submissions from pages of other websites are not accepted.").waitFor();
  expect(sent).toBe(1);
  await expect.poll(() => form.getByLabel("E-mail address").inputValue()).toBe("reader@example.org");
  expect(warnings.some((text) => text.includes("CORS_ORIGINS") && text.includes(host().url))).toBe(true);
  expect((await strange().stored()).subscribers).toEqual([]);
});

describe("the typed client in a page of another origin", () => {
  const submit = async (url: string, { page }: Visit) => {
    const script = await bundlePage(join(import.meta.dirname, "../../support/browser/client-in-a-page.ts"));
    host().show({ body: `<script type="module">${script}</script>` });
    await page.goto(host().url);
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    const ended = await page.evaluate((at) => {
      const { createSubmissionsClient } = globalThis as InAPage;
      const { newsletter } = createSubmissionsClient({ url: at, retry: { tries: 2, firstWaitMs: 0 } });
      return newsletter.subscribe({ email: "reader@example.org" }).then(
        () => null,
        ({ code, mayHaveArrived, cause }: SubmissionError) => ({ code, mayHaveArrived, cause: String(cause) }),
      );
    }, url);
    return { ended, sent };
  };

  test("is told of an origin that CORS_ORIGINS does not name at its first try", async () => {
    await using visit = await Visit.begin(browser());
    visit.expectProblems(/blocked by CORS policy/, /net::ERR_FAILED/);
    const { ended, sent } = await submit(strange().url, visit);
    expect(ended).toEqual({
      code: "FORBIDDEN",
      mayHaveArrived: false,
      cause: `Error: The CORS_ORIGINS of ${strange().url} do not name ${host().url}.`,
    });
    expect(sent).toHaveLength(1);
    expect((await strange().stored()).subscribers).toEqual([]);
  });

  nightly("tries again where no service answers, and where one does that lets it in", async () => {
    await using visit = await Visit.begin(browser());
    visit.expectProblems(/net::ERR_(?!FAILED)/, /net::ERR_FAILED/);
    const inVain = { ended: { code: "NETWORK" }, sent: { length: 2 } };
    expect(await submit("http://127.0.0.1:1", visit)).toMatchObject(inVain);
    await visit.page.route(/newsletter\.subscribe/, (route) => route.abort("failed"));
    expect(await submit(service().url, visit)).toMatchObject(inVain);
  });
});

nightly("packages that could not be loaded can be loaded again", async () => {
  await using visit = await Visit.begin(browser());
  visit.expectProblems(/net::ERR_FAILED/);
  await visit.page.route(/config\.json/, (route) => route.abort());
  await visitHost({ body: `<inquiry-form></inquiry-form>${scriptOf(service())}` }, visit);
  const form = visit.page.locator("inquiry-form");
  await form.getByText("The list of packages could not be loaded.").waitFor();
  await visit.page.unrouteAll();
  await form.getByRole("button", { name: "Try again" }).click();
  await catalogued(form).waitFor();
});

test("a configuration that never comes keeps no form from being sent", async () => {
  await using visit = await Visit.begin(browser());
  const { page } = visit;
  await page.route(/config\.json/, () => {});
  // Ten seconds pass at once. In this page only: a script of the profile's would stay for the visits that follow.
  const hasty = `<script>
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 100);
  </script>`;
  await visitHost(
    { body: `<inquiry-form></inquiry-form><newsletter-form></newsletter-form>${hasty}${scriptOf(service())}` },
    visit,
  );
  await page.locator("inquiry-form").getByText("The list of packages could not be loaded.").waitFor();
  const form = page.locator("newsletter-form");
  await form.getByLabel("E-mail address").fill("held@example.org");
  await form.getByRole("button", { name: "Subscribe" }).click();
  await form.getByRole("region").waitFor();
  const { subscribers } = await service().stored();
  expect(subscribers.map(({ email }) => email)).toContain("held@example.org");
});

describe("the page decides", () => {
  test("which packages there are, what is filled in, single words, colours and shapes", async () => {
    await using visit = await visitHost({
      body: `<style>newsletter-form { --form-accent: rgb(10, 120, 60); } newsletter-form::part(submit) { border-radius: 0; }</style>
        <inquiry-form packages='["de-AT"]' values='{"selectedPackageIds":["de-AT"],"company":"Vozes"}'></inquiry-form>
        <newsletter-form></newsletter-form><application-form></application-form>${scriptOf(service())}`,
    });
    const { page } = visit;
    const inquiry = page.locator("inquiry-form");
    await inquiry.getByRole("checkbox", { name: "de-AT", checked: true }).waitFor();
    await expect.poll(() => inquiry.getByRole("checkbox").count()).toBe(1);
    await expect.poll(() => inquiry.getByLabel("Company").inputValue()).toBe("Vozes");

    const { backgroundColor, borderRadius } = await page
      .getByRole("button", { name: "Subscribe" })
      .evaluate((element) => {
        const style = getComputedStyle(element);
        return { backgroundColor: style.backgroundColor, borderRadius: style.borderRadius };
      });
    expect({ backgroundColor, borderRadius }).toEqual({ backgroundColor: "rgb(10, 120, 60)", borderRadius: "0px" });

    const form = page.locator("application-form");
    await fillApplication(form);
    await form.locator("input[type=file]").setInputFiles({ ...resume });
    await form.evaluate((element) => {
      (element as HTMLElement & { strings: object }).strings = { fields: { fullName: { label: "Name of the voice" } } };
    });
    await expect.poll(() => form.getByLabel("Name of the voice").inputValue()).toBe("Ana Souza");
    await form.evaluate((element) => element.setAttribute("lang", "de"));
    await form.getByRole("button", { name: "Bewerbung senden" }).waitFor();
    await expect.poll(() => form.getByLabel("Name of the voice").inputValue()).toBe("Ana Souza");
    await expect.poll(() => form.locator(".chosen").innerText()).toContain(resume.name);
  });

  nightly("on packages: null has identifiers typed one to a line", async () => {
    await using visit = await visitHost({ body: `<inquiry-form packages="null"></inquiry-form>${scriptOf(plain())}` });
    const form = visit.page.locator("inquiry-form");
    await form.getByLabel("Packages you are interested in").fill("en-GB-scottish\n\n de-AT \n");
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByLabel("E-mail address").fill("ann@example.org");
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await form.getByRole("region").waitFor();
    const stored = (await plain().stored()).inquiries.at(-1);
    expect(stored).toMatchObject({ selectedPackageIds: ["en-GB-scottish", "de-AT"] });
  });

  test("on the language: German in a German page, for every word that is shown", async () => {
    await using visit = await visitHost({
      lang: "de-AT",
      body: `<application-form></application-form><newsletter-form></newsletter-form>${scriptOf(service())}`,
    });
    const form = visit.page.locator("application-form");
    await form.getByLabel("Vor- und Nachname").waitFor();
    await form.getByLabel("E-Mail-Adresse").fill("ana");
    await form.getByLabel("Akzent").fill("a".repeat(201));
    await form.getByRole("button", { name: "Bewerbung senden" }).click();
    await expect
      .poll(() => form.locator("#summary").getByRole("link").allInnerTexts())
      .toEqual([
        "Bitte geben Sie Ihren Vor- und Nachnamen ein.",
        "E-Mail-Adresse: Bitte geben Sie eine E-Mail-Adresse ein, etwa name@example.org.",
        "Bitte geben Sie die gewünschte Stelle ein.",
        "Akzent oder Mundart: Höchstens 200 Zeichen.",
      ]);
    const newsletter = visit.page.locator("newsletter-form");
    await newsletter.getByLabel("E-Mail-Adresse").fill("leserin@example.org");
    await newsletter.getByRole("button", { name: "Abonnieren" }).click();
    await newsletter.getByText("Wir haben einen Link an leserin@example.org gesendet.").waitFor();
    const subjects = async () => (await service().mails()).map(({ subject }) => subject);
    await expect.poll(subjects).toContain("Bitte bestätigen Sie Ihr Abonnement von Speech Marketplace");
  });

  nightly("and may set properties before the script has come, load it twice, and move a form about", async () => {
    await using visit = await visitHost({
      body: `<div id="here"></div><div id="there"></div>
        <script type="module">
          const form = document.createElement("inquiry-form");
          form.setAttribute("endpoint", "${service().url}/");
          form.packages = [{ id: "x", title: "Set early" }];
          here.append(form);
          await import("${service().url}/forms.js");
          await import("${service().url}/forms.js?again");
          form.shadowRoot.querySelector("#name").value = "Ann Buyer";
          there.append(form);
        </script>`,
    });
    const form = visit.page.locator("#there inquiry-form");
    await form.getByRole("checkbox", { name: "Set early" }).waitFor();
    await expect.poll(() => form.getByLabel("Your name").inputValue()).toBe("Ann Buyer");
  });
});

describe("a service that asks for proofs of work", () => {
  test("gets them, without the person doing anything, and again for the next submission", async () => {
    const policy = `default-src 'none'; script-src ${asking().url}; connect-src ${asking().url}; img-src data:`;
    await using visit = await visitHost({
      headers: { "content-security-policy": policy },
      body: `<newsletter-form></newsletter-form><application-form></application-form>${scriptOf(asking())}`,
    });
    const form = visit.page.locator("newsletter-form");
    for (const email of ["one@example.org", "two@example.org"]) {
      await form.getByLabel("E-mail address").fill(email);
      await form.getByRole("button", { name: "Subscribe" }).click();
      await form.getByRole("button", { name: "Subscribe another address" }).click();
    }
    const application = visit.page.locator("application-form");
    await fillApplication(application);
    await application.locator("input[type=file]").setInputFiles({ ...resume });
    await application.getByRole("button", { name: "Send application" }).click();
    await application.getByRole("region").waitFor();
    const { subscribers, applications } = await asking().stored();
    expect(subscribers.map(({ email }) => email)).toEqual(["one@example.org", "two@example.org"]);
    expect(applications).toHaveLength(1);
  });

  nightly("gets one also when it asks for it only since the page was loaded", async () => {
    await using visit = await Visit.begin(browser());
    visit.expectProblems(/Failed to load resource/);
    await visit.page.route(/config\.json/, (route) => route.fulfill({ json: { packages: null, proofOfWork: false } }));
    await visitHost({ body: `<newsletter-form></newsletter-form>${scriptOf(asking())}` }, visit);
    const form = visit.page.locator("newsletter-form");
    await form.getByLabel("E-mail address").fill("late@example.org");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("region").waitFor();
    expect((await asking().stored()).subscribers.at(-1)?.email).toBe("late@example.org");
  });

  describe("and has changed its key", () => {
    async function visitWithOutdated(outdated: (sent: readonly string[]) => boolean) {
      const visit = await Visit.begin(browser());
      const sent: string[] = [];
      visit.page.on("request", (request) => {
        if (request.url().includes("/trpc/") && request.method() === "POST") sent.push(request.url());
      });
      await visit.page.route("**/altcha/challenge", async (route) =>
        outdated(sent) ? route.fulfill({ json: await fetchChallenge(other()) }) : route.continue(),
      );
      await visitHost({ body: `<newsletter-form lang="de"></newsletter-form>${scriptOf(asking())}` }, visit);
      return { visit, sent, form: visit.page.locator("newsletter-form") };
    }

    const other = shared(() => startService({ env: { ...proofs, ALTCHA_HMAC_KEY: "o".repeat(64) } }));
    const subscribersOf = async (address: string) =>
      (await asking().stored()).subscribers.filter(({ email }) => email === address);

    nightly("gets a new proof for one that it refuses, without the person doing anything", async () => {
      const { visit, sent, form } = await visitWithOutdated((before) => before.length === 0);
      await using _ = visit;
      visit.expectProblems(/Failed to load resource/);
      await form.getByLabel("E-Mail-Adresse").fill("renewed@example.org");
      await form.getByRole("button", { name: "Abonnieren" }).click();
      await form.getByRole("region").waitFor();
      expect(sent).toHaveLength(2);
      expect(await subscribersOf("renewed@example.org")).toHaveLength(1);
    });

    nightly("is not asked a third time; the person reads why, and can try again", async () => {
      let outdated = true;
      const { visit, sent, form } = await visitWithOutdated(() => outdated);
      await using _ = visit;
      visit.expectProblems(/Failed to load resource/);
      await form.getByLabel("E-Mail-Adresse").fill("refused@example.org");
      await form.getByRole("button", { name: "Abonnieren" }).click();
      const summary = form.locator("#summary");
      await summary.getByText("Wir konnten nicht prüfen, ob Sie ein Mensch sind.").waitFor();
      await expect.poll(() => summary.innerText()).not.toContain("challenge");
      expect(sent).toHaveLength(2);
      expect(await subscribersOf("refused@example.org")).toEqual([]);

      outdated = false;
      await summary.getByRole("button", { name: "Erneut versuchen" }).click();
      await form.getByRole("region").waitFor();
      expect(await subscribersOf("refused@example.org")).toHaveLength(1);
    });
  });
});

describe("in a page that goes on changing", () => {
  const fault = "E-mail address: Enter one e-mail address, like name@example.org.";

  async function begunInquiry(visit: Visit): Promise<Locator> {
    const form = visit.page.locator("inquiry-form");
    await catalogued(form).check();
    await form.getByLabel("Your name").fill("Ann Buyer");
    await form.getByLabel("E-mail address").fill("ann");
    await form.getByRole("button", { name: "Send inquiry" }).click();
    await form.getByRole("link", { name: fault }).waitFor();
    await form.getByLabel("Your name").focus();
    return form;
  }

  test("other words come with all that was typed, with what is wrong and the focus; properties with the same in them take nothing", async () => {
    await using visit = await visitHost({ body: `<inquiry-form></inquiry-form>${scriptOf(service())}` });
    const form = await begunInquiry(visit);
    const isKept = async () => {
      await expect.poll(() => form.locator("#name").inputValue()).toBe("Ann Buyer");
      await expect.poll(() => catalogued(form).isChecked()).toBe(true);
      await expect.poll(() => form.locator("#email").getAttribute("aria-invalid")).toBe("true");
      await expect.poll(() => form.locator("#summary a").count()).toBe(1);
      await expect.poll(() => form.locator("#name").evaluate((input) => input.matches(":focus"))).toBe(true);
    };
    await visit.page.evaluate(() => document.documentElement.setAttribute("lang", "de"));
    await form.getByRole("button", { name: "Anfrage senden" }).waitFor();
    await isKept();

    const set = () =>
      form.evaluate((element) =>
        Object.assign(element, {
          packages: ["en-GB-scottish", { id: "de-AT", title: "Austrian German" }],
          values: { company: "Example Ltd" },
          strings: { fields: { company: { label: "Firm" } } },
        }),
      );
    await set();
    await form.locator("#name").fill("Ann Buyer");
    await form.getByRole("checkbox", { name: "en-GB-scottish" }).check();
    await set();
    await expect.poll(() => form.locator("#name").inputValue()).toBe("Ann Buyer");
    await expect.poll(() => form.getByLabel("Firm").inputValue()).toBe("Example Ltd");
    await expect.poll(() => form.getByRole("checkbox", { name: "en-GB-scottish" }).isChecked()).toBe(true);
  });

  nightly(
    "other first values that come while it is sent leave the form that was sent, with what is said of it",
    async () => {
      await using visit = await visitHost({ body: `<newsletter-form></newsletter-form>${scriptOf(service())}` });
      const { page } = visit;
      const form = page.locator("newsletter-form");
      const exposing = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };
      await page.route(/newsletter\.subscribe/, async (route) => {
        await form.evaluate((element) => element.setAttribute("values", '{"email":"other@example.org"}'));
        await route.fulfill({ status: 429, headers: { "retry-after": "60", ...exposing } });
      });
      visit.expectProblems(/status of 429/);
      await form.getByLabel("E-mail address").fill("typed@example.org");
      await form.getByRole("button", { name: "Subscribe" }).click();
      await form.getByRole("heading", { name: "Your form was not sent" }).waitFor();
      await expect.poll(() => form.getByLabel("E-mail address").inputValue()).toBe("typed@example.org");
    },
  );

  nightly("a form that is moved behaves as before, also when a receipt stands in its place", async () => {
    await using visit = await visitHost({ body: `<newsletter-form></newsletter-form>${scriptOf(service())}` });
    const { page } = visit;
    const form = page.locator("newsletter-form");
    await form.getByLabel("E-mail address").fill("moved@example.org");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("region").waitFor();
    await form.evaluate((element) => {
      const refused = () => element.setAttribute("title", `${element.getAttribute("title") ?? ""}refused `);
      element.addEventListener("submission-refused", refused);
      document.body.prepend(element);
    });
    await form.getByRole("button", { name: "Subscribe another address" }).click();
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByText("Enter your e-mail address.").waitFor();
    await expect.poll(() => form.getAttribute("title")).toBe("refused ");
  });

  nightly("a page from right to left is no wider, and words run as their language does", async () => {
    await using visit = await visitHost({ body: `<inquiry-form></inquiry-form><main></main>${scriptOf(service())}` });
    const { page } = visit;
    await catalogued(page.locator("inquiry-form")).waitFor();
    const beyond = await page.evaluate(() => {
      document.documentElement.dir = "rtl";
      return document.documentElement.scrollWidth - window.innerWidth;
    });
    expect(beyond).toBe(0);

    // A form whose script came from elsewhere is sent to the endpoint that a property names.
    await page.evaluate((endpoint) => {
      document.querySelector("main")!.append(Object.assign(document.createElement("newsletter-form"), { endpoint }));
    }, `${service().url}/`);
    const form = page.locator("newsletter-form");
    const direction = () => form.locator(".frame").evaluate((frame) => getComputedStyle(frame).direction);
    await form.getByLabel("E-mail address").waitFor();
    expect(await direction()).toBe("ltr");
    const label = "البريد الإلكتروني";
    const strings = { lang: "ar", trap: "اترك هذا الحقل فارغا", fields: { email: { label } } };
    await form.evaluate((element, words) => void Object.assign(element, { strings: words }), strings);
    expect(await direction()).toBe("rtl");
    await form.getByLabel(label).fill("bundled@example.org");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("region").waitFor();
    await expect.poll(() => form.getAttribute("endpoint")).toBe(`${service().url}/`);
  });
});

describe("a privacy notice", () => {
  const line = `By sending this form, you agree that we use what you enter as our privacy notice says.`;

  test("stands above the button unless the page has its own; its version goes with the form, with the page but not its fragment", async () => {
    const own = `<application-form privacy="/privacy" consent="3"><p slot="notice">Ours.</p></application-form>`;
    host().show({
      body: `<newsletter-form privacy="/privacy" consent="2026-11"></newsletter-form>${own}${scriptOf(service())}`,
    });
    await using visit = await Visit.begin(browser());
    await visit.page.goto(`${host().url}/#form`);
    const form = visit.page.locator("newsletter-form");
    await form.getByText(line).waitFor();
    await form.getByRole("link", { name: "privacy notice" }).waitFor();
    const other = visit.page.locator("application-form");
    await other.getByText("Ours.").waitFor();
    await expect.poll(() => other.getByText(line).isVisible()).toBe(false);
    await form.getByLabel("E-mail address").fill("told@example.org");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await form.getByRole("region").waitFor();
    const stored = (await service().stored()).subscribers.find(({ email }) => email === "told@example.org");
    expect(stored?.consent).toMatchObject({ text: "2026-11", page: `${host().url}/` });
  });
});

nightly("a form without script, as docs/forms.md shows it, comes back to a page of its site", async () => {
  const snippets = await snippetsOf("Without script", "forms.md");
  const form = snippets.find((code) => code.includes('name="next"')) ?? "";
  host().show({
    body: form
      .replaceAll("https://submissions.example.org", plain().url)
      .replace("https://www.example.org/thank-you", `${host().url}/`),
  });
  await using visit = await Visit.begin(browser(), { javaScriptEnabled: false });
  await visit.page.goto(host().url);
  await visit.page.getByLabel("E-mail").fill("unscripted@example.org");
  host().show({ body: "<h1>Thank you</h1>" });
  await visit.page.getByRole("button").click();
  await visit.page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect((await plain().stored()).subscribers).toMatchObject([{ email: "unscripted@example.org" }]);
});
