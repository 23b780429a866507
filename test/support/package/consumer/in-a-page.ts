// A page's program that has installed the package and is put together by a bundler. It is compiled, and never run.
import {
  createSubmissionsClient,
  SubmissionError,
  type Application,
  type InquiryReceipt,
  type UploadProgress,
} from "@submissions/client";

const submissions = createSubmissionsClient({ url: new URL("/", location.href), retry: { tries: 2 } });

export async function apply(form: HTMLFormElement, show: (progress: UploadProgress) => void): Promise<string> {
  const receipt = await submissions.applications.submit(new FormData(form), { onUploadProgress: show });
  return receipt.applicationId;
}

export async function inquire(email: string): Promise<InquiryReceipt | SubmissionError> {
  try {
    return await submissions.marketplace.inquiry({ name: "Ann", email, selectedPackageIds: ["de-AT"] });
  } catch (error) {
    if (error instanceof SubmissionError) return error;
    throw error;
  }
}

// What cannot be found silently becomes `any`, and would take all of these.
// @ts-expect-error a receipt has no such field
export const nothing = (receipt: InquiryReceipt): unknown => receipt.nothing;
// @ts-expect-error a text is no file
export const noFile: Application["resumeFile"] = "ana.pdf";
// @ts-expect-error the position is missing
export const incomplete: Application = { fullName: "Ana", email: "ana@example.org" };
// @ts-expect-error no such code
export const unknownCode: SubmissionError["code"] = "TEAPOT";
// @ts-expect-error one package is still a list
void submissions.marketplace.inquiry({ name: "Ann", email: "ann@example.org", selectedPackageIds: "de-AT" });
