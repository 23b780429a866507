// Operators, sessions and tokens as rows.
import type { OperatorRow, TokenRow } from "@submissions/shared/console";
import { sessionIdleMs, type StoredOperator, type StoredToken, touchMs } from "../access-store.ts";

export type OperatorColumns = Omit<StoredOperator, "oidc"> & {
  readonly issuer: string | null;
  readonly subject: string | null;
};

/** Quoted names keep their case on both engines. */
export const operatorColumns = `operator.id, operator.email, operator.role, operator.password,
  operator.created_at AS "createdAt", operator.oidc_issuer AS issuer, operator.oidc_subject AS subject`;

export function storedOperator(row: OperatorColumns): StoredOperator {
  const { id, email, role, password, createdAt, issuer, subject } = row;
  const oidc = issuer === null || subject === null ? null : { issuer, subject };
  return { id, email, role, password, createdAt, oidc };
}

export const operatorOf = (row: OperatorColumns | undefined): StoredOperator | null =>
  row === undefined ? null : storedOperator(row);

export const operatorRow = ({ email, role, password, createdAt, issuer }: OperatorColumns): OperatorRow => ({
  email,
  role,
  createdAt,
  state: password === null && issuer === null ? "invited" : "active",
});

export const tokenColumns = `id, name, role, created_by AS "createdBy", created_at AS "createdAt",
  expires_at AS "expiresAt", used_at AS "usedAt"`;

export function tokenRow({ id, name, role, createdAt, expiresAt, usedAt }: StoredToken): TokenRow {
  return { id, name, role, createdAt, expiresAt, usedAt };
}

/** Sessions that were last used at or before this have ended. */
export const endedBefore = (now: number): number => now - sessionIdleMs;

/** Uses at or before this are recorded anew. */
export const touchedBefore = (now: number): number => now - touchMs;
