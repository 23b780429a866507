// Operators, sessions and tokens.
import type { OperatorRow, SessionRow, TokenRow } from "@submissions/shared/console";
import type { Role } from "@submissions/shared/roles";
import { emailKey } from "@submissions/shared/fields";
import {
  type AccessStore,
  invitationMs,
  type OperatorChange,
  sessionIdleMs,
  sessionMs,
  signInLinkMs,
  type StoredOperator,
  type StoredSession,
  touchMs,
} from "../access-store.ts";
import type { AuditEntry } from "../desk-store.ts";
import { columnsOf } from "../rules/columns.ts";
import { isUntouched } from "../rules/mails.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, only, type Query, type Steps } from "./engine.ts";

const operatorNames = ["id", "email", "role", "name", "password", "mailAssigned", "invitationExpiresAt", "totpSecret"];
const operatorColumns = columnsOf("operator", operatorNames);

/** Enough of a session's hash to name it among those of its operator. */
const sessionId = "substr(id_hash, 1, 16)";

const tokenColumns = columnsOf("api_token", ["id", "name", "role", "createdAt", "expiresAt", "usedAt"]);

type Change = Pick<AuditEntry, "action" | "detail">;

/** Links that were made before a new password. */
const noLinks = `invitation_hash = NULL, invitation_expires_at = NULL, sign_in_hash = NULL, sign_in_expires_at = NULL`;

