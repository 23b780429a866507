// Signs operators in: by password, code, invitation or link. Each way begins a session.
import type { Me } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { Config } from "../config/config.ts";
import { Fault, fieldInvalid } from "../fault.ts";
import { drawSecret, hashSecret } from "../secrets.ts";
import type { StoredOperator } from "../storage/access-store.ts";
import type { Store } from "../storage/store.ts";
import type { GatheredAudit } from "./gathered-audit.ts";
import { passwordProblem } from "./password-rules.ts";
import { Passwords } from "./password.ts";
import { readCode, stepOf } from "./second-factor.ts";
import { throttleSignIns } from "./throttle.ts";
import { deviceCookieOf, knownDevice, type Visitor } from "./visitor.ts";

/** Without `passwordsOn` operators sign in with OpenID Connect only. No password may be made of the brand. */
interface SignInOptions extends Pick<Config, "brand" | "passwordsOn">, Pick<Store, "access" | "clock"> {
  readonly gathered: Pick<GatheredAudit, "note">;
  readonly acted: (action: string) => void;
}

/** A session that has just begun: what the cookies of it and of the device hold, and whose it is. */
export interface NewSession {
  readonly id: string;
  readonly device: string;
  readonly operator: StoredOperator;
  /** Whether more than a password vouches for the operator. */
  readonly isStrong: boolean;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the second factor; undefined: none was typed. */
  readonly code?: string | undefined;
}

/** Who is signed in, and since when, in milliseconds since the epoch. */
type SignedIn = { readonly name: string; readonly begunAt: number };

/** Within this time of a sign-in its provider vouches for an operator who has no password. */
const freshMs = 10 * 60 * 1000;

const failedSignIn = "sign-in.failed";

