// Operators, sessions and tokens, on SQLite. Changes are jobs of the store's commit queue.
import type { OperatorRow, Role, TokenRow } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { type AccessStore, invitationMs, sessionIdleMs, type StoredOperator, touchMs } from "../access-store.ts";
import { listedOperatorColumns, operatorColumns, tokenColumns } from "../rules/access.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareAudit } from "./desk-changes.ts";
import type { RunJob } from "./jobs.ts";

function prepareStatements(connection: SqliteConnection) {
  const operators = `SELECT ${operatorColumns} FROM operator`;
  return {
    byKey: connection.prepare<[string], StoredOperator>(`${operators} WHERE email_key = ?`),
    byId: connection.prepare<[number], StoredOperator>(`${operators} WHERE id = ?`),
    byOidc: connection.prepare<[string, string], StoredOperator>(
      `${operators} WHERE oidc_issuer = ? AND oidc_subject = ?`,
    ),
    byInvitation: connection.prepare<[string, number], StoredOperator>(
      `${operators} WHERE invitation_hash = ? AND invitation_expires_at > ?`,
    ),
    all: connection.prepare<[], OperatorRow>(`SELECT ${listedOperatorColumns} FROM operator ORDER BY id`),
    invite: connection.prepare<[string, string, Role, string, number, number]>(`
      INSERT INTO operator (email, email_key, role, invitation_hash, invitation_expires_at, created_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (email_key) DO UPDATE SET role = excluded.role, invitation_hash = excluded.invitation_hash,
        invitation_expires_at = excluded.invitation_expires_at`),
    accept: connection.prepare<[string, string, number], StoredOperator>(`
      UPDATE operator SET password = ?, invitation_hash = NULL, invitation_expires_at = NULL
      WHERE invitation_hash = ? AND invitation_expires_at > ? RETURNING ${operatorColumns}`),
    setPassword: connection.prepare<[string, string], { id: number }>(`
      UPDATE operator SET password = ?, invitation_hash = NULL, invitation_expires_at = NULL
      WHERE email_key = ? RETURNING id`),
    bind: connection.prepare<[string, string, string]>(`
      UPDATE operator SET oidc_issuer = ?1, oidc_subject = ?2, invitation_hash = NULL, invitation_expires_at = NULL
      WHERE email_key = ?3 AND oidc_issuer IS NULL
        AND NOT EXISTS (SELECT 1 FROM operator AS other WHERE other.oidc_issuer = ?1 AND other.oidc_subject = ?2)`),
    setRole: connection.prepare<[Role, number]>("UPDATE operator SET role = ? WHERE id = ?"),
    otherAdmins: connection.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM operator WHERE role = 'admin' AND id <> ?",
    ),
    remove: connection.prepare<[number]>("DELETE FROM operator WHERE id = ?"),
    removeTokens: connection.prepare<[string]>("DELETE FROM api_token WHERE created_by = ?"),
    createSession: connection.prepare<[string, number, number]>(
      "INSERT INTO session (id_hash, operator, created_at, seen_at) VALUES (?1, ?2, ?3, ?3)",
    ),
    forgetSessions: connection.prepare<[number]>("DELETE FROM session WHERE seen_at <= ?"),
    session: connection.prepare<[string, number], StoredOperator & { seenAt: number }>(`
      SELECT ${operatorColumns}, session.seen_at AS seenAt FROM session
      JOIN operator ON operator.id = session.operator WHERE id_hash = ? AND seen_at > ?`),
    touchSession: connection.prepare<[number, string]>(
      "UPDATE session SET seen_at = ?1 WHERE id_hash = ?2 AND seen_at < ?1",
    ),
    deleteSession: connection.prepare<[string]>("DELETE FROM session WHERE id_hash = ?"),
    deleteSessions: connection.prepare<[number]>("DELETE FROM session WHERE operator = ?"),
    createToken: connection.prepare<[string, string, Role, string, number, number | null], TokenRow>(`
      INSERT INTO api_token (token_hash, name, role, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
      RETURNING ${tokenColumns}`),
    token: connection.prepare<[string, number], TokenRow>(
      `SELECT ${tokenColumns} FROM api_token WHERE token_hash = ? AND (expires_at IS NULL OR expires_at > ?)`,
    ),
    touchToken: connection.prepare<[number, number]>("UPDATE api_token SET used_at = ? WHERE id = ?"),
    tokens: connection.prepare<[], TokenRow>(`SELECT ${tokenColumns} FROM api_token ORDER BY id`),
    revoke: connection.prepare<[number], { name: string }>("DELETE FROM api_token WHERE id = ? RETURNING name"),
  };
}

