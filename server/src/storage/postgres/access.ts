// Operators, sessions and tokens, on PostgreSQL.
import type { OperatorRow, Role, TokenRow } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { type AccessStore, invitationMs, sessionIdleMs, type StoredOperator, touchMs } from "../access-store.ts";
import { listedOperatorColumns, operatorColumns, tokenColumns } from "../rules/access.ts";
import type { Connections } from "./connections.ts";
import { auditWithin } from "./desk-changes.ts";
import type { Session } from "./session.ts";
import { prepared, type Statement } from "./statement.ts";

const operators = (condition: string) =>
  prepared<StoredOperator>(`SELECT ${operatorColumns} FROM operator ${condition}`);
const byKey = operators("WHERE email_key = $1");
const lockByKey = operators("WHERE email_key = $1 FOR UPDATE");
const lockById = operators("WHERE id = $1 FOR SHARE");
const byOidc = operators("WHERE oidc_issuer = $1 AND oidc_subject = $2");
const byInvitation = operators("WHERE invitation_hash = $1 AND invitation_expires_at > $2");
const allOperators = prepared<OperatorRow>(`SELECT ${listedOperatorColumns} FROM operator ORDER BY id`);
const lockAdmins = prepared<{ id: number }>("SELECT id FROM operator WHERE role = 'admin' ORDER BY id FOR UPDATE");
// Two may invite the same new address at once. Neither found a row to lock, so the second changes the role here.
const invite = prepared(`
  INSERT INTO operator (email, email_key, role, invitation_hash, invitation_expires_at, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (email_key) DO UPDATE SET role = excluded.role, invitation_hash = excluded.invitation_hash,
    invitation_expires_at = excluded.invitation_expires_at`);
const accept = prepared<StoredOperator>(`
  UPDATE operator SET password = $1, invitation_hash = NULL, invitation_expires_at = NULL
  WHERE invitation_hash = $2 AND invitation_expires_at > $3 RETURNING ${operatorColumns}`);
const setPassword = prepared<{ id: number }>(`
  UPDATE operator SET password = $1, invitation_hash = NULL, invitation_expires_at = NULL
  WHERE email_key = $2 RETURNING id`);
const bind = prepared(`
  UPDATE operator SET oidc_issuer = $1, oidc_subject = $2, invitation_hash = NULL, invitation_expires_at = NULL
  WHERE email_key = $3 AND oidc_issuer IS NULL
    AND NOT EXISTS (SELECT FROM operator AS other WHERE other.oidc_issuer = $1 AND other.oidc_subject = $2)`);
const setRole = prepared("UPDATE operator SET role = $1 WHERE id = $2");
const remove = prepared("DELETE FROM operator WHERE id = $1");
const removeTokens = prepared("DELETE FROM api_token WHERE created_by = $1");

const createSession = prepared("INSERT INTO session (id_hash, operator, created_at, seen_at) VALUES ($1, $2, $3, $3)");
const forgetSessions = prepared("DELETE FROM session WHERE seen_at <= $1");
const findSession = prepared<StoredOperator & { readonly seenAt: number }>(`
  SELECT ${operatorColumns}, session.seen_at AS "seenAt" FROM session
  JOIN operator ON operator.id = session.operator WHERE id_hash = $1 AND seen_at > $2`);
const touchSession = prepared("UPDATE session SET seen_at = $1 WHERE id_hash = $2 AND seen_at < $1");
const deleteSession = prepared("DELETE FROM session WHERE id_hash = $1");
const deleteSessions = prepared("DELETE FROM session WHERE operator = $1");

const createToken = prepared<TokenRow>(`
  INSERT INTO api_token (token_hash, name, role, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING ${tokenColumns}`);
const findToken = prepared<TokenRow>(
  `SELECT ${tokenColumns} FROM api_token WHERE token_hash = $1 AND (expires_at IS NULL OR expires_at > $2)`,
);
const touchToken = prepared("UPDATE api_token SET used_at = $1 WHERE id = $2");
const allTokens = prepared<TokenRow>(`SELECT ${tokenColumns} FROM api_token ORDER BY id`);
const revoke = prepared<{ name: string }>("DELETE FROM api_token WHERE id = $1 RETURNING name");

