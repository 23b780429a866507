// Who may do what. Every procedure and every download has a rule; one without a rule fails at the start.
import { kindsOf, stagedKinds, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { roles, type Role } from "@submissions/shared/roles";
import { Fault } from "../fault.ts";
import type { Scope } from "../storage/desk-store.ts";
import type { Caller } from "./caller.ts";
import type { Console } from "./console.ts";

/** `anyone`: also without a session, but never with a token. */
export type Rule = "anyone" | RoleRule;

export interface RoleRule {
  readonly roles: readonly Role[];
  /** Whether it changes something or belongs to the session. Tokens only read. */
  readonly changes: boolean;
  /** Whether it works before a second factor is set that is required. */
  readonly beforeFactor?: true;
}

export const everyRole: readonly Role[] = roles;

export const rolesOf = (kinds: readonly SubmissionKind[]): readonly Role[] =>
  roles.filter((role) => kindsOf(role).some((kind) => kinds.includes(kind)));

export const submissionRoles: readonly Role[] = rolesOf(submissionKinds);
export const stagedRoles: readonly Role[] = rolesOf(stagedKinds);
export const subscriberRoles: readonly Role[] = ["admin", "marketing"];

export const scopeOf = (role: Role): Scope => ({
  kinds: kindsOf(role),
  subscribers: subscriberRoles.includes(role),
});

/** Who may go on. @throws Fault `signedOut`, `tokenReadsOnly`, `secondFactorRequired`; `notFound`: the role may not see it */
export function admit(caller: Caller | null, rule: RoleRule): Caller {
  if (caller === null) throw new Fault("signedOut");
  if (caller.kind === "operator" && caller.mustSetSecondFactor && rule.beforeFactor !== true) {
    throw new Fault("secondFactorRequired");
  }
  if (!rule.roles.includes(caller.role)) throw new Fault("notFound");
  if (rule.changes && caller.kind === "token") throw new Fault("tokenReadsOnly");
  return caller;
}

/** What the audit log calls that which does not exist: its name is a stranger's text. */
export const unknownCall = "unknown";

/** Notes in the audit log whose call was refused, and why. Calls of strangers are counted by address instead. */
export function noteRefusal(
  { gathered }: Pick<Console, "gathered">,
  caller: Caller | null,
  call: string,
  error: unknown,
): void {
  if (caller !== null && error instanceof Fault) gathered.note(caller.name, "refused", call, error.fault);
}
