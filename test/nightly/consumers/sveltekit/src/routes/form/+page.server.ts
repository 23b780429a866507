import { english as strings, formMarkup } from "@submissions/client/markup";

const fields = [
  { name: "message", label: "Your project", type: "textarea" },
  { name: "budget", label: "Budget", required: true },
  { name: "region", label: "Region", type: "select", options: ["EU", "US"] },
  { name: "nda", label: "We need an NDA", type: "checkbox" },
  { name: "campaign", type: "hidden", value: "spring" },
] as const;

export const load = () => {
  const url = process.env["SUBMISSIONS_URL"]!;
  const action = `${url}/api/marketplace/inquiry`;
  const idempotencyKey = crypto.randomUUID();
  const packages = [{ id: "de-AT", title: "Austrian German" }];
  const { text } = formMarkup("inquiry", { action, values: {}, issues: [], packages, strings, idempotencyKey, fields });
  return { url, text, fields: JSON.stringify(fields) };
};
