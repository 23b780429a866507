// Mails to operators of what others assign to them, from the console's call to the mail.
import { expect, test } from "vitest";
import { eventually } from "../../support/outbox/mail-service.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { type Service, startService } from "../../support/service.ts";
import { inquire, operator } from "../../support/console/operator.ts";

const mailsTo = async (service: Service, address: string) =>
  (await service.mails()).filter(({ to }) => to?.some((one) => one.address === address));

test("an operator gets one mail for what another one assigns at once, and none of what is assigned by oneself", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const [eva, sam] = [
    await operator(service, "eva@example.org", "admin"),
    await operator(service, "sam@example.org", "sales"),
  ];
  await eva.call("session.setName", { name: "Eva Novák" });
  const references = [await inquire(service, "ann@example.org"), await inquire(service, "bea@example.org")];
  const own = await inquire(service, "cem@example.org");
  const targetsOf = (named: readonly string[]) => named.map((reference) => ({ reference, version: 1 }));
  const assign = (one: typeof eva, named: readonly string[]) =>
    one.call("inbox.triage", { targets: targetsOf(named), assignee: "sam@example.org" });
  expect((await assign(eva, references)).status).toBe(200);
  expect((await assign(sam, [own])).status).toBe(200);
  clock.advance(5_000);
  await eventually(async () => (await mailsTo(service, "sam@example.org")).length).toBe(1);
  const [mail] = await mailsTo(service, "sam@example.org");
  expect(mail?.subject).toBe("2 submissions are assigned to you");
  for (const reference of references) {
    expect(mail?.text).toContain(`${reference}, assigned by Eva Novák: ${service.url}/console/inquiries/${reference}`);
  }
  expect(mail?.text).not.toMatch(/Ann|Kalomi/);
  expect(mail?.text).not.toContain(own);
  expect(await mailsTo(service, "eva@example.org")).toEqual([]);
});
