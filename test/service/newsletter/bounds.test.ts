// How many links one client may follow.
import { expect, test } from "vitest";
import { json, rest } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { open } from "../../support/newsletter/reader.ts";

test("links are followed ten times as often as submissions are taken, by a count of their own", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1", RATE_LIMIT_WINDOW_SECONDS: "86400" } });
  const link = (purpose: string) => `${service.url}/newsletter/${purpose}?token=${"A".repeat(43)}`;
  for (const purpose of ["confirm", "unsubscribe"]) {
    for (let followed = 0; followed < 5; followed += 1) {
      expect((await open(link(purpose), { method: "POST" })).status).toBe(404);
      expect((await open(link(purpose))).status).toBe(404);
    }
  }
  for (const purpose of ["confirm", "unsubscribe"]) {
    const { status, headers, text } = await open(link(purpose), { method: "POST" });
    expect([status, headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(text).toContain("<h1>Please wait a moment</h1>");
    expect(text).toContain("You can try again in");
  }
  // Looking is free, and so are submissions.
  expect((await open(link("confirm"))).status).toBe(404);
  expect((await rest.send(service, "newsletter.subscribe", json({ email: "a@example.org" }))).status).toBe(200);
});
