// The part of the storage port that knows who may use the console: operators, their sessions, and tokens for scripts. Of
// secrets only hashes are stored: SHA-256 in lower-case hexadecimal, argon2id (PHC string) for passwords. Every change is
// stored together with its entry in the audit log.
import type { OperatorRow, Role, TokenRow } from "@submissions/shared/console";
import type { Actor } from "./desk-store.ts";

export interface StoredOperator {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  /** argon2id, PHC string; null: signs in by OpenID Connect only, or has not accepted the invitation. */
  readonly password: string | null;
}

/** Whose sign-in by OpenID Connect it is. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** A session ends after this time without use. */
export const sessionIdleMs = 12 * 60 * 60 * 1000;

/** A use of a session or token is recorded at most this often. */
export const touchMs = 60 * 1000;

/** How long an invitation can be accepted. */
export const invitationMs = 7 * 24 * 60 * 60 * 1000;

export interface AccessStore {
  /**
   * Adds an operator who has to accept an invitation. One who exists gets a new invitation and the role; a password that
   * is set stays until the invitation is accepted. The tokens of an
   * operator who stops being an admin end. The last admin stays one: `last-admin`.
   */
  invite(
    operator: { readonly email: string; readonly role: Role; readonly invitationHash: string },
    actor: Actor,
  ): Promise<true | "last-admin">;

  /** The operator of an invitation that can be accepted now: known, not used and not expired. */
  findInvitation(invitationHash: string, now: number): Promise<StoredOperator | null>;

  /**
   * Sets the password of the operator who was invited, uses the invitation up and ends all sessions of the operator.
   * Null when it cannot be accepted (any more).
   */
  acceptInvitation(invitationHash: string, password: string, now: number): Promise<StoredOperator | null>;

  listOperators(): Promise<readonly OperatorRow[]>;

  findOperator(email: string): Promise<StoredOperator | null>;

  /** The operator whom a sign-in by OpenID Connect belongs to. */
  findOidcOperator(identity: OidcIdentity): Promise<StoredOperator | null>;

  /**
   * Binds a sign-in to an operator who has none, and uses an open invitation up. False when the operator does not exist
   * or is bound to another.
   */
  bindOidc(email: string, identity: OidcIdentity, actor: Actor): Promise<boolean>;

  /** Sets a new password and ends all sessions of the operator. False when there is no such operator. */
  setPassword(email: string, password: string, actor: Actor): Promise<boolean>;

  /**
   * False when there is no such operator. The last admin keeps the role: `last-admin`. Tokens that the operator made end
   * with the role of an admin.
   */
  setRole(email: string, role: Role, actor: Actor): Promise<boolean | "last-admin">;

  /** Removes an operator, all sessions and all tokens that the operator made. The last admin stays: `last-admin`. */
  removeOperator(email: string, actor: Actor): Promise<boolean | "last-admin">;

  /**
   * Signs an operator in, and forgets sessions that have ended. Stores no session when the operator was removed, or has
   * another password, since it was looked up: a new password ends all sessions, also one that is about to begin.
   */
  createSession(idHash: string, operator: Pick<StoredOperator, "id" | "password">, now: number): Promise<void>;

  /** The operator, as of now, of a session that has not ended. Records its use at most once in {@link touchMs}. */
  findSession(idHash: string, now: number): Promise<StoredOperator | null>;

  /** Signs out. */
  deleteSession(idHash: string, actor: Actor): Promise<void>;

  /** Signs an operator out everywhere. Answers how many sessions ended. */
  deleteSessions(operatorId: number, actor: Actor): Promise<number>;

  createToken(
    token: { readonly hash: string; readonly name: string; readonly role: Role; readonly expiresAt: number | null },
    actor: Actor,
  ): Promise<TokenRow>;

  /** A token that has not expired. Records its use at most once in {@link touchMs}. */
  findToken(hash: string, now: number): Promise<TokenRow | null>;

  listTokens(): Promise<readonly TokenRow[]>;

  /** False when there is no such token. */
  revokeToken(id: number, actor: Actor): Promise<boolean>;
}
