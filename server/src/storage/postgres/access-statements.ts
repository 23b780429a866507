// Statements about operators, sessions and tokens.
import { type OperatorColumns, operatorColumns, tokenColumns } from "../rules/access.ts";
import type { StoredToken } from "../access-store.ts";
import type { Statement } from "./session.ts";

const operators = (name: string, condition: string): Statement<OperatorColumns> => ({
  name: `operator-${name}`,
  text: `SELECT ${operatorColumns} FROM operator ${condition}`,
});

const ofInvitation = "WHERE invitation_hash = $1 AND invitation_expires_at > $2";

export const byKey = operators("by-key", "WHERE email_key = $1");
export const lockByKey = operators("lock-by-key", "WHERE email_key = $1 FOR UPDATE");
export const lockById = operators("lock-by-id", "WHERE id = $1 FOR SHARE");
export const byOidc = operators("by-oidc", "WHERE oidc_issuer = $1 AND oidc_subject = $2");
export const byInvitation = operators("by-invitation", ofInvitation);
export const lockByInvitation = operators("lock-by-invitation", `${ofInvitation} FOR UPDATE`);
export const allOperators = operators("all", "ORDER BY id");

export const lockAdmins: Statement<{ id: number }> = {
  name: "lock-admins",
  text: "SELECT id FROM operator WHERE role = 'admin' ORDER BY id FOR UPDATE",
};

export const invite: Statement = {
  name: "invite",
  text: `
    INSERT INTO operator (email, email_key, role, invitation_hash, invitation_expires_at, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (email_key) DO UPDATE SET role = excluded.role, invitation_hash = excluded.invitation_hash,
      invitation_expires_at = excluded.invitation_expires_at`,
};

export const setPassword: Statement = {
  name: "set-password",
  text: "UPDATE operator SET password = $1, invitation_hash = NULL, invitation_expires_at = NULL WHERE id = $2",
};

export const bind: Statement = {
  name: "bind-oidc",
  text: `UPDATE operator SET oidc_issuer = $1, oidc_subject = $2, invitation_hash = NULL, invitation_expires_at = NULL
    WHERE id = $3`,
};

export const setRole: Statement = { name: "set-role", text: "UPDATE operator SET role = $1 WHERE id = $2" };

export const remove: Statement = { name: "remove-operator", text: "DELETE FROM operator WHERE id = $1" };

export const removeTokens: Statement = { name: "remove-tokens", text: "DELETE FROM api_token WHERE created_by = $1" };

export const createSession: Statement = {
  name: "create-session",
  text: "INSERT INTO session (id_hash, operator, created_at, seen_at) VALUES ($1, $2, $3, $3)",
};

export const forgetSessions: Statement = { name: "forget-sessions", text: "DELETE FROM session WHERE seen_at <= $1" };

export const findSession: Statement<OperatorColumns & { readonly startedAt: number; readonly seenAt: number }> = {
  name: "find-session",
  text: `SELECT ${operatorColumns}, session.created_at AS "startedAt", session.seen_at AS "seenAt"
    FROM session JOIN operator ON operator.id = session.operator WHERE id_hash = $1 AND seen_at > $2`,
};

export const touchSession: Statement = {
  name: "touch-session",
  text: "UPDATE session SET seen_at = $1 WHERE id_hash = $2 AND seen_at < $1",
};

export const deleteSession: Statement = { name: "delete-session", text: "DELETE FROM session WHERE id_hash = $1" };

export const deleteSessions: Statement = { name: "delete-sessions", text: "DELETE FROM session WHERE operator = $1" };

export const createToken: Statement<StoredToken> = {
  name: "create-token",
  text: `
    INSERT INTO api_token (token_hash, name, role, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING ${tokenColumns}`,
};

export const findToken: Statement<StoredToken> = {
  name: "find-token",
  text: `SELECT ${tokenColumns} FROM api_token WHERE token_hash = $1 AND (expires_at IS NULL OR expires_at > $2)`,
};

export const touchToken: Statement = { name: "touch-token", text: "UPDATE api_token SET used_at = $1 WHERE id = $2" };

export const allTokens: Statement<StoredToken> = {
  name: "all-tokens",
  text: `SELECT ${tokenColumns} FROM api_token ORDER BY id`,
};

export const revoke: Statement<{ name: string }> = {
  name: "revoke-token",
  text: "DELETE FROM api_token WHERE id = $1 RETURNING name",
};
