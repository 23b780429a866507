// The part of the storage port that knows who may use the console. Of secrets only hashes are stored: SHA-256 in lower-case
// hexadecimal, argon2id (PHC string) for passwords. Every change is stored together with its entry in the audit log.
import type { OperatorRow, SessionRow, TokenRow } from "@submissions/shared/console";
import type { Role } from "@submissions/shared/roles";
import type { Actor } from "./desk-store.ts";

export interface StoredOperator extends Pick<OperatorRow, "email" | "role" | "name"> {
  readonly id: number;
  /** 1: is mailed when a submission is assigned by someone else. */
  readonly mailAssigned: 0 | 1;
  /** Until when the invitation can be accepted; null: there is none. */
  readonly invitationExpiresAt: number | null;
  /** Null: signs in by OpenID Connect only, or has not accepted the invitation. */
  readonly password: string | null;
  /** Of the second factor, in base 32 (RFC 6238); null: none is set. */
  readonly totpSecret: string | null;
}

export interface SessionOrigin extends Pick<SessionRow, "device" | "network"> {
  /** Whether a provider, a second factor or a sign-in link vouched for more than the password. */
  readonly isStrong: boolean;
}

export interface StoredSession extends StoredOperator, Pick<SessionOrigin, "isStrong"> {
  readonly begunAt: number;
}

export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export type OperatorChange =
  /**
   * Adds an operator. One who exists changes role; the password stays until the invitation is accepted. With the token
   * whose hash it is, the link is mailed to the operator too.
   */
  | { readonly role: Role; readonly invitationHash: string; readonly token?: string }
  /** With all sessions, and all tokens that the operator made. The last admin stays. */
  | { readonly removed: true }
  /** Ends all sessions and tokens of the operator. */
  | { readonly password: string }
  /** Tokens that the operator made end with the role of an admin. */
  | { readonly role: Role }
  /** Null takes it away. */
  | { readonly name: string | null }
  | { readonly mailAssigned: boolean }
  /** The hashes are of the codes that replace it once each. Null takes it away. */
  | { readonly secondFactor: { readonly secret: string; readonly recoveryHashes: readonly string[] } | null }
  /** A link that signs the operator in once, within {@link signInLinkMs}. An earlier one ends. */
  | { readonly signInLinkHash: string }
  /**
   * Binds a sign-in to an operator who has none, and uses an open invitation up. Refused when either is bound to another.
   * The caller has asked for the password or the invitation.
   */
  | { readonly oidc: OidcIdentity };

/** A session ends after this time without use, and where a clock that was so far ahead has begun it. */
export const sessionIdleMs = 12 * 60 * 60 * 1000;

/** A session ends after this time, used or not. */
export const sessionMs = 30 * 24 * 60 * 60 * 1000;
export const signInLinkMs = 15 * 60 * 1000;
/** A use of a session or token is recorded at most this often. */
export const touchMs = 60 * 1000;
export const invitationMs = 7 * 24 * 60 * 60 * 1000;

export interface AccessStore {
  /** Signs what browsers keep for this service. Random, drawn with the database. */
  readonly cookieKey: string;

  /** Ends all sessions and tokens of the operator. Without a name the one before stays. Null: the invitation does not work. */
  acceptInvitation(
    invitationHash: string,
    password: string,
    now: number,
    name?: string,
  ): Promise<StoredOperator | null>;

  listOperators(): Promise<readonly OperatorRow[]>;

  findOperator(email: string): Promise<StoredOperator | null>;

  /** Whose invitation it is; null when it is not open now. */
  findInvited(invitationHash: string, now: number): Promise<StoredOperator | null>;

  findBound(identity: OidcIdentity): Promise<StoredOperator | null>;

  /** False: there is none, or the change is refused. `last-admin`: the last admin would lose the role. */
  changeOperator(email: string, change: OperatorChange, actor: Actor): Promise<boolean | "last-admin">;

  /** Null: the link does not work (any more). */
  useSignInLink(linkHash: string, now: number): Promise<StoredOperator | null>;

  /** Each code works once, and none of an earlier time step after it (RFC 6238 5.2). False: it was used or is unknown. */
  useSecondFactor(
    operatorId: number,
    code: { readonly step: number } | { readonly recoveryHash: string },
    now: number,
  ): Promise<boolean>;

  /**
   * Stores no session when the operator was removed, or has another password, since it was looked up: a new password ends
   * all sessions, also one that is about to begin.
   */
  createSession(
    idHash: string,
    operator: Pick<StoredOperator, "id" | "password">,
    origin: SessionOrigin,
    now: number,
  ): Promise<void>;

  /**
   * The operator of a session that was used in the last {@link sessionIdleMs} and begun in the last {@link sessionMs}.
   * Records its use at most once in {@link touchMs}.
   * @param isUse false: it is only looked up. Absent: true
   */
  findSession(idHash: string, now: number, isUse?: boolean): Promise<StoredSession | null>;

  /** The open sessions of an operator, the one that was used last first. */
  listSessions(operatorId: number, now: number): Promise<readonly (SessionRow & { readonly idHash: string })[]>;

  /** One session; one of an operator, by the id that `listSessions` shows; or, with null, all of an operator, and the tokens where another one ends them. */
  endSessions(
    which: { readonly idHash: string } | { readonly operatorId: number; readonly id: string | null },
    actor: Actor,
  ): Promise<number>;

  createToken(
    token: { readonly hash: string; readonly name: string; readonly role: Role; readonly expiresAt: number | null },
    actor: Actor,
  ): Promise<TokenRow>;

  /** A token that has not expired. Records its use at most once in {@link touchMs}. */
  findToken(hash: string, now: number): Promise<TokenRow | null>;

  listTokens(): Promise<readonly TokenRow[]>;

  revokeToken(id: number, actor: Actor): Promise<boolean>;
}
