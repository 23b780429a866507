// The same Idempotency-Key at two services on one database at the same moment.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Answer, applicant, buyer, doors, form, json, pdf, type Procedure, withKey } from "../../support/doors.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import type { Service } from "../../support/service.ts";
import { openSeveral } from "../../support/processes/several.ts";

const pairs = manyOrFew(60);

const requests: Readonly<Record<Procedure, (word: string) => RequestInit>> = {
  "marketplace.inquiry": (word) => json({ ...buyer, company: word }),
  "newsletter.subscribe": (word) => json({ email: "reader@example.org", source: word }),
  "applications.submit": (word) => form({ ...applicant, availability: word, resumeFile: pdf("resume.pdf", 20_000) }),
};
const procedures = Object.keys(requests) as Procedure[];

interface Sent {
  readonly procedure: Procedure;
  readonly key: string;
  readonly word: string;
}

const send = (service: Service, { procedure, key, word }: Sent, door: number): Promise<Answer> =>
  doors[door % 2]!.send(service, procedure, withKey(requests[procedure](word), key));

const race = ([a, b]: readonly Service[], both: (n: number) => readonly [Sent, Sent]) =>
  Promise.all(
    Array.from({ length: pairs }, async (_, n) => {
      const [first, second] = both(n);
      return { first, second, answers: await Promise.all([send(a!, first, n), send(b!, second, n >> 1)]) };
    }),
  );

const sentOf = (n: number, word: string): Sent => ({ procedure: procedures[n % 3]!, key: `${n}`, word });
const receiptOf = ({ receipt }: Answer) => receipt?.["inquiryId"] ?? receipt?.["applicationId"] ?? receipt?.["message"];

test("is one submission with one identifier, and one file; other content under it is refused", async () => {
  await using several = await openSeveral();
  const { site } = several;
  const services = await several.startHere({}, {});
  const same = await race(services, (n) => [sentOf(n, "same"), sentOf(n, "same")]);
  for (const { first, answers } of same) {
    const receipts = new Set<unknown>();
    for (const answer of answers) {
      expect([200, 409]).toContain(answer.status);
      if (answer.status === 200) receipts.add(receiptOf(answer));
    }
    // A caller that was told to come again learns the same, from either.
    for (const service of services) receipts.add(receiptOf(await send(service, first, 0)));
    expect([...receipts]).toEqual([expect.stringMatching(/./)]);
  }
  const stored = await site.contents();
  expect([stored.inquiries.length, stored.applications.length]).toEqual([pairs / 3, pairs / 3]);
  expect(stored.subscribers).toHaveLength(1);
  expect((await site.resumeFiles()).length).toBe(stored.applications.length);

  const run = randomUUID();
  const different = await race(services, (n) => [
    { ...sentOf(n, "one"), key: `${run}${n}` },
    { ...sentOf(n, "other"), key: `${run}${n}` },
  ]);
  for (const { first, second, answers } of different) {
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
    const lost = answers[0]?.status === 200 ? second : first;
    expect((await send(services[0]!, lost, 1)).status).toBe(422);
  }
  const later = await site.contents();
  expect([later.inquiries.length, later.applications.length]).toEqual([(2 * pairs) / 3, (2 * pairs) / 3]);
  expect((await site.resumeFiles()).length).toBe(later.applications.length);
});