export function makeAccess(connections: Connections): AccessStore {
  const first = async <Row>(one: Statement<Row>, values: readonly unknown[]): Promise<Row | null> =>
    (await connections.all(one, values))[0] ?? null;

  return {
    invite({ email, role, invitationHash }, actor) {
      const key = emailKey(email);
      return connections.transaction(async (session) => {
        const [known] = await session.all(lockByKey, [key]);
        if (known !== undefined && !(await giveRole(session, known, role))) return "last-admin";
        await session.run(invite, [email, key, role, invitationHash, actor.at + invitationMs, actor.at]);
        await auditWithin(session, [{ action: "operator.invite", subject: key, detail: { role } }], actor);
        return true;
      });
    },

    findInvitation: (invitationHash, now) => first(byInvitation, [invitationHash, now]),

    acceptInvitation: (invitationHash, password, now) =>
      connections.transaction(async (session) => {
        const [operator] = await session.all(accept, [password, invitationHash, now]);
        if (operator === undefined) return null;
        await session.run(deleteSessions, [operator.id]);
        const entry = { action: "operator.accept", subject: emailKey(operator.email) };
        await auditWithin(session, [entry], { operator: operator.email, at: now });
        return operator;
      }),

    listOperators: () => connections.all(allOperators),

    findOperator: (email) => first(byKey, [emailKey(email)]),

    findOidcOperator: ({ issuer, subject }) => first(byOidc, [issuer, subject]),

    bindOidc: (email, { issuer, subject }, actor) =>
      connections.transaction(async (session) => {
        if ((await session.run(bind, [issuer, subject, emailKey(email)])) === 0) return false;
        const entry = { action: "operator.bind", subject: emailKey(email), detail: { issuer } };
        await auditWithin(session, [entry], actor);
        return true;
      }),

    setPassword: (email, password, actor) =>
      connections.transaction(async (session) => {
        const [operator] = await session.all(setPassword, [password, emailKey(email)]);
        if (operator === undefined) return false;
        await session.run(deleteSessions, [operator.id]);
        await auditWithin(session, [{ action: "operator.password", subject: emailKey(email) }], actor);
        return true;
      }),

    setRole: (email, role, actor) =>
      connections.transaction(async (session) => {
        const [operator] = await session.all(lockByKey, [emailKey(email)]);
        if (operator === undefined) return false;
        if (!(await giveRole(session, operator, role))) return "last-admin";
        const detail = { from: operator.role, to: role };
        await auditWithin(session, [{ action: "operator.role", subject: emailKey(email), detail }], actor);
        return true;
      }),

    removeOperator: (email, actor) =>
      connections.transaction(async (session) => {
        const [operator] = await session.all(lockByKey, [emailKey(email)]);
        if (operator === undefined) return false;
        if (await isLastAdmin(session, operator)) return "last-admin";
        // The sessions go with the operator.
        await session.run(remove, [operator.id]);
        await session.run(removeTokens, [operator.email]);
        await auditWithin(session, [{ action: "operator.remove", subject: emailKey(email) }], actor);
        return true;
      }),

    createSession: (idHash, { id, password }, now) =>
      connections.transaction(async (session) => {
        const [operator] = await session.all(lockById, [id]);
        if (operator === undefined || operator.password !== password) return;
        await session.run(forgetSessions, [now - sessionIdleMs]);
        await session.run(createSession, [idHash, id, now]);
        const entry = { action: "sign-in", subject: emailKey(operator.email) };
        await auditWithin(session, [entry], { operator: operator.email, at: now });
      }),

    async findSession(idHash, now) {
      const operator = await first(findSession, [idHash, now - sessionIdleMs]);
      if (operator === null) return null;
      if (operator.seenAt <= now - touchMs) await connections.write(touchSession, [now, idHash], { repeatable: true });
      return operator;
    },

    deleteSession: (idHash, actor) =>
      connections.transaction(async (session) => {
        if ((await session.run(deleteSession, [idHash])) === 0) return;
        await auditWithin(session, [{ action: "sign-out", subject: emailKey(actor.operator) }], actor);
      }),

    deleteSessions: (operatorId, actor) =>
      connections.transaction(async (session) => {
        const ended = await session.run(deleteSessions, [operatorId]);
        const entry = { action: "sign-out.everywhere", subject: emailKey(actor.operator), detail: { ended } };
        await auditWithin(session, [entry], actor);
        return ended;
      }),

    createToken: ({ hash, name, role, expiresAt }, actor) =>
      connections.transaction(async (session) => {
        const values = [hash, name, role, actor.operator, actor.at, expiresAt];
        const [stored] = await session.all(createToken, values);
        if (stored === undefined) throw new Error("The token was not stored.");
        const entry = { action: "token.create", subject: name, detail: { token: stored.id, role, expiresAt } };
        await auditWithin(session, [entry], actor);
        return stored;
      }),

    async findToken(hash, now) {
      const token = await first(findToken, [hash, now]);
      if (token === null) return null;
      if (token.usedAt !== null && token.usedAt > now - touchMs) return token;
      await connections.write(touchToken, [now, token.id], { repeatable: true });
      return { ...token, usedAt: now };
    },

    listTokens: () => connections.all(allTokens),

    revokeToken: (id, actor) =>
      connections.transaction(async (session) => {
        const [revoked] = await session.all(revoke, [id]);
        if (revoked === undefined) return false;
        await auditWithin(session, [{ action: "token.revoke", subject: revoked.name, detail: { token: id } }], actor);
        return true;
      }),
  };
}

/** Gives the role, and ends the tokens of an operator who stops being an admin. False for the last admin, who stays one. */
async function giveRole(session: Session, operator: StoredOperator, role: Role): Promise<boolean> {
  if (role !== "admin" && (await isLastAdmin(session, operator))) return false;
  await session.run(setRole, [role, operator.id]);
  // Only admins make tokens.
  if (role !== "admin") await session.run(removeTokens, [operator.email]);
  return true;
}

/** Admins are locked first, so that two admins cannot remove each other at the same time. */
async function isLastAdmin(session: Session, { id, role }: StoredOperator): Promise<boolean> {
  if (role !== "admin") return false;
  return (await session.all(lockAdmins)).every((admin) => admin.id === id);
}