export function makeAccess(engine: Engine, cookieKey: string): AccessStore {
  const { prepare, locking, read, write, transaction } = engine;
  const operators = (condition: string) =>
    prepare<StoredOperator>(`SELECT ${operatorColumns} FROM operator WHERE ${condition}`);
  const statements = {
    byKey: operators("email_key = $1"),
    lockByKey: operators(`email_key = $1 ${locking("FOR UPDATE")}`),
    lockById: operators(`id = $1 ${locking("FOR SHARE")}`),
    byOidc: operators("oidc_issuer = $1 AND oidc_subject = $2"),
    byInvitation: operators("invitation_hash = $1 AND invitation_expires_at > $2"),
    all: prepare<OperatorRow>(`
      SELECT email, name, role, created_at AS "createdAt",
        CASE WHEN password IS NULL AND oidc_issuer IS NULL THEN 'invited' ELSE 'active' END AS state
      FROM operator ORDER BY id`),
    lockAdmins: prepare<{ id: number; canSignIn: number }>(`
      SELECT id, CASE WHEN password IS NULL AND oidc_issuer IS NULL THEN 0 ELSE 1 END AS "canSignIn"
      FROM operator WHERE role = 'admin' ORDER BY id ${locking("FOR UPDATE")}`),
    // Two may invite the same new address at once. Neither found a row to lock, so the second changes the role here.
    invite: prepare(`
      INSERT INTO operator (email, email_key, role, invitation_hash, invitation_expires_at, created_at)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (email_key) DO UPDATE SET role = excluded.role, invitation_hash = excluded.invitation_hash,
        invitation_expires_at = excluded.invitation_expires_at`),
    removeInvitationMail: prepare(`
      DELETE FROM mail
      WHERE kind = 'invitation' AND ${isUntouched} AND operator = (SELECT id FROM operator WHERE email_key = $1)`),
    // The column \`digest\` says that the mail is about neither a submission nor a subscriber.
    mailInvitation: prepare(`
      INSERT INTO mail (kind, operator, digest, tokens, status, created_at, due_at)
      SELECT 'invitation', id, '{}', CAST($2 AS TEXT), 'queued', CAST($3 AS BIGINT), CAST($3 AS BIGINT)
      FROM operator WHERE email_key = $1`),
    accept: prepare<StoredOperator>(`
      UPDATE operator SET password = $1, name = coalesce($4, name), ${noLinks}
      WHERE invitation_hash = $2 AND invitation_expires_at > $3 RETURNING ${operatorColumns}`),
    setPassword: prepare(`UPDATE operator SET password = $1, ${noLinks} WHERE id = $2`),
    bind: prepare<{ id: number }>(`
      UPDATE operator SET oidc_issuer = $1, oidc_subject = $2, invitation_hash = NULL, invitation_expires_at = NULL
      WHERE id = $3 AND oidc_issuer IS NULL
        AND NOT EXISTS (SELECT 1 FROM operator AS other WHERE other.oidc_issuer = $1 AND other.oidc_subject = $2)
      RETURNING id`),
    allowSignIn: prepare("UPDATE operator SET sign_in_hash = $1, sign_in_expires_at = $2 WHERE id = $3"),
    useSignInLink: prepare<StoredOperator>(`
      UPDATE operator SET sign_in_hash = NULL, sign_in_expires_at = NULL
      WHERE sign_in_hash = $1 AND sign_in_expires_at > $2 RETURNING ${operatorColumns}`),
    setFactor: prepare("UPDATE operator SET totp_secret = $1, totp_step = NULL WHERE id = $2"),
    useStep: prepare<{ id: number }>(`
      UPDATE operator SET totp_step = $1 WHERE id = $2 AND totp_secret IS NOT NULL AND (totp_step IS NULL OR totp_step < $1)
      RETURNING id`),
    removeRecovery: prepare("DELETE FROM recovery_code WHERE operator = $1"),
    addRecovery: prepare("INSERT INTO recovery_code (operator, code_hash) VALUES ($1, $2)"),
    useRecovery: prepare<{ operator: number }>(`
      DELETE FROM recovery_code WHERE operator = $1 AND code_hash = $2 RETURNING operator`),
    setName: prepare("UPDATE operator SET name = $1 WHERE id = $2"),
    setMailAssigned: prepare("UPDATE operator SET mail_assigned = $1 WHERE id = $2"),
    setRole: prepare("UPDATE operator SET role = $1 WHERE id = $2"),
    // The team gets what the operator does not any more: the mail would go with the operator.
    tellTeam: prepare("UPDATE mail SET operator = NULL WHERE operator = $1 AND kind = 'answer'"),
    remove: prepare("DELETE FROM operator WHERE id = $1"),
    removeTokens: prepare("DELETE FROM api_token WHERE created_by = $1"),

    createSession: prepare(`
      INSERT INTO session (id_hash, operator, created_at, seen_at, device, network, strong) VALUES ($1, $2, $3, $3, $4, $5, $6)`),
    forgetSessions: prepare("DELETE FROM session WHERE seen_at <= $1 OR seen_at >= $2"),
    session: prepare<Omit<StoredSession, "isStrong"> & { readonly seenAt: number; readonly strong: number }>(`
      SELECT ${operatorColumns}, session.seen_at AS "seenAt", session.created_at AS "begunAt", session.strong FROM session
      JOIN operator ON operator.id = session.operator
      WHERE id_hash = $1 AND seen_at > $2 AND session.created_at > $3 AND seen_at < $4`),
    sessions: prepare<SessionRow & { readonly idHash: string }>(`
      SELECT ${sessionId} AS id, id_hash AS "idHash", device, network, created_at AS "createdAt", seen_at AS "seenAt"
      FROM session WHERE operator = $1 AND seen_at > $2 AND created_at > $3 AND seen_at < $4`),
    touchSession: prepare("UPDATE session SET seen_at = $1 WHERE id_hash = $2 AND seen_at < $1"),
    deleteSession: prepare<object>("DELETE FROM session WHERE id_hash = $1 RETURNING operator"),
    deleteSessions: prepare<object>("DELETE FROM session WHERE operator = $1 RETURNING operator"),
    deleteOneOf: prepare<object>(`DELETE FROM session WHERE operator = $1 AND ${sessionId} = $2 RETURNING operator`),

    createToken: prepare<TokenRow>(`
      INSERT INTO api_token (token_hash, name, role, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
      RETURNING ${tokenColumns}`),
    token: prepare<TokenRow>(`
      SELECT ${tokenColumns} FROM api_token WHERE token_hash = $1 AND (expires_at IS NULL OR expires_at > $2)`),
    touchToken: prepare("UPDATE api_token SET used_at = $1 WHERE id = $2"),
    tokens: prepare<TokenRow>(`SELECT ${tokenColumns} FROM api_token ORDER BY id`),
    revoke: prepare<{ name: string }>("DELETE FROM api_token WHERE id = $1 RETURNING name"),
  };
  const audit = prepareAudit(engine);

  const find = async <Row>(query: Query<Row>): Promise<Row | null> => (await read(query))[0] ?? null;
  /** Between these, sessions were used and begun that are open. */
  const openAt = (now: number) => [now - sessionIdleMs, now - sessionMs, now + sessionIdleMs] as const;

  /** Admins are locked first, so that two admins cannot remove each other at the same time. */
  function* isLastAdmin({ id, role }: StoredOperator): Steps<boolean> {
    if (role !== "admin") return false;
    const admins = yield* statements.lockAdmins();
    // An invited one who never came administers nothing. While none has come, all count.
    const active = admins.filter(({ canSignIn }) => canSignIn === 1);
    return (active.length > 0 ? active : admins).every((admin) => admin.id === id);
  }

  /** Ends what an operator has open: after a new password nothing goes on that was begun with the former one. */
  function* endAll({ id, email }: Pick<StoredOperator, "id" | "email">): Steps<void> {
    yield* statements.deleteSessions(id);
    yield* statements.removeTokens(email);
  }

  /** Gives the role, and ends the tokens of an operator who stops being an admin. False for the last admin, who stays one. */
  function* giveRole(operator: StoredOperator, role: Role): Steps<boolean> {
    if (role !== "admin" && (yield* isLastAdmin(operator))) return false;
    yield* statements.setRole(role, operator.id);
    // Only admins make tokens.
    if (role !== "admin") yield* statements.removeTokens(operator.email);
    return true;
  }

  function* invite(
    email: string,
    known: StoredOperator | undefined,
    { role, invitationHash, token }: Extract<OperatorChange, { readonly invitationHash: string }>,
    at: number,
  ): Steps<Change | "last-admin"> {
    if (known !== undefined && !(yield* giveRole(known, role))) return "last-admin";
    yield* statements.invite(email, emailKey(email), role, invitationHash, at + invitationMs, at);
    // The link of an earlier invitation has ended.
    yield* statements.removeInvitationMail(emailKey(email));
    if (token !== undefined)
      yield* statements.mailInvitation(emailKey(email), JSON.stringify({ invitation: token }), at);
    return { action: "operator.invite", detail: { role } };
  }

  /** Answers the entry in the audit log, or why there is no change. */
  function* apply(
    operator: StoredOperator,
    change: Exclude<OperatorChange, { readonly invitationHash: string }>,
    at: number,
  ): Steps<Change | false | "last-admin"> {
    const { id } = operator;
    if ("removed" in change) {
      if (yield* isLastAdmin(operator)) return "last-admin";
      // The sessions go with the operator.
      yield* statements.tellTeam(id);
      yield* statements.remove(id);
      yield* statements.removeTokens(operator.email);
      return { action: "operator.remove" };
    }
    if ("password" in change) {
      yield* statements.setPassword(change.password, id);
      yield* endAll(operator);
      return { action: "operator.password" };
    }
    if ("role" in change) {
      const detail = { from: operator.role, to: change.role };
      return (yield* giveRole(operator, change.role)) ? { action: "operator.role", detail } : "last-admin";
    }
    if ("name" in change) {
      yield* statements.setName(change.name, id);
      return { action: "operator.name", detail: { from: operator.name, to: change.name } };
    }
    if ("mailAssigned" in change) {
      yield* statements.setMailAssigned(change.mailAssigned ? 1 : 0, id);
      return { action: "operator.mail-assigned", detail: { to: change.mailAssigned } };
    }
    if ("signInLinkHash" in change) {
      yield* statements.allowSignIn(change.signInLinkHash, at + signInLinkMs, id);
      return { action: "operator.sign-in-link" };
    }
    if ("oidc" in change) {
      const { issuer, subject } = change.oidc;
      const isBound = (yield* statements.bind(issuer, subject, id)).length > 0;
      return isBound && { action: "operator.bind", detail: { issuer } };
    }
    const { secondFactor: factor } = change;
    yield* statements.setFactor(factor?.secret ?? null, id);
    yield* statements.removeRecovery(id);
    for (const hash of factor?.recoveryHashes ?? []) yield* statements.addRecovery(id, hash);
    return { action: factor === null ? "operator.factor-removed" : "operator.factor-set" };
  }

  return {
    cookieKey,

    acceptInvitation: transaction(function* (invitationHash, password, now, name) {
      const [operator] = yield* statements.accept(password, invitationHash, now, name ?? null);
      if (operator === undefined) return null;
      yield* endAll(operator);
      const actor = { operator: operator.email, at: now };
      const detail = name === undefined ? {} : { name };
      yield* audit({ action: "operator.accept", subject: emailKey(operator.email), detail }, actor);
      return operator;
    }),

    listOperators: () => read(statements.all()),

    findOperator: (email) => find(statements.byKey(emailKey(email))),

    findInvited: (invitationHash, now) => find(statements.byInvitation(invitationHash, now)),

    findBound: ({ issuer, subject }) => find(statements.byOidc(issuer, subject)),

    changeOperator: transaction(function* (email, change, actor) {
      const [operator] = yield* statements.lockByKey(emailKey(email));
      const changed =
        "invitationHash" in change
          ? yield* invite(email, operator, change, actor.at)
          : operator !== undefined && (yield* apply(operator, change, actor.at));
      if (changed === false || changed === "last-admin") return changed;
      yield* audit({ ...changed, subject: emailKey(email) }, actor);
      return true;
    }),

    async useSignInLink(linkHash, now) {
      const [operator] = await transaction(statements.useSignInLink)(linkHash, now);
      return operator ?? null;
    },

    useSecondFactor: transaction(function* (operatorId, code, now) {
      if ("step" in code) return (yield* statements.useStep(code.step, operatorId)).length > 0;
      if ((yield* statements.useRecovery(operatorId, code.recoveryHash)).length === 0) return false;
      const [operator] = yield* statements.lockById(operatorId);
      const actor = { operator: operator?.email ?? "", at: now };
      yield* audit({ action: "operator.recovery-code", subject: emailKey(actor.operator) }, actor);
      return true;
    }),

    createSession: transaction(function* (idHash, { id, password }, { device, network, isStrong }, now) {
      const [operator] = yield* statements.lockById(id);
      if (operator === undefined || operator.password !== password) return;
      yield* statements.forgetSessions(now - sessionIdleMs, now + sessionIdleMs);
      yield* statements.createSession(idHash, id, now, device, network, isStrong ? 1 : 0);
      const actor = { operator: operator.email, at: now };
      yield* audit({ action: "sign-in", subject: emailKey(operator.email) }, actor);
    }),

    async findSession(idHash, now, isUse = true) {
      const found = await find(statements.session(idHash, ...openAt(now)));
      if (found === null) return null;
      const { seenAt, strong, ...operator } = found;
      if (isUse && seenAt <= now - touchMs) await write(statements.touchSession(now, idHash));
      return { ...operator, isStrong: strong === 1 };
    },

    async listSessions(operatorId, now) {
      const sessions = await read(statements.sessions(operatorId, ...openAt(now)));
      return sessions.toSorted((one, other) => other.seenAt - one.seenAt);
    },

    endSessions: transaction(function* (which, actor) {
      if ("idHash" in which) {
        const ended = (yield* statements.deleteSession(which.idHash)).length;
        if (ended > 0) yield* audit({ action: "sign-out", subject: emailKey(actor.operator) }, actor);
        return ended;
      }
      const { operatorId, id } = which;
      const [operator] = yield* statements.lockById(operatorId);
      if (operator === undefined) return 0;
      const deleted = id === null ? statements.deleteSessions(operatorId) : statements.deleteOneOf(operatorId, id);
      const ended = (yield* deleted).length;
      if (id === null && actor.operator !== operator.email) yield* statements.removeTokens(operator.email);
      const action = id === null ? "sign-out.everywhere" : "sign-out";
      if (ended > 0 || id === null) {
        yield* audit({ action, subject: emailKey(operator.email), detail: { ended } }, actor);
      }
      return ended;
    }),

    createToken: transaction(function* ({ hash, name, role, expiresAt }, actor) {
      const stored = only(yield* statements.createToken(hash, name, role, actor.operator, actor.at, expiresAt));
      yield* audit({ action: "token.create", subject: name, detail: { token: stored.id, role, expiresAt } }, actor);
      return stored;
    }),

    async findToken(hash, now) {
      const token = await find(statements.token(hash, now));
      if (token === null || (token.usedAt !== null && token.usedAt > now - touchMs)) return token;
      await write(statements.touchToken(now, token.id));
      return { ...token, usedAt: now };
    },

    listTokens: () => read(statements.tokens()),

    revokeToken: transaction(function* (id, actor) {
      const [revoked] = yield* statements.revoke(id);
      if (revoked === undefined) return false;
      yield* audit({ action: "token.revoke", subject: revoked.name, detail: { token: id } }, actor);
      return true;
    }),
  };
}
