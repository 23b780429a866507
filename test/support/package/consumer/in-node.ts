// A program that has installed the package, run by Node: sends one of each and prints what comes back.
import { openAsBlob } from "node:fs";
import { createSubmissionsClient, SubmissionError, type Inquiry } from "@submissions/client";

const [, , url = "", resume = ""] = process.argv;
const submissions = createSubmissionsClient({ url, headers: { "x-trace": "consumer" } });
const inquiry: Inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT"] };

const { inquiryId } = await submissions.marketplace.inquiry(inquiry, { signal: AbortSignal.timeout(60_000) });
const { message } = await submissions.newsletter.subscribe({ email: "reader@example.org", source: "footer" });
const { applicationId } = await submissions.applications.submit(
  { fullName: "Ana Souza", email: "ana@example.org", position: "Annotator", resumeFile: await openAsBlob(resume) },
  { resumeFilename: "ana.pdf", onUploadProgress: () => console.error("Node measures no uploads.") },
);

try {
  await submissions.newsletter.subscribe({ email: "nobody" });
} catch (error) {
  if (!(error instanceof SubmissionError)) throw error;
  console.log(JSON.stringify({ inquiryId, message, applicationId, refused: error.code, issue: error.issue("email") }));
}
