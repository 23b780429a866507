// What the typed client makes of a refusal by the service, and that a refused submission leaves nothing behind.
import { createSubmissionsClient, SubmissionError } from "@submissions/client";
import { expect, test } from "vitest";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { applicant } from "../../support/doors.ts";
import { failureOf } from "../../support/client/failure-of.ts";

const service = shared(() => startService());
const submissions = shared(() => createSubmissionsClient({ url: service().url }));

async function leftBehind(): Promise<unknown[]> {
  const { inquiries, applications, subscribers } = await service().stored();
  return [inquiries, applications, subscribers, await service().mails(), await service().files("resumes")].flat();
}

test("names every field that is wrong, in words for a person", async () => {
  const wrong = { name: "", email: "nobody", selectedPackageIds: ["de-AT", ""] };
  const error = await failureOf(submissions().marketplace.inquiry(wrong));
  expect(error).toBeInstanceOf(SubmissionError);
  expect(error).toMatchObject({
    name: "SubmissionError",
    message: "Please check the highlighted fields.",
    code: "BAD_REQUEST",
    status: 400,
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    retryAfterSeconds: undefined,
  });
  expect(error.issues).toHaveLength(3);
  const message = "Enter one e-mail address, like name@example.org.";
  expect(error.issue("email")).toEqual({ path: ["email"], message });
  expect(error.issue("name")?.message).toBe("This field is required.");
  expect(error.issue("selectedPackageIds")?.path).toEqual(["selectedPackageIds", 1]);
  expect(error.issue("selectedPackageIds", 1)).toBe(error.issue("selectedPackageIds"));
  expect(error.issue("selectedPackageIds", 0)).toBeUndefined();
  expect(error.issue("company")).toBeUndefined();
  expect(await leftBehind()).toEqual([]);
});

test("names the required fields of an application that holds nothing", async () => {
  const error = await failureOf(submissions().applications.submit({ fullName: " ", email: "", position: "" }));
  expect(error.issues.map(({ path }) => path)).toEqual([["fullName"], ["email"], ["position"]]);
});

test.each([
  ["over 5 MiB", new Blob([new Uint8Array(5 * 1024 * 1024 + 1)]), "PAYLOAD_TOO_LARGE", 413],
  ["that makes the form too large", new Blob([new Uint8Array(8 * 1024 * 1024)]), "PAYLOAD_TOO_LARGE", 413],
  ["of another kind", new File(["GIF89a"], "me.pdf", { type: "application/pdf" }), "UNSUPPORTED_MEDIA_TYPE", 415],
])("tells of a resume %s, at its field", async (_, resumeFile, code, status) => {
  const error = await failureOf(submissions().applications.submit({ ...applicant, resumeFile }));
  expect(error).toMatchObject({ code, status });
  expect(error.issue("resumeFile")?.message).toEqual(expect.any(String));
  expect(await leftBehind()).toEqual([]);
});

test("tells of an address that is not the service's", async () => {
  const elsewhere = createSubmissionsClient({ url: `${service().url}/elsewhere` });
  expect(await failureOf(elsewhere.newsletter.subscribe({ email: "a@example.org" }))).toMatchObject({
    code: "NOT_FOUND",
    status: 404,
    requestId: expect.any(String),
  });
});
