// Real-world cases, each with the verdict that its index expects, against the rules or the running service.
import { applicationInput } from "@submissions/shared/application";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { cases, complaint, corpusBytes, type Case } from "../../support/corpora.ts";
import { applicant, buyer, json, rest } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService());

// Cases whose label and the service's rules disagree; the rules win, for these reasons.
const overruled: Readonly<Record<string, string>> = {
  "": "a blank optional field counts as absent, whatever its kind",
  "http://user:pass@www.foobar.com/": "web addresses with credentials are refused: they would be stored and shown",
};
/** The same, by their ids. */
const overruledIds: ReadonlySet<string> = new Set([
  // Full-width letters are what some keyboards type: they are folded.
  "validator-23",
  // A source is never refused.
  "subscribe-source-object",
]);
// C1 controls are refused everywhere; one list of strings takes them for ordinary characters.
const hasControls = (text: string) => /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(text);

async function complaints<T extends Case>(all: readonly T[], send: (one: T) => Promise<number>): Promise<string[]> {
  const told: string[] = [];
  for (const one of all) {
    const wrong = complaint(one, await send(one));
    if (wrong !== undefined && !overruledIds.has(one.id)) told.push(wrong);
  }
  return told;
}

/** The status by the rules alone, which both doors and the forms share. */
const judged = (schema: z.ZodType, fields: object) => Promise.resolve(schema.safeParse(fields).success ? 200 : 400);
const apply = (fields: object) => rest.send(service(), "applications.submit", json({ ...applicant, ...fields }));

type Value = Case & Readonly<Record<"email" | "phone" | "url", string>>;
test.each<[string, string[], (value: Value) => Promise<number>]>([
  ["e-mail", ["email/index", "email/extra"], ({ email }) => judged(inquiryInput, { ...buyer, email })],
  ["telephone", ["phone/index"], ({ phone }) => judged(applicationInput, { ...applicant, phone })],
  ["web", ["url/index"], ({ url }) => judged(applicationInput, { ...applicant, portfolioUrl: url })],
])("%s addresses", async (_, lists, send) => {
  const all = lists.flatMap((list) => cases<Value>(`${list}.jsonl`)).filter(({ url }) => !(url in overruled));
  expect(all.length).toBeGreaterThan(100);
  expect(await complaints(all, send)).toEqual([]);
});

describe("hostile strings", () => {
  type Naughty = Omit<Case, "expect"> & { string: string; expect: Record<string, Case["expect"]> };
  const all = cases<Case>("naughty/index.jsonl") as unknown as Naughty[];
  const asCase = (one: Naughty, field: string): Case => ({
    ...one,
    reason: field,
    expect: hasControls(one.string) && one.expect[field] === "accept" ? "refuse" : (one.expect[field] ?? "either"),
  });

  test.each(["name", "email", "source"])("as %s", { timeout: 300_000 }, async (field) => {
    const send = ({ string }: Naughty) =>
      field === "source"
        ? judged(subscribeInput, { email: "a@b.org", source: string })
        : judged(inquiryInput, { ...buyer, [field]: string });
    const told = await Promise.all(all.map(async (one) => complaint(asCase(one, field), await send(one))));
    expect(told.filter(Boolean)).toEqual([]);
  });

  test("as coverLetter, stored as they were sent", { timeout: 300_000 }, async () => {
    const told: string[] = [];
    const sent = new Map<string, string>();
    for (const one of all) {
      const { status, receipt } = await apply({ coverLetter: one.string, portfolioUrl: "" });
      const wrong = complaint(asCase(one, "coverLetter"), status);
      if (wrong !== undefined) told.push(wrong);
      if (receipt !== undefined) sent.set(String(receipt["applicationId"]), one.string);
    }
    expect(told).toEqual([]);
    const stored = new Map((await service().stored()).applications.map((one) => [one.reference, one.coverLetter]));
    const squeeze = (text: string) =>
      text.normalize("NFC").replace(/[\s\p{White_Space}\p{Cf}\u034F\u2800\u3164]/gu, "");
    for (const [reference, text] of sent) expect(squeeze(stored.get(reference) ?? "")).toBe(squeeze(text));
    expect(sent.size).toBeGreaterThan(100);
  });
});

describe("JSON bodies", () => {
  type JsonCase = Case & { file: string; embed: string | false };
  const post = async (body: RequestInit["body"], path: string, type: string) => {
    const init = { method: "POST", headers: { "content-type": type }, body: body! };
    const response = await fetch(service().url + path, init);
    await response.arrayBuffer();
    return response.status;
  };

  test("of the parsing suite, bare and as the value of fields", { timeout: 300_000 }, async () => {
    const all = cases<JsonCase>("json/index.jsonl");
    expect(all.length).toBeGreaterThan(100);
    const inquire = (body: RequestInit["body"]) => post(body, "/api/marketplace/inquiry", "application/json");
    expect(await complaints(all, ({ file }) => inquire(corpusBytes(file)))).toEqual([]);
    for (const { file, embed } of all) {
      if (embed === false) continue;
      for (const field of ["name", "company", "selectedPackageIds"]) {
        // The last of two equal names counts.
        const body = `${JSON.stringify(buyer).slice(0, -1)},"${field}":${corpusBytes(file).toString()}}`;
        expect(await inquire(body), file).toBeLessThan(500);
      }
    }
  });

  test("written against this interface", async () => {
    type Body = Case & { path: string; contentType: string; bodyBase64?: string };
    const all = cases<Body>("json/bodies.jsonl").filter(({ bodyBase64 }) => bodyBase64 !== undefined);
    expect(all.length).toBeGreaterThan(10);
    const send = ({ path, contentType, bodyBase64 = "" }: Body) =>
      post(Buffer.from(bodyBase64, "base64"), path, contentType);
    expect(await complaints(all, send)).toEqual([]);
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });
});

test("multipart bodies", { timeout: 300_000 }, async () => {
  type Multipart = Case & { file: string; contentType: string; what?: string; headers?: Record<string, string> };
  const all = [...cases<Multipart>("multipart/adapted.jsonl"), ...cases<Multipart>("multipart/upstream.jsonl")].map(
    (one) => ({ ...one, reason: one.reason ?? one.what ?? "" }),
  );
  expect(all.length).toBeGreaterThan(50);
  const before = (await service().files("resumes")).length;
  let accepted = 0;
  const told = await complaints(all, async ({ file, contentType, headers }) => {
    const response = await fetch(`${service().url}/api/applications/submit`, {
      method: "POST",
      headers: { "content-type": contentType, ...headers },
      body: corpusBytes(file),
    });
    const receipt = (await response.json()) as { applicationId?: string };
    if (receipt.applicationId !== undefined) accepted += 1;
    return response.status;
  });
  expect(told).toEqual([]);
  const { applications } = await service().stored();
  const kept = applications.filter(({ resume }) => resume !== null).length;
  expect(await service().files("resumes")).toHaveLength(kept);
  expect(kept - before).toBeLessThanOrEqual(accepted);
});
