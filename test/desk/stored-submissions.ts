// Fills a store as the service would, for commands to look at.
import { createHash, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApplicationRecord, InquiryRecord, NewMail, ResumeRecord } from "../../server/src/storage/records.ts";
import type { Lease } from "../../server/src/storage/store.ts";
import type { Vault } from "../../server/src/resumes/vault.ts";

export const day = Date.UTC(2026, 10, 21);
export const lease: Lease = { owner: "test", until: day + 60_000 };

export function inquiry(number: number, more: Partial<InquiryRecord> = {}): InquiryRecord {
  return {
    reference: `INQ-20261121-${String(number).padStart(6, "0")}`,
    receivedAt: day + number,
    origin: { door: "rest", requestId: "r-1" },
    name: "Ann Buyer",
    company: null,
    email: "ann@example.org",
    selectedPackageIds: ["de-AT"],
    ...more,
  };
}

export function application(number: number, more: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    reference: `APP-20261121-${String(number).padStart(6, "0")}`,
    receivedAt: day + number,
    origin: { door: "rest", requestId: "r-1" },
    fullName: "Ana Souza",
    email: "ana@example.org",
    position: "Annotator",
    phone: null,
    company: null,
    availability: null,
    accent: null,
    portfolioUrl: null,
    resumeUrl: null,
    coverLetter: null,
    resume: null,
    ...more,
  };
}

export function mail(reference: string): NewMail {
  return {
    id: randomUUID(),
    kind: "inquiry-receipt",
    reference,
    content: { to: ["ann@example.org"], subject: "Thanks", text: "x", html: "<p>x", replyTo: null, headers: {} },
  };
}

/** Keeps bytes in the vault as an upload would. */
export async function keepResume(vault: Vault, bytes: Uint8Array): Promise<ResumeRecord> {
  const path = join(vault.stagingFolder, randomUUID());
  await writeFile(path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const key = await vault.keep({ path, size: bytes.length, sha256 });
  return { key, filename: "cv.pdf", kind: "pdf", size: bytes.length, sha256 };
}
