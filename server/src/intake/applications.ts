// What happens when someone applies: the resume is judged by its bytes and kept, then one commit, then the mails. A
// refused or failed application leaves no file.
import type { ApplicationInput, ApplicationReceipt } from "@submissions/shared/applications";
import { resumeField } from "@submissions/shared/applications";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import { composeApplicationMails } from "../mail/compose.ts";
import { inspectResume } from "../resumes/inspect.ts";
import { StagedUpload } from "../resumes/staged-upload.ts";
import type { NewMail, OriginRecord, ResumeRecord } from "../storage/records.ts";
import { withFreshReference } from "./draw-reference.ts";

export async function acceptApplication(
  deps: Deps,
  input: ApplicationInput,
  origin: OriginRecord,
): Promise<ApplicationReceipt> {
  const resume = await keepResume(deps, input.resumeFile);
  try {
    return await storeApplication(deps, input, resume, origin);
  } catch (error) {
    if (resume !== null) await deps.vault.discard(resume.key);
    throw error;
  }
}

async function keepResume(deps: Deps, file: File | undefined): Promise<ResumeRecord | null> {
  if (file === undefined) return null;
  if (!(file instanceof StagedUpload)) throw new TypeError("A resume reaches the intake as a staged upload.");
  const inspection = await inspectResume(file.staged.path, file.name);
  if (!inspection.accepted) {
    throw new Fault("resumeKindUnsupported", {
      issues: [{ path: [resumeField], message: inspection.message }],
    });
  }
  return {
    key: await deps.vault.keep(file.staged),
    filename: inspection.filename,
    kind: inspection.kind,
    size: file.staged.size,
    sha256: file.staged.sha256,
  };
}

async function storeApplication(
  deps: Deps,
  input: ApplicationInput,
  resume: ResumeRecord | null,
  origin: OriginRecord,
): Promise<ApplicationReceipt> {
  const receivedAt = deps.clock.now();
  let mails: NewMail[] = [];
  const reference = await withFreshReference(deps.store, "APP", receivedAt, (candidate) => {
    const application = {
      reference: candidate,
      fullName: input.fullName,
      email: input.email,
      position: input.position,
      phone: input.phone ?? null,
      company: input.company ?? null,
      availability: input.availability ?? null,
      accent: input.accent ?? null,
      portfolioUrl: input.portfolioUrl ?? null,
      resumeUrl: input.resumeUrl ?? null,
      coverLetter: input.coverLetter ?? null,
      resume,
      receivedAt,
      origin,
    };
    mails = composeApplicationMails(application, deps.mail);
    return deps.store.acceptApplication(application, mails, deps.outbox.lease(receivedAt));
  });
  return {
    message: "Thank you. We have your application and will answer by e-mail.",
    applicationId: reference,
    confirmationEmailSent: await deps.outbox.deliverNow(mails, receivedAt),
  };
}
