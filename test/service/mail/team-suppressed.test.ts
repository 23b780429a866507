// The team's own addresses may be suppressed: its notices go out all the same, and what fails is told.
import { expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { inquire } from "../../support/console/operator.ts";
import { keptLog } from "../../support/kept-log.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";

const team = { SALES_EMAIL: "sales@team.example, desk@team.example" };

async function open(opened: AsyncDisposableStack) {
  const postmark = opened.use(await PostmarkStandIn.open());
  const { lines: errors, log } = keptLog("error");
  const service = opened.use(await startService({ env: { ...postmark.env, ...team }, log }));
  const metrics = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return text.split("\n").filter((line) => line.startsWith("mails_total{") && line.includes("-notice"));
  };
  return { postmark, service, errors, metrics };
}

test("a suppressed address of the team still gets its notices", async () => {
  await using opened = new AsyncDisposableStack();
  const { postmark, service, errors } = await open(opened);
  await using store = await openStore(service.storage);
  for (const email of ["sales@team.example", "desk@team.example"]) {
    await store.suppress({ email, reason: "complained", at: Date.now() });
  }
  await inquire(service, "ann@example.org");
  await expect
    .poll(() => postmark.taken.flatMap(({ To }) => To.split(/, */)))
    .toEqual(expect.arrayContaining(["sales@team.example", "desk@team.example"]));
  expect(errors).toEqual([]);
});

test.each([
  ["for all of the team", ["sales@team.example", "desk@team.example"], "mail not sent", "refused"],
  ["for some of the team", ["sales@team.example"], "mail accepted for some recipients only", "missed"],
])("a notice that the provider refuses %s is an error in the log and a metric", async (_, inactive, msg, result) => {
  await using opened = new AsyncDisposableStack();
  const { postmark, service, errors, metrics } = await open(opened);
  for (const address of inactive) postmark.refuse(address, 406);
  await inquire(service, "ann@example.org");
  await expect.poll(() => errors).toMatchObject([{ msg, mailKind: "inquiry-notice" }]);
  expect(JSON.stringify(errors)).not.toContain("team.example");
  expect(await metrics()).toContain(`mails_total{kind="inquiry-notice",result="${result}"} 1`);
});
