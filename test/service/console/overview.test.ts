// What the overview, the notices of every page and the first steps of a new installation are told.
import { expect, test } from "vitest";
import type { Overview } from "../../../shared/src/console.ts";
import { form, json, rest } from "../../support/doors.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";
import { invite, operator } from "../../support/console/operator.ts";

const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;

test("an overview names packages by their titles, knows its ranges, and has no trouble to tell", async () => {
  await using service = await startService({ env: { PACKAGE_CATALOGUE: catalogue } });
  const admin = await operator(service, "admin@example.org", "admin");
  const inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"], utm_source: "expo" };
  await rest.send(service, "marketplace.inquiry", json(inquiry));
  const application = { fullName: "Ana", email: "ana@example.org", position: "Voice talent" };
  await rest.send(service, "applications.submit", form(application));
  const overview = (await admin.call("overview.get", { days: 7 })).data as Overview;
  const once = (word: string) => [{ word, count: 1 }];
  expect(overview).toMatchObject({
    before: { submissions: 0, firstResponseMs: null },
    shares: { package: once("en-GB-scottish"), position: once("Voice talent"), source: once("expo"), assignee: [] },
    packageTitles: { "en-GB-scottish": "English, Scottish accents, 120 h" },
  });
  expect(overview.days).toHaveLength(7);
  expect(((await admin.call("overview.get")).data as Overview).days).toHaveLength(30);
  expect(await admin.call("overview.get", { days: 365 })).toMatchObject({ status: 400 });
  expect((await admin.call("overview.troubles")).data).toMatchObject({ mail: false });
});

test("operators are told that no mail goes out, and a new installation what it lacks", async () => {
  await using postmark = await PostmarkStandIn.open();
  const env = { ...postmark.env, POSTMARK_SERVER_TOKEN: "wrong", SITE: "off" };
  await using service = await startService({ env });
  const marketing = await operator(service, "marketing@example.org", "marketing");
  const admin = await operator(service, "admin@example.org", "admin");
  const known = { url: service.url, hasFrontPage: false, mail: "postmark", operators: 2 };
  expect((await admin.call("overview.setup")).data).toEqual(known);
  await invite(service, "new@example.org", "sales");
  expect((await admin.call("overview.setup")).data).toMatchObject({ operators: 3 });
  const inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };
  await rest.send(service, "marketplace.inquiry", json(inquiry));
  // An answer to this is given for ten seconds: it is asked once the first mail was refused, or on a busy machine again.
  const troubles = async () => (await marketing.call("overview.troubles")).data;
  await expect.poll(troubles).toMatchObject({ mail: true });
});