export function openSignIns({ access, gathered, clock, brand, passwordsOn, acted }: SignInOptions) {
  const passwords = new Passwords();
  const throttle = throttleSignIns(clock);

  /** Begins a session. Its id is always new. */
  async function begin(operator: StoredOperator, visitor: Visitor, isStrong: boolean): Promise<NewSession> {
    const id = drawSecret();
    await access.createSession(hashSecret(id), operator, { ...visitor, isStrong }, clock.now());
    acted("sign-in");
    return { id, device: deviceCookieOf(access.cookieKey, operator.email), operator, isStrong };
  }

  /** Records a try that failed. @param operator of the address that was typed; null: there is none */
  function noteFailed(operator: StoredOperator | null, counted?: string): void {
    gathered.note(operator?.email ?? null, failedSignIn, "", counted);
    acted(failedSignIn);
  }

  /**
   * Answers the operator with this address, password and code. Null when the address or the password is wrong.
   * @param given what needs no proof: `code` where a session has given it already, `password` where a provider vouches
   * @throws Fault `fieldsInvalid` (the code), `signInThrottled`, `signInBusy`
   */
  async function verify({ email, password, code }: Credentials, visitor: Visitor, given?: "code" | "password") {
    const device = knownDevice(access.cookieKey, email, visitor.deviceCookie);
    const isKnown = device !== null || given === "code";
    const place = { holder: isKnown ? emailKey(email) : visitor.network, isKnown };
    let known: StoredOperator | null = null;
    let [isCodeMissing, isCodeWrong] = [false, false];
    const attempt = async (): Promise<StoredOperator | null> => {
      known = await access.findOperator(email);
      // The same work for unknown addresses, and for operators without a password.
      const isRight = given === "password" || (await passwords.verify(password, known?.password ?? null, place));
      if (!isRight || known === null) return null;
      if (given === "code" || known.totpSecret === null) return known;
      // No failure: the page asks for the code once the password was right.
      isCodeMissing = code === undefined || code.trim() === "";
      if (code === undefined || isCodeMissing) return known;
      isCodeWrong = !(await useCode(known, known.totpSecret, code));
      return isCodeWrong ? null : known;
    };
    try {
      const operator = await throttle({ client: visitor.client, typed: email, device }, attempt);
      if (operator === null) noteFailed(known);
      if (isCodeMissing) throw fieldInvalid("code", "Enter the code of your authenticator app.");
      if (isCodeWrong) throw fieldInvalid("code", "This code is wrong, or was used before.");
      return operator;
    } catch (error) {
      const isThrottled = error instanceof Fault && error.fault === "signInThrottled";
      if (isThrottled) noteFailed(await access.findOperator(email), "throttled");
      throw error;
    }
  }

  async function useCode(operator: StoredOperator, secret: string, typed: string): Promise<boolean> {
    const read = readCode(typed);
    if (read === null) return false;
    const now = clock.now();
    if (read.kind === "recovery") {
      return access.useSecondFactor(operator.id, { recoveryHash: hashSecret(read.code) }, now);
    }
    const step = await stepOf(secret, read.code, now);
    return step !== null && access.useSecondFactor(operator.id, { step }, now);
  }

  /** Asks who is signed in for the password. @throws Fault `fieldsInvalid` (the field), `signInThrottled`, `signInBusy` */
  async function confirm(email: string, password: string, field: string, visitor: Visitor): Promise<StoredOperator> {
    const operator = await verify({ email, password }, visitor, "code");
    if (operator === null) throw fieldInvalid(field, "This is not your current password.");
    return operator;
  }

  function hashNew(password: string, email: string): Promise<string> {
    const problem = passwordProblem(password, [email, brand]);
    if (problem !== null) throw fieldInvalid("password", problem);
    return passwords.hash(password, { holder: emailKey(email), isKnown: true });
  }

  function requirePasswords(): void {
    if (!passwordsOn) throw new Fault("passwordsOff");
  }

  /** The operator whom a token in a link belongs to. @throws Fault `invitationInvalid`, `signInThrottled` */
  async function operatorOfLink(
    { client }: Visitor,
    find: () => Promise<StoredOperator | null>,
  ): Promise<StoredOperator> {
    const operator = await find();
    if (operator !== null) return operator;
    // Only wrong links are throttled. A right one cannot be guessed, and is the way in where passwords are throttled.
    await throttle({ client, typed: null, device: null }, async () => null);
    throw new Fault("invitationInvalid");
  }

  /** Whose account an invitation opens. @throws Fault `invitationInvalid`, `signInThrottled` */
  const invited = (token: string, visitor: Visitor) =>
    operatorOfLink(visitor, () => access.findInvited(hashSecret(token), clock.now()));

  async function verifyAndBegin(credentials: Credentials, visitor: Visitor, given?: "password"): Promise<NewSession> {
    const operator = await verify(credentials, visitor, given);
    if (operator !== null) return begin(operator, visitor, operator.totpSecret !== null);
    throw new Fault("signInFailed");
  }

  /** Whether an operator can be asked for a password. */
  const hasPassword = ({ password }: StoredOperator): boolean => passwordsOn && password !== null;

  return {
    begin,
    hasPassword,
    invited,

    /**
     * Asks who is signed in for the password, or else for a sign-in of the last minutes.
     * @throws Fault `fieldsInvalid` (the password), `signInThrottled`, `signInBusy`
     */
    async confirmOwner({ name, begunAt }: SignedIn, password: string, visitor: Visitor): Promise<StoredOperator> {
      const operator = await access.findOperator(name);
      if (operator === null || hasPassword(operator)) return confirm(name, password, "password", visitor);
      if (begunAt > clock.now() - freshMs) return operator;
      throw fieldInvalid("password", "Please sign out and in again first. You then have ten minutes for this.");
    },

    /** @throws Fault `signInFailed`, `fieldsInvalid` (the code), `signInThrottled`, `signInBusy`, `passwordsOff` */
    async withPassword(credentials: Credentials, visitor: Visitor): Promise<NewSession> {
      requirePasswords();
      return verifyAndBegin(credentials, visitor);
    },

    /** Signs in an operator whom a provider vouches for. @throws Fault `signInFailed`, `fieldsInvalid` (the code), `signInThrottled` */
    withCode: ({ email }: StoredOperator, code: string, visitor: Visitor): Promise<NewSession> =>
      verifyAndBegin({ email, password: "", code }, visitor, "password"),

    /**
     * Sets the password and the display name of the operator who was invited, and signs in. Null: the operator has a second
     * factor, which the sign-in asks for.
     * @throws Fault `invitationInvalid`, `fieldsInvalid` (the password), `signInThrottled`, `signInBusy`, `passwordsOff`
     */
    async withInvitation(
      { token, password, name }: { token: string; password: string; name?: string },
      visitor: Visitor,
    ): Promise<NewSession | null> {
      requirePasswords();
      const { email } = await invited(token, visitor);
      const hashed = await hashNew(password, email);
      const operator = await access.acceptInvitation(hashSecret(token), hashed, clock.now(), name);
      if (operator === null) throw new Fault("invitationInvalid");
      return operator.totpSecret === null ? begin(operator, visitor, false) : null;
    },

    /** Signs in with a link that the command line made. @throws Fault `invitationInvalid`, `signInThrottled` */
    async withLink(token: string, visitor: Visitor): Promise<NewSession> {
      return begin(
        await operatorOfLink(visitor, () => access.useSignInLink(hashSecret(token), clock.now())),
        visitor,
        true,
      );
    },

    /**
     * Sets another password, which ends all sessions and tokens, and begins a new session.
     * @throws Fault `fieldsInvalid` (either password), `signInThrottled`, `signInBusy`, `signedOut`
     */
    async withNewPassword(
      { name: email, isStrong }: { readonly name: string; readonly isStrong: boolean },
      { current, password }: { readonly current: string; readonly password: string },
      visitor: Visitor,
    ): Promise<NewSession> {
      const operator = await confirm(email, current, "current", visitor);
      const hash = await hashNew(password, email);
      const actor = { operator: operator.email, at: clock.now() };
      // Removed meanwhile.
      if (!(await access.changeOperator(operator.email, { password: hash }, actor))) throw new Fault("signedOut");
      return begin({ ...operator, password: hash }, visitor, isStrong);
    },
  };
}

export const meOf = ({ email, role }: Pick<StoredOperator, "email" | "role">, mustSetSecondFactor: boolean): Me => ({
  email,
  role,
  ...(mustSetSecondFactor && { mustSetSecondFactor }),
});
