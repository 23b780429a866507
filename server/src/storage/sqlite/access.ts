// Operators, sessions and tokens, on SQLite. Changes are jobs of the store's commit queue.
import type { OperatorRow, Role, TokenRow } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import {
  type AccessStore,
  invitationMs,
  type OidcIdentity,
  type StoredOperator,
  type StoredSession,
  type StoredToken,
} from "../access-store.ts";
import type { Actor } from "../desk-store.ts";
import {
  endedBefore,
  type OperatorColumns,
  operatorColumns,
  operatorOf,
  operatorRow,
  storedOperator,
  tokenColumns,
  tokenRow,
  touchedBefore,
} from "../rules/access.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareAudit } from "./desk-changes.ts";
import type { RunJob } from "./desk.ts";

function prepareStatements(connection: SqliteConnection) {
  const operators = `SELECT ${operatorColumns} FROM operator`;
  return {
    byKey: connection.prepare<[string], OperatorColumns>(`${operators} WHERE email_key = ?`),
    byId: connection.prepare<[number], OperatorColumns>(`${operators} WHERE id = ?`),
    byOidc: connection.prepare<[string, string], OperatorColumns>(
      `${operators} WHERE oidc_issuer = ? AND oidc_subject = ?`,
    ),
    byInvitation: connection.prepare<[string, number], OperatorColumns>(
      `${operators} WHERE invitation_hash = ? AND invitation_expires_at > ?`,
    ),
    all: connection.prepare<[], OperatorColumns>(`${operators} ORDER BY id`),
    invite: connection.prepare<[string, string, Role, string, number, number]>(`
      INSERT INTO operator (email, email_key, role, invitation_hash, invitation_expires_at, created_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (email_key) DO UPDATE SET role = excluded.role, invitation_hash = excluded.invitation_hash,
        invitation_expires_at = excluded.invitation_expires_at`),
    setPassword: connection.prepare<[string, number]>(`
      UPDATE operator SET password = ?, invitation_hash = NULL, invitation_expires_at = NULL WHERE id = ?`),
    bind: connection.prepare<[string, string, number]>(`
      UPDATE operator SET oidc_issuer = ?, oidc_subject = ?, invitation_hash = NULL, invitation_expires_at = NULL
      WHERE id = ?`),
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
    session: connection.prepare<[string, number], OperatorColumns & { startedAt: number; seenAt: number }>(`
      SELECT ${operatorColumns}, session.created_at AS startedAt, session.seen_at AS seenAt
      FROM session JOIN operator ON operator.id = session.operator WHERE id_hash = ? AND seen_at > ?`),
    touchSession: connection.prepare<[number, string]>(
      "UPDATE session SET seen_at = ?1 WHERE id_hash = ?2 AND seen_at < ?1",
    ),
    deleteSession: connection.prepare<[string]>("DELETE FROM session WHERE id_hash = ?"),
    deleteSessions: connection.prepare<[number]>("DELETE FROM session WHERE operator = ?"),
    createToken: connection.prepare<[string, string, Role, string, number, number | null], StoredToken>(`
      INSERT INTO api_token (token_hash, name, role, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
      RETURNING ${tokenColumns}`),
    token: connection.prepare<[string, number], StoredToken>(
      `SELECT ${tokenColumns} FROM api_token WHERE token_hash = ? AND (expires_at IS NULL OR expires_at > ?)`,
    ),
    touchToken: connection.prepare<[number, number]>("UPDATE api_token SET used_at = ? WHERE id = ?"),
    tokens: connection.prepare<[], StoredToken>(`SELECT ${tokenColumns} FROM api_token ORDER BY id`),
    revoke: connection.prepare<[number], { name: string }>("DELETE FROM api_token WHERE id = ? RETURNING name"),
  };
}

export class SqliteAccess implements AccessStore {
  readonly #run: RunJob;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #audit: ReturnType<typeof prepareAudit>;

  constructor(connection: SqliteConnection, run: RunJob) {
    this.#run = run;
    this.#statements = prepareStatements(connection);
    this.#audit = prepareAudit(connection);
  }

