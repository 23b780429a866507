// Mails as programs write them, each with the text beside it that a person would call the answer.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readMail } from "../../../server/src/inbound/read-mail.ts";

const folder = new URL("../../fixtures/mails/", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".eml"))
  .map((file) => file.replace(".eml", ""));
const read = (name: string) => readMail(readFileSync(new URL(`${name}.eml`, folder)));

it.each(names)("shows the answer of %s", async (name) => {
  const { reply, text, automatic, recipients, references, report = [] } = await read(name);
  expect(`${reply}\n`).toBe(readFileSync(new URL(`${name}.txt`, folder), "utf8"));
  expect(text.length).toBeGreaterThanOrEqual(reply.length);
  expect(recipients.join()).toMatch(/answers\+\w+@desk\.example/);
  expect(automatic).toBe(/^(?:automatic|report)-/.test(name));
  if (!automatic) expect(references).toStrictEqual(["receipt.482913@desk.example"]);
  expect(report.map((each) => each.originalMessageId)).toStrictEqual(
    name.startsWith("report-") ? ["reply.77@desk.example"] : [],
  );
});

// A status of 5 suppresses the address, and Exim writes 5.0.0 also where no server answered for days.
it("knows a report of a server that was away from one of an address that is refused", async () => {
  const statuses = async (name: string) => (await read(name)).report?.map(({ status, failed }) => [status, failed]);
  expect(await statuses("report-exim")).toStrictEqual([["5.0.0", true]]);
  expect(await statuses("report-exim-timeout")).toStrictEqual([["4.4.7", true]]);
  // So says Exim where it does not try once more at the end (`delay_after_cutoff = false`).
  const eml = readFileSync(new URL("report-exim-timeout.eml", folder), "utf8");
  const other = eml.replace("retry timeout exceeded", "all hosts have been failing for a long time");
  expect(other).not.toBe(eml);
  expect((await readMail(Buffer.from(other))).report).toMatchObject([{ status: "4.4.7", failed: true }]);
  expect(await statuses("report-opensmtpd")).toStrictEqual([["5.0.0", true]]);
  expect(await statuses("report-postfix-delayed")).toStrictEqual([["4.4.1", false]]);
});
