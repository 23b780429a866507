// The client sends what tRPC's own client sends for the same router.
import type { AppRouter } from "../router.ts";
import { createTRPCClient, httpLink } from "@trpc/client";
import { expect, test } from "vitest";
import { applicationForm } from "./application-form.ts";
import { createSubmissionsClient } from "./create-submissions-client.ts";

const url = "http://service.test/behind/a/prefix";

/** A `fetch` that records its requests. */
function recorder() {
  const seen: unknown[] = [];
  const send = async (address: unknown, init: unknown) => {
    const { method, headers, body } = init as RequestInit;
    const isForm = body instanceof FormData;
    const content = isForm ? [...body] : JSON.parse(body as string);
    seen.push([String(address), method, new Headers(headers).get("content-type"), isForm, content]);
    return Response.json({ result: { data: {} } });
  };
  return { seen, send };
}

test("each procedure's request is tRPC's own", async () => {
  const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
  const subscription = { email: "reader@example.org", source: undefined };
  const application = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator", accent: "" };

  const ours = recorder();
  const client = createSubmissionsClient({ url, fetch: ours.send });
  await client.marketplace.inquiry(inquiry);
  await client.newsletter.subscribe(subscription);
  await client.applications.submit(application);

  const theirs = recorder();
  const trpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, fetch: theirs.send })] });
  await trpc.marketplace.inquiry.mutate(inquiry);
  await trpc.newsletter.subscribe.mutate(subscription);
  await trpc.applications.submit.mutate(applicationForm(application));

  expect(ours.seen).toHaveLength(3);
  expect(ours.seen).toEqual(theirs.seen);
});
