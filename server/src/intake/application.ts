// What happens when someone applies: the resume is judged by its bytes and kept, then one commit, then the mails. A
// refused or failed application leaves no file.
import type { ApplicationInput, ApplicationReceipt } from "@submissions/shared/application";
import { resumeField } from "@submissions/shared/application";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import { composeApplicationMails } from "../mail/compose.ts";
import { inspectResume } from "../resumes/inspect.ts";
import { StagedUpload } from "../resumes/staged-upload.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import type { NewMail, ResumeRecord } from "../storage/records.ts";
import { StorageUnavailable } from "../storage/store.ts";
import { answerOnce, type Circumstances, isUsed, type Used } from "./answer-once.ts";
import type { Call } from "./call.ts";
import { deliverStored } from "./deliver-stored.ts";
import { withFreshReference } from "./draw-reference.ts";
import { bornAs, wasTrapped } from "./screening.ts";

export function acceptApplication(deps: Deps, input: ApplicationInput, call: Call): Promise<ApplicationReceipt> {
  const receivedAt = deps.clock.now();
  return answerOnce(deps, call, {
    procedure: "applications.submit",
    input,
    receivedAt,
    replay: async ({ reference, receiptSent }) =>
      receiptOf(reference ?? "", receiptSent || (await wasTrapped(deps.store, reference ?? ""))),
    accept: async (once) => {
      const resume = await keepResume(deps, input.resumeFile);
      let maybeStored = false;
      try {
        const receipt = await storeApplication(deps, input, { call, receivedAt, ...once, resume });
        maybeStored = !isUsed(receipt);
        return receipt;
      } catch (error) {
        // Then the application has its file, if it is there; a file that has none is swept.
        maybeStored = error instanceof StorageUnavailable && error.outcome === "unknown";
        throw error;
      } finally {
        if (resume !== null && !maybeStored) await takeBack(deps, resume.key);
      }
    },
  });
}

async function keepResume(deps: Deps, file: File | undefined): Promise<ResumeRecord | null> {
  if (file === undefined) return null;
  if (!(file instanceof StagedUpload)) throw new TypeError("A resume reaches the intake as a staged upload.");
  const inspection = await inspectResume(file.staged.path, file.name).catch(asUnavailable);
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

// What the system says of a staged file (unreadable, gone) is about our storage, not about a mistake.
function asUnavailable(error: unknown): never {
  const ofTheSystem = error instanceof Error && "syscall" in error;
  throw ofTheSystem ? new VaultUnavailable("The staging folder cannot be used.", { cause: error }) : error;
}

// A file that cannot be taken back now has no application, and is swept. The caller gets the answer that is due.
async function takeBack(deps: Deps, key: string): Promise<void> {
  await deps.vault.discard(key).catch((error: unknown) => {
    if (!(error instanceof VaultUnavailable)) throw error;
  });
}

async function storeApplication(
  deps: Deps,
  input: ApplicationInput,
  { call, receivedAt, idempotency, challenge, resume }: Circumstances & { readonly resume: ResumeRecord | null },
): Promise<ApplicationReceipt | Used> {
  let mails: NewMail[] = [];
  const accepted = await withFreshReference(deps.store, "APP", receivedAt, (reference) => {
    const application = {
      reference,
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
      origin: call.origin,
      emailDisposable: deps.isDisposable(input.email),
      ...bornAs(call),
    };
    mails = call.trapped ? [] : composeApplicationMails(application, deps.mail);
    return deps.store.acceptApplication(application, mails, deps.outbox.lease(receivedAt), idempotency, challenge);
  });
  if (accepted.result !== "accepted") return accepted.result;
  const delivered = await deliverStored(deps, mails, accepted, receivedAt);
  return receiptOf(accepted.reference, delivered);
}

const receiptOf = (applicationId: string, confirmationEmailSent: boolean): ApplicationReceipt => ({
  message: "Thank you. We have your application and will answer by e-mail.",
  applicationId,
  confirmationEmailSent,
});
