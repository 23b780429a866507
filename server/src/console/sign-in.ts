// Signs operators in and out, and lets the invited set their passwords.
import type { Me } from "@submissions/shared/console";
import type { Clock } from "../clock.ts";
import { Fault, fieldInvalid } from "../fault.ts";
import { drawSecret, hashSecret } from "../secrets.ts";
import type { AccessStore, StoredOperator } from "../storage/access-store.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import { passwordProblem } from "./password-rules.ts";
import { Passwords } from "./password.ts";
import { SignInThrottle } from "./throttle.ts";

interface SignInOptions {
  readonly access: AccessStore;
  readonly failures: Pick<FailedSignIns, "note">;
  readonly clock: Clock;
  /** The product's name. No password may be made of it. */
  readonly brand: string;
  readonly acted: (action: string) => void;
}

/** A session that has just begun. */
export interface NewSession {
  /** For the cookie. */
  readonly id: string;
  readonly me: Me;
}

export function openSignIns({ access, failures, clock, brand, acted }: SignInOptions) {
  const passwords = new Passwords();
  const throttle = new SignInThrottle(clock);

  /** Begins a session. Its id is always new. */
  async function begin(operator: StoredOperator): Promise<NewSession> {
    const id = drawSecret();
    await access.createSession(hashSecret(id), operator, clock.now());
    acted("sign-in");
    return { id, me: { email: operator.email, role: operator.role } };
  }

  /** Answers the operator with this address and password. Null when one of them is wrong; the attempt is then recorded. */
  async function verify(email: string, password: string, client: string): Promise<StoredOperator | null> {
    let known: StoredOperator | null = null;
    const operator = await throttle.attempt(client, email, async () => {
      known = await access.findOperator(email);
      // The same work for unknown addresses, and for operators without a password.
      return (await passwords.verify(password, known?.password ?? null)) ? known : null;
    });
    if (operator === null) failures.note((known as StoredOperator | null)?.email ?? null);
    return operator;
  }

  return {
    begin,

    /**
     * @param client key of the client address
     * @throws Fault `signInFailed`, `signInThrottled`, `signInBusy`
     */
    async withPassword(email: string, password: string, client: string): Promise<NewSession> {
      const operator = await verify(email, password, client);
      if (operator !== null) return begin(operator);
      acted("sign-in.failed");
      throw new Fault("signInFailed");
    },

    /**
     * Sets the password of the operator who was invited, and signs in.
     *
     * @throws Fault `invitationInvalid`, `fieldsInvalid` (the password), `signInThrottled`, `signInBusy`
     */
    async withInvitation(token: string, password: string, client: string): Promise<NewSession> {
      const hash = hashSecret(token);
      const invited = await throttle.attempt(client, null, () => access.findInvitation(hash, clock.now()));
      if (invited === null) throw new Fault("invitationInvalid");
      refuseWeak(password, [invited.email, brand]);
      const operator = await access.acceptInvitation(hash, await passwords.hash(password), clock.now());
      if (operator === null) throw new Fault("invitationInvalid");
      return begin(operator);
    },

    /**
     * Sets another password, which ends all sessions, and begins a new one.
     *
     * @param client key of the client address
     * @throws Fault `fieldsInvalid` (either password), `signInThrottled`, `signInBusy`, `signedOut`
     */
    async withNewPassword(email: string, current: string, password: string, client: string): Promise<NewSession> {
      // Counted like a sign-in: otherwise a page that was left open would let anyone try passwords.
      const operator = await verify(email, current, client);
      if (operator === null) throw fieldInvalid("current", "This is not your current password.");
      refuseWeak(password, [email, brand]);
      const hash = await passwords.hash(password);
      const actor = { operator: operator.email, at: clock.now() };
      // Removed meanwhile.
      if (!(await access.setPassword(operator.email, hash, actor))) throw new Fault("signedOut");
      return begin({ ...operator, password: hash });
    },
  };
}

function refuseWeak(password: string, names: readonly string[]): void {
  const problem = passwordProblem(password, names);
  if (problem !== null) throw fieldInvalid("password", problem);
}
