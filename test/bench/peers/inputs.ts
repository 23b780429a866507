// What the hand-written programs take, checked with zod.
import { z } from "zod";
import type { Submission } from "./peer-store.ts";

const text = (max: number) =>
  z
    .string()
    .transform((value) => value.normalize("NFC").trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(max)
        .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/),
    );

const email = z.email().max(254);

const inquiry = z.object({
  name: text(200),
  company: text(200).optional(),
  email,
  selectedPackageIds: z.array(text(100)).min(1).max(50),
});
const subscription = z.object({ email, source: text(64).optional() });
const application = z.object({ fullName: text(200), email, position: text(200) });

/** Null when the schema refuses it. */
export function readInquiry(body: unknown): Submission | null {
  const { data } = inquiry.safeParse(body);
  if (data === undefined) return null;
  return { kind: "inquiry", email: data.email, facts: inquiryFacts(data) };
}

export const inquiryFacts = (data: {
  readonly name: string;
  readonly company?: string | undefined;
  readonly email: string;
  readonly selectedPackageIds: readonly string[];
}): Submission["facts"] => [
  ["Name", data.name],
  ["Company", data.company ?? ""],
  ["E-mail", data.email],
  ...data.selectedPackageIds.map((id) => ["Package", id] as const),
];

/** Null when the schema refuses it. */
export function readSubscription(body: unknown): Submission | null {
  const { data } = subscription.safeParse(body);
  if (data === undefined) return null;
  return { kind: "subscription", email: data.email, facts: [["Source", data.source ?? ""]] };
}

/** Null when the schema refuses it. */
export function readApplication(fields: unknown, sha256: string): Submission | null {
  const { data } = application.safeParse(fields);
  if (data === undefined) return null;
  return { kind: "application", email: data.email, facts: applicationFacts(data, sha256) };
}

export const applicationFacts = (
  data: { readonly fullName: string; readonly position: string },
  sha256: string,
): Submission["facts"] => [
  ["Name", data.fullName],
  ["Position", data.position],
  ["SHA-256", sha256],
];