  invite({ email, role, invitationHash }: Parameters<AccessStore["invite"]>[0], actor: Actor): Promise<void> {
    return this.#run(() => {
      this.#statements.invite.run(email, emailKey(email), role, invitationHash, actor.at + invitationMs, actor.at);
      this.#audit({ action: "operator.invite", subject: emailKey(email), detail: { role } }, actor);
    });
  }

  findInvitation(invitationHash: string, now: number): Promise<StoredOperator | null> {
    return retryWhileBusy(() => operatorOf(this.#statements.byInvitation.get(invitationHash, now)));
  }

  acceptInvitation(invitationHash: string, password: string, now: number): Promise<StoredOperator | null> {
    return this.#run(() => {
      const operator = operatorOf(this.#statements.byInvitation.get(invitationHash, now));
      if (operator === null) return null;
      this.#statements.setPassword.run(password, operator.id);
      this.#statements.deleteSessions.run(operator.id);
      const actor = { operator: operator.email, at: now };
      this.#audit({ action: "operator.accept", subject: emailKey(operator.email) }, actor);
      return { ...operator, password };
    });
  }

  listOperators(): Promise<OperatorRow[]> {
    return retryWhileBusy(() => this.#statements.all.all().map(operatorRow));
  }

  findOperator(email: string): Promise<StoredOperator | null> {
    return retryWhileBusy(() => operatorOf(this.#statements.byKey.get(emailKey(email))));
  }

  findOidcOperator({ issuer, subject }: OidcIdentity): Promise<StoredOperator | null> {
    return retryWhileBusy(() => operatorOf(this.#statements.byOidc.get(issuer, subject)));
  }

  bindOidc(email: string, { issuer, subject }: OidcIdentity, actor: Actor): Promise<boolean> {
    return this.#run(() => {
      const operator = operatorOf(this.#statements.byKey.get(emailKey(email)));
      const other = this.#statements.byOidc.get(issuer, subject);
      if (operator === null || operator.oidc !== null || other !== undefined) return false;
      this.#statements.bind.run(issuer, subject, operator.id);
      this.#audit({ action: "operator.bind", subject: emailKey(email), detail: { issuer } }, actor);
      return true;
    });
  }

  setPassword(email: string, password: string, actor: Actor): Promise<boolean> {
    return this.#run(() => {
      const operator = this.#statements.byKey.get(emailKey(email));
      if (operator === undefined) return false;
      this.#statements.setPassword.run(password, operator.id);
      this.#statements.deleteSessions.run(operator.id);
      this.#audit({ action: "operator.password", subject: emailKey(email) }, actor);
      return true;
    });
  }

  setRole(email: string, role: Role, actor: Actor): Promise<boolean | "last-admin"> {
    return this.#run(() => {
      const operator = this.#statements.byKey.get(emailKey(email));
      if (operator === undefined) return false;
      if (role !== "admin" && this.#isLastAdmin(operator)) return "last-admin";
      this.#statements.setRole.run(role, operator.id);
      const detail = { from: operator.role, to: role };
      this.#audit({ action: "operator.role", subject: emailKey(email), detail }, actor);
      return true;
    });
  }

  removeOperator(email: string, actor: Actor): Promise<boolean | "last-admin"> {
    return this.#run(() => {
      const operator = this.#statements.byKey.get(emailKey(email));
      if (operator === undefined) return false;
      if (this.#isLastAdmin(operator)) return "last-admin";
      // The sessions go with the operator.
      this.#statements.remove.run(operator.id);
      this.#statements.removeTokens.run(operator.email);
      this.#audit({ action: "operator.remove", subject: emailKey(email) }, actor);
      return true;
    });
  }

  #isLastAdmin({ id, role }: OperatorColumns): boolean {
    return role === "admin" && (this.#statements.otherAdmins.get(id)?.count ?? 0) === 0;
  }

  createSession(...[idHash, { id, password }, now]: Parameters<AccessStore["createSession"]>): Promise<void> {
    return this.#run(() => {
      const operator = this.#statements.byId.get(id);
      if (operator === undefined || operator.password !== password) return;
      this.#statements.forgetSessions.run(endedBefore(now));
      this.#statements.createSession.run(idHash, id, now);
      const actor = { operator: operator.email, at: now };
      this.#audit({ action: "sign-in", subject: emailKey(operator.email) }, actor);
    });
  }

  async findSession(idHash: string, now: number): Promise<StoredSession | null> {
    const row = await retryWhileBusy(() => this.#statements.session.get(idHash, endedBefore(now)));
    if (row === undefined) return null;
    const isStale = row.seenAt <= touchedBefore(now);
    if (isStale) await this.#run(() => void this.#statements.touchSession.run(now, idHash));
    return { operator: storedOperator(row), createdAt: row.startedAt, seenAt: isStale ? now : row.seenAt };
  }

  deleteSession(idHash: string, actor: Actor): Promise<void> {
    return this.#run(() => {
      const { changes } = this.#statements.deleteSession.run(idHash);
      if (changes === 1) this.#audit({ action: "sign-out", subject: emailKey(actor.operator) }, actor);
    });
  }

  deleteSessions(operatorId: number, actor: Actor): Promise<number> {
    return this.#run(() => {
      const ended = Number(this.#statements.deleteSessions.run(operatorId).changes);
      this.#audit({ action: "sign-out.everywhere", subject: emailKey(actor.operator), detail: { ended } }, actor);
      return ended;
    });
  }

  createToken(token: Parameters<AccessStore["createToken"]>[0], actor: Actor): Promise<TokenRow> {
    const { hash, name, role, expiresAt } = token;
    return this.#run(() => {
      const stored = this.#statements.createToken.get(hash, name, role, actor.operator, actor.at, expiresAt);
      if (stored === undefined) throw new Error("The token was not stored.");
      this.#audit({ action: "token.create", subject: name, detail: { token: stored.id, role, expiresAt } }, actor);
      return tokenRow(stored);
    });
  }

  async findToken(hash: string, now: number): Promise<StoredToken | null> {
    const token = await retryWhileBusy(() => this.#statements.token.get(hash, now));
    if (token === undefined) return null;
    if (token.usedAt !== null && token.usedAt > touchedBefore(now)) return { ...token };
    await this.#run(() => void this.#statements.touchToken.run(now, token.id));
    return { ...token, usedAt: now };
  }

  listTokens(): Promise<StoredToken[]> {
    return retryWhileBusy(() => this.#statements.tokens.all().map((token) => ({ ...token })));
  }

  revokeToken(id: number, actor: Actor): Promise<boolean> {
    return this.#run(() => {
      const revoked = this.#statements.revoke.get(id);
      if (revoked === undefined) return false;
      this.#audit({ action: "token.revoke", subject: revoked.name, detail: { token: id } }, actor);
      return true;
    });
  }
}