export function makeAccess(connection: SqliteConnection, run: RunJob): AccessStore {
  const statements = prepareStatements(connection);
  const audit = prepareAudit(connection);

  function isLastAdmin({ id, role }: StoredOperator): boolean {
    return role === "admin" && (statements.otherAdmins.get(id)?.count ?? 0) === 0;
  }

  /** Gives the role, and ends the tokens of an operator who stops being an admin. False for the last admin, who stays one. */
  function giveRole(operator: StoredOperator, role: Role): boolean {
    if (role !== "admin" && isLastAdmin(operator)) return false;
    statements.setRole.run(role, operator.id);
    // Only admins make tokens.
    if (role !== "admin") statements.removeTokens.run(operator.email);
    return true;
  }

  return {
    invite: ({ email, role, invitationHash }, actor) =>
      run(() => {
        const known = statements.byKey.get(emailKey(email));
        if (known !== undefined && !giveRole(known, role)) return "last-admin";
        statements.invite.run(email, emailKey(email), role, invitationHash, actor.at + invitationMs, actor.at);
        audit({ action: "operator.invite", subject: emailKey(email), detail: { role } }, actor);
        return true;
      }),

    findInvitation: (invitationHash, now) =>
      retryWhileBusy(() => statements.byInvitation.get(invitationHash, now) ?? null),

    acceptInvitation: (invitationHash, password, now) =>
      run(() => {
        const operator = statements.accept.get(password, invitationHash, now);
        if (operator === undefined) return null;
        statements.deleteSessions.run(operator.id);
        const actor = { operator: operator.email, at: now };
        audit({ action: "operator.accept", subject: emailKey(operator.email) }, actor);
        return operator;
      }),

    listOperators: () => retryWhileBusy(() => statements.all.all()),

    findOperator: (email) => retryWhileBusy(() => statements.byKey.get(emailKey(email)) ?? null),

    findOidcOperator: ({ issuer, subject }) => retryWhileBusy(() => statements.byOidc.get(issuer, subject) ?? null),

    bindOidc: (email, { issuer, subject }, actor) =>
      run(() => {
        if (statements.bind.run(issuer, subject, emailKey(email)).changes === 0) return false;
        audit({ action: "operator.bind", subject: emailKey(email), detail: { issuer } }, actor);
        return true;
      }),

    setPassword: (email, password, actor) =>
      run(() => {
        const operator = statements.setPassword.get(password, emailKey(email));
        if (operator === undefined) return false;
        statements.deleteSessions.run(operator.id);
        audit({ action: "operator.password", subject: emailKey(email) }, actor);
        return true;
      }),

    setRole: (email, role, actor) =>
      run(() => {
        const operator = statements.byKey.get(emailKey(email));
        if (operator === undefined) return false;
        if (!giveRole(operator, role)) return "last-admin";
        const detail = { from: operator.role, to: role };
        audit({ action: "operator.role", subject: emailKey(email), detail }, actor);
        return true;
      }),

    removeOperator: (email, actor) =>
      run(() => {
        const operator = statements.byKey.get(emailKey(email));
        if (operator === undefined) return false;
        if (isLastAdmin(operator)) return "last-admin";
        // The sessions go with the operator.
        statements.remove.run(operator.id);
        statements.removeTokens.run(operator.email);
        audit({ action: "operator.remove", subject: emailKey(email) }, actor);
        return true;
      }),

    createSession: (idHash, { id, password }, now) =>
      run(() => {
        const operator = statements.byId.get(id);
        if (operator === undefined || operator.password !== password) return;
        statements.forgetSessions.run(now - sessionIdleMs);
        statements.createSession.run(idHash, id, now);
        const actor = { operator: operator.email, at: now };
        audit({ action: "sign-in", subject: emailKey(operator.email) }, actor);
      }),

    async findSession(idHash, now) {
      const operator = await retryWhileBusy(() => statements.session.get(idHash, now - sessionIdleMs));
      if (operator === undefined) return null;
      if (operator.seenAt <= now - touchMs) await run(() => void statements.touchSession.run(now, idHash));
      return operator;
    },

    deleteSession: (idHash, actor) =>
      run(() => {
        const { changes } = statements.deleteSession.run(idHash);
        if (changes === 1) audit({ action: "sign-out", subject: emailKey(actor.operator) }, actor);
      }),

    deleteSessions: (operatorId, actor) =>
      run(() => {
        const ended = Number(statements.deleteSessions.run(operatorId).changes);
        audit({ action: "sign-out.everywhere", subject: emailKey(actor.operator), detail: { ended } }, actor);
        return ended;
      }),

    createToken(token, actor) {
      const { hash, name, role, expiresAt } = token;
      return run(() => {
        const stored = statements.createToken.get(hash, name, role, actor.operator, actor.at, expiresAt);
        if (stored === undefined) throw new Error("The token was not stored.");
        audit({ action: "token.create", subject: name, detail: { token: stored.id, role, expiresAt } }, actor);
        return stored;
      });
    },

    async findToken(hash, now) {
      const token = await retryWhileBusy(() => statements.token.get(hash, now));
      if (token === undefined) return null;
      if (token.usedAt !== null && token.usedAt > now - touchMs) return token;
      await run(() => void statements.touchToken.run(now, token.id));
      return { ...token, usedAt: now };
    },

    listTokens: () => retryWhileBusy(() => statements.tokens.all()),

    revokeToken: (id, actor) =>
      run(() => {
        const revoked = statements.revoke.get(id);
        if (revoked === undefined) return false;
        audit({ action: "token.revoke", subject: revoked.name, detail: { token: id } }, actor);
        return true;
      }),
  };
}
