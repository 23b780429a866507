// What browsers send from pages of other sites is refused; what programs send, without their headers, is not.
import { afterAll, describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, sendBatch } from "../../support/doors.ts";
import { browserAccept, fields, postForm } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const message = "Submissions from pages of other websites are not accepted.";
const partner = "https://partner.example";
const foreign = { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" };

const service = shared(() => startService({ env: { CORS_ORIGINS: partner } }));
afterAll(async () => {
  const { inquiries, subscribers } = await service().stored();
  expect(inquiries.map(({ email }) => email).includes("foreign@example.org")).toBe(false);
  expect(subscribers).toEqual([]);
});

const inquiryWith = (headers: Record<string, string>) => {
  const email = headers === foreign ? "foreign@example.org" : buyer.email;
  return json({ ...buyer, email }, headers);
};

describe.each(doors)("on the $name door", (door) => {
  test("a page of another site is refused, whatever it sends", async () => {
    const answers = [
      await door.send(service(), "marketplace.inquiry", inquiryWith(foreign)),
      await door.send(service(), "applications.submit", { ...form(applicant), headers: foreign }),
      await door.send(service(), "newsletter.subscribe", { body: "{", headers: { origin: foreign.origin } }),
    ];
    for (const { status, fault } of answers) {
      expect(status).toBe(403);
      expect(fault).toMatchObject({ code: "FORBIDDEN", message });
    }
  });

  // server/src/http/gate/guard.test.ts has every combination of the two headers.
  test("programs and pages of allowed origins are taken", async () => {
    for (const headers of [{}, { "sec-fetch-site": "cross-site", origin: partner }]) {
      const answer = await door.send(service(), "marketplace.inquiry", inquiryWith(headers));
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, headers.origin ?? null]);
    }
  });
});

test("a batch from another site is refused as a list, its body unread", async () => {
  const procedures = ["marketplace.inquiry", "newsletter.subscribe"] as const;
  const response = await sendBatch(service(), procedures, "{", foreign);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject(
    procedures.map((path) => ({ error: { data: { path, code: "FORBIDDEN" } } })),
  );
});

test("a form that a page of another site sends is answered with a page", async () => {
  const page = await postForm(service(), "newsletter.subscribe", fields({ email: "foreign@example.org" }), foreign);
  expect(page.status).toBe(403);
  expect(page.text).toContain(message);
});

test("the pages of the newsletter take what mail programs send, and nothing from pages of other sites", async () => {
  const post = (path: string, headers: Record<string, string>) =>
    fetch(`${service().url}/newsletter/${path}?token=${"A".repeat(43)}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: browserAccept, ...headers },
      body: "List-Unsubscribe=One-Click",
    });
  for (const path of ["confirm", "unsubscribe"]) {
    expect((await post(path, foreign)).status).toBe(403);
    // No subscriber has this token.
    expect((await post(path, {})).status).toBe(404);
    expect((await post(path, { "sec-fetch-site": "same-origin", origin: service().url })).status).toBe(404);
  }
  expect((await fetch(`${service().url}/newsletter/confirm?token=x`, { headers: foreign })).status).toBe(404);
});
