// What browsers send from pages of other sites is refused; what programs send, without their headers, is not.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
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
  expect(subscribers.map(({ email }) => email)).toEqual(["own@example.org", "own2@example.org"]);
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

test("the pages of the newsletter take what mail programs send; pages of other sites may unsubscribe with a token, and not confirm", async () => {
  const post = (path: string, headers: Record<string, string>) =>
    fetch(`${service().url}/newsletter/${path}?token=${"A".repeat(43)}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: browserAccept, ...headers },
      body: "List-Unsubscribe=One-Click",
    });
  for (const path of ["confirm", "unsubscribe"]) {
    expect((await post(path, foreign)).status).toBe(path === "confirm" ? 403 : 404);
    // No subscriber has this token.
    expect((await post(path, {})).status).toBe(404);
    expect((await post(path, { "sec-fetch-site": "same-origin", origin: service().url })).status).toBe(404);
  }
  expect((await fetch(`${service().url}/newsletter/confirm?token=x`, { headers: foreign })).status).toBe(404);
});

/** Over plain HTTP no browser but of this machine sends `Sec-Fetch-Site`. Node's fetch sends no Host of one's own. */
async function postAs(headers: Record<string, string>, path: string, body: string): Promise<number> {
  const sent = request(service().url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

test("pages of the host that was asked for are ours on both doors, by whatever address the service was opened", async () => {
  const email = { "/api/newsletter/subscribe": "own@example.org", "/trpc/newsletter.subscribe": "own2@example.org" };
  for (const [path, address] of Object.entries(email)) {
    const send = (host: string, origin: string) => postAs({ host, origin }, path, JSON.stringify({ email: address }));
    expect(await send("vm.example:3000", "http://other.example:3000")).toBe(403);
    expect(await send("vm.example:3000", "http://vm.example:3001")).toBe(403);
    expect(await send("vm.example:3000", "http://vm.example:3000")).toBe(200);
    expect(await send("192.0.2.7:3000", "http://192.0.2.7:3000")).toBe(200);
  }
});
