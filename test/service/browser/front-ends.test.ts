// A form of another site without script, as docs/forms.md shows it. What needs a library runs at night.
import { expect, test } from "vitest";
import { openBrowser, Visit } from "../../support/browser.ts";
import { openHostSite } from "../../support/host-site.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { snippetsOf } from "../../support/browser/front-end.ts";

const browser = shared(openBrowser);

test("a plain form comes back to the page of its site", async () => {
  const snippets = await snippetsOf("Without script", "forms.md");
  const form = snippets.find((code) => code.includes('name="next"')) ?? "";
  await using host = await openHostSite();
  await using service = await startService({ env: { CORS_ORIGINS: host.url } });
  const here = form
    .replaceAll("https://submissions.example.org", service.url)
    .replace("https://www.example.org/thank-you", `${host.url}/`);
  host.show({ body: here });
  await using visit = await Visit.begin(browser(), { javaScriptEnabled: false });
  await visit.page.goto(host.url);
  await visit.page.getByLabel("E-mail").fill("reader@example.org");
  host.show({ body: "<h1>Thank you</h1>" });
  await visit.page.getByRole("button").click();
  await visit.page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect((await service.stored()).subscribers).toMatchObject([{ email: "reader@example.org" }]);
});
