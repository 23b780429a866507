// What a script reads by the types of /console/openapi.json.
import createClient from "openapi-fetch";
import type { paths } from "./console-api.ts";

const [, , baseUrl = "", authorization = ""] = process.argv;
const service = createClient<paths>({ baseUrl, headers: { authorization } });

const email = "console@example.org";
const listed = await service.POST("/console/trpc/inbox.list", {
  body: { filter: { kind: "inquiry", status: "new" }, page: {} },
});
const [row] = listed.data?.result.data.rows ?? [];
if (row === undefined) throw new Error(listed.error?.error.message);
const status: "new" | "open" | "done" | "spam" = row.status;
console.log(row.reference, status);

const exported = await service.GET("/console/exports/inquiries.ndjson", { parseAs: "text" });
const inquiries =
  exported.data
    ?.trim()
    .split("\n")
    .map((line) => JSON.parse(line)) ?? [];
console.log(inquiries.find((one) => one.email === email)?.inquiryId);
