// What a role sees.
import { submissionKinds, type Me, type Role, type SubmissionKind } from "@submissions/shared/console";

/** The kinds of submissions that a role sees. */
export const kindsByRole = {
  admin: submissionKinds,
  sales: ["inquiry"],
  recruiting: ["application"],
  marketing: [],
} as const satisfies Record<Role, readonly SubmissionKind[]>;

export const seesSubmissions = ({ role }: Me): boolean => role !== "marketing";
export const seesSubscribers = ({ role }: Me): boolean => role === "admin" || role === "marketing";
export const isAdmin = ({ role }: Me): boolean => role === "admin";
