import { expect, test } from "vitest";
import { chatFormatOf, payloadOf, sentenceOf } from "./delivery.ts";

const told = { event: "webhook.test", createdAt: 0, about: { told: {} } } as const;
const publicUrl = "https://submissions.example.org";

test.each([
  ["https://hooks.slack.com/services/T0/B0/x", "text"],
  ["https://example.webhook.office.com/webhookb2/x", "type attachments"],
  ["https://prod-1.westeurope.logic.azure.com:443/workflows/x", "type attachments"],
  ["https://hooks.slack.com.example.org/", "type timestamp data"],
  ["https://example.org/hooks.slack.com", "type timestamp data"],
])("%s gets a body with %s", (url, keys) => {
  expect(Object.keys(JSON.parse(payloadOf({ url, ...told }, publicUrl)) as object).join(" ")).toBe(keys);
});

test("nothing of a stranger's name is a link or a mention", () => {
  const [slack, teams] = ["https://hooks.slack.com/x", "https://a.webhook.office.com/"].map(chatFormatOf);
  expect(slack?.("<!channel> & [a](b)", "https://c.example/")).toEqual({
    text: "&lt;!channel&gt; &amp; [a](b) <https://c.example/|Open>",
  });
  expect(JSON.stringify(teams?.("[a](mailto:b)", "https://c.example/"))).toContain('"text":" a (mailto:b)"');
  expect(JSON.stringify(teams?.("a", null))).toContain('"actions":[]');
});

test("says what happened", () => {
  expect(sentenceOf(told)).toBe("This is a test.");
  expect(sentenceOf({ event: "person.erased", about: { told: { references: [] } } })).toBe("A person was erased.");
});
