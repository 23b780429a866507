// Signs operators in and out, and lets the invited set their passwords.
import type { Me } from "@submissions/shared/console";
import type { Clock } from "../clock.ts";
import { Fault } from "../fault.ts";
import type { AccessStore, StoredOperator } from "../storage/access-store.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import { passwordProblem } from "./password-rules.ts";
import type { Passwords } from "./password.ts";
import { drawSecret, hashSecret } from "./secrets.ts";
import type { SignInThrottle } from "./throttle.ts";

interface SignInOptions {
  readonly access: AccessStore;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
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

export class SignIns {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /**
   * @param client key of the client address
   * @throws Fault `signInFailed`, `signInThrottled`, `signInBusy`
   */
  async withPassword(email: string, password: string, client: string): Promise<NewSession> {
    const { access, passwords, throttle, failures, acted } = this.#options;
    let known: StoredOperator | null = null;
    const operator = await throttle.attempt(client, email, async () => {
      known = await access.findOperator(email);
      // The same work for unknown addresses, and for operators without a password.
      return (await passwords.verify(password, known?.password ?? null)) ? known : null;
    });
    if (operator !== null) return this.begin(operator);
    failures.note((known as StoredOperator | null)?.email ?? null);
    acted("sign-in.failed");
    throw new Fault("signInFailed");
  }

  /**
   * Sets the password of the operator who was invited, and signs in.
   *
   * @throws Fault `invitationInvalid`, `fieldsInvalid` (the password), `signInThrottled`, `signInBusy`
   */
  async withInvitation(token: string, password: string, client: string): Promise<NewSession> {
    const { access, throttle, passwords, clock, brand } = this.#options;
    const hash = hashSecret(token);
    const invited = await throttle.attempt(client, null, () => access.findInvitation(hash, clock.now()));
    if (invited === null) throw new Fault("invitationInvalid");
    refuseWeak(password, [invited.email, brand]);
    const operator = await access.acceptInvitation(hash, await passwords.hash(password), clock.now());
    if (operator === null) throw new Fault("invitationInvalid");
    return this.begin(operator);
  }

  /**
   * Sets another password, which ends all sessions, and begins a new one.
   *
   * @param client key of the client address
   * @throws Fault `fieldsInvalid` (either password), `signInThrottled`, `signInBusy`, `signedOut`
   */
  async withNewPassword(email: string, current: string, password: string, client: string): Promise<NewSession> {
    const { access, passwords, throttle, failures, clock, brand } = this.#options;
    refuseWeak(password, [email, brand]);
    // Counted like a sign-in: otherwise a page that was left open would let anyone try passwords.
    const operator = await throttle.attempt(client, email, async () => {
      const known = await access.findOperator(email);
      return (await passwords.verify(current, known?.password ?? null)) ? known : null;
    });
    if (operator === null) {
      failures.note(email);
      throw wrong("current", "This is not your current password.");
    }
    const hash = await passwords.hash(password);
    const actor = { operator: operator.email, at: clock.now() };
    // Removed meanwhile.
    if (!(await access.setPassword(operator.email, hash, actor))) throw new Fault("signedOut");
    return this.begin({ ...operator, password: hash });
  }

  /** Begins a session. Its id is always new. */
  async begin(operator: StoredOperator): Promise<NewSession> {
    const { access, clock, acted } = this.#options;
    const id = drawSecret();
    await access.createSession(hashSecret(id), operator, clock.now());
    acted("sign-in");
    return { id, me: { email: operator.email, role: operator.role } };
  }
}

const wrong = (field: string, message: string): Fault =>
  new Fault("fieldsInvalid", { issues: [{ path: [field], message }] });

function refuseWeak(password: string, names: readonly string[]): void {
  const problem = passwordProblem(password, names);
  if (problem !== null) throw wrong("password", problem);
}
