// Where persons answer to, and where reports of undelivered mails come back to.
import { expect, test } from "vitest";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { configExitCode } from "../../../server/src/config/load.ts";
import { applicant, buyer, json, rest, form } from "../../support/doors.ts";
import { invite, operator } from "../../support/console/operator.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { finish, start } from "../../support/program.ts";
import { startService } from "../../support/service.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";

const env = { INBOUND_ADDRESS: "Answers@desk.example", INBOUND_WEBHOOK_AUTH: `postmark:${"p".repeat(24)}` };
const form31 = /^Answers\+[a-z2-7]{31}@desk\.example$/;

test("receipts and replies ask for answers to the address of their submission, which is another for each", async () => {
  await using service = await startService({ env });
  const references = [
    (await rest.send(service, "marketplace.inquiry", json(buyer))).receipt!["inquiryId"],
    (await rest.send(service, "marketplace.inquiry", json(buyer))).receipt!["inquiryId"],
    (await rest.send(service, "applications.submit", form(applicant))).receipt!["applicationId"],
  ] as string[];
  const mails = await service.mails();
  const answerTo = (reference: string) =>
    mails.find(({ subject = "", to }) => subject.includes(reference) && to?.[0]?.address?.startsWith("an"))?.replyTo;
  const addresses = references.map((reference) => answerTo(reference)?.map(({ address }) => address) ?? []);
  expect(addresses.flat()).toHaveLength(3);
  for (const address of addresses.flat()) expect(address).toMatch(form31);
  expect(new Set(addresses.flat()).size).toBe(3);
  // The team answers to the person, as before.
  const notices = mails.filter(({ to }) => to?.[0]?.address === "sales@marketplace.example");
  expect(notices.map(({ replyTo }) => replyTo?.[0]?.address)).toEqual([buyer.email, buyer.email]);
});

test("a mail to an address that answers come to is never sent, and its submission is kept", async () => {
  await using service = await startService({ env });
  const answer = await rest.send(service, "marketplace.inquiry", json({ ...buyer, email: "answers+x@desk.example" }));
  expect(answer.receipt).toMatchObject({ confirmationEmailSent: false });
  expect((await service.mails()).map(({ to }) => to?.[0]?.address)).toEqual(["sales@marketplace.example"]);
  await using store = await openStore(service.storage, { access: "read-only" });
  await expect.poll(async () => (await store.mailBacklog()).failed).toBe(1);

  const reference = answer.receipt!["inquiryId"] as string;
  const admin = await operator(service, "root@example.org", "admin");
  expect(await admin.call("reply.send", { reference, text: "Hello" })).toMatchObject({ status: 409, code: "CONFLICT" });
  expect((await admin.call("reply.sendMany", { references: [reference], text: "Hello" })).data).toMatchObject([
    { reference, result: "suppressed" },
  ]);
  expect((await admin.call("submission.get", { reference })).data).toMatchObject({ replies: [], status: "new" });

  const applied = await rest.send(
    service,
    "applications.submit",
    form({ ...applicant, email: "answers+y@desk.example" }),
  );
  const application = applied.receipt!["applicationId"] as string;
  const references = [application];
  expect((await admin.call("decline.preview", { references, text: "Sorry" })).data).toMatchObject([
    { suppressed: expect.stringContaining("come in as answers") },
  ]);
  const targets = [{ reference: application, version: 1 }];
  expect(await admin.call("decline.send", { targets, text: "Sorry", days: 0, reason: "" })).toMatchObject({
    status: 200,
  });
  const { mails } = (await admin.call("submission.get", { reference: application })).data as SubmissionDetail;
  expect(mails.map(({ kind }) => kind).toSorted()).toEqual(["application-notice", "application-receipt"]);
});

test("over SMTP the envelope names the mail; without the setting it is the sender, and answers go to the team", async () => {
  await using smtp = await SmtpStandIn.open();
  const team = {
    MAIL_FROM: "Desk <desk@desk.example>",
    SALES_EMAIL: "sales@desk.example",
    RECRUITING_EMAIL: "jobs@desk.example",
  };
  const bySmtp = { MAIL_TRANSPORT: "smtp", SMTP_URL: smtp.url, ...team };
  {
    await using service = await startService({ env: { ...bySmtp, ...env } });
    await rest.send(service, "marketplace.inquiry", json(buyer));
    await expect.poll(() => smtp.received.length).toBe(2);
  }
  const paths = smtp.received.map(({ envelope }) => envelope.from);
  for (const path of paths) expect(path).toMatch(form31);
  expect(new Set(paths).size).toBe(2);
  for (const { message } of smtp.received) expect(message.from?.address).toBe("desk@desk.example");
  smtp.received.length = 0;
  await using service = await startService({ env: bySmtp });
  await rest.send(service, "marketplace.inquiry", json(buyer));
  await expect.poll(() => smtp.received.length).toBe(2);
  expect(smtp.received.map(({ envelope }) => envelope.from)).toEqual(["desk@desk.example", "desk@desk.example"]);
  const receipt = smtp.received.find(({ envelope }) => envelope.to[0] === buyer.email);
  expect(receipt?.message.replyTo?.map(({ address }) => address)).toEqual(["sales@desk.example"]);
});

test("no operator has an address that answers come to, and no service starts with one", async () => {
  await using service = await startService({ env });
  const environment = { ...service.sameData, ...env };
  const refused = await runCommand(["operators", "add", "answers@desk.example", "--role", "sales"], environment);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("INBOUND_ADDRESS");
  const admin = await operator(service, "root@example.org", "admin");
  const invited = await admin.call("operators.invite", { email: "answers+eva@desk.example", role: "sales" });
  expect(invited).toMatchObject({ status: 400, issues: [{ path: ["email"] }] });
  await using store = await openStore(service.storage, { access: "read-only" });
  expect((await store.access.listOperators()).map(({ email }) => email)).toEqual(["root@example.org"]);
  await invite(service, "answers@desk.example", "sales");
  await service.stop();
  const { code, stderr } = await finish(start("main.ts", [], { ...environment, PORT: "0" }));
  expect([code, stderr.includes("INBOUND_ADDRESS: must not be")]).toEqual([configExitCode, true]);
});
