// Operators, sessions and tokens, on PostgreSQL.
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
import type { Actor, AuditEntry } from "../desk-store.ts";
import {
  endedBefore,
  type OperatorColumns,
  operatorRow,
  storedOperator,
  tokenRow,
  touchedBefore,
} from "../rules/access.ts";
import * as sql from "./access-statements.ts";
import type { Connections } from "./connections.ts";
import type { Session, Statement } from "./session.ts";
import { auditWithin } from "./desk-changes.ts";

const operatorOf = (row: OperatorColumns | undefined): StoredOperator | null =>
  row === undefined ? null : storedOperator(row);

export class PostgresAccess implements AccessStore {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async #first<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.#connections.all(statement, values))[0];
  }

  /** Changes an operator, locked until the end of the transaction. False when there is no such operator. */
  #change<Refused>(
    email: string,
    actor: Actor,
    change: (session: Session, operator: OperatorColumns) => Promise<AuditEntry | Refused>,
    isRefused: (result: AuditEntry | Refused) => result is Refused,
  ): Promise<boolean | Refused> {
    return this.#connections.transaction(async (session) => {
      const [operator] = await session.all(sql.lockByKey, [emailKey(email)]);
      if (operator === undefined) return false;
      const result = await change(session, operator);
      if (isRefused(result)) return result;
      await auditWithin(session, [result], actor);
      return true;
    });
  }

  invite({ email, role, invitationHash }: Parameters<AccessStore["invite"]>[0], actor: Actor): Promise<void> {
    const key = emailKey(email);
    return this.#connections.transaction(async (session) => {
      await session.run(sql.invite, [email, key, role, invitationHash, actor.at + invitationMs, actor.at]);
      await auditWithin(session, [{ action: "operator.invite", subject: key, detail: { role } }], actor);
    });
  }

  async findInvitation(invitationHash: string, now: number): Promise<StoredOperator | null> {
    return operatorOf(await this.#first(sql.byInvitation, [invitationHash, now]));
  }

  acceptInvitation(invitationHash: string, password: string, now: number): Promise<StoredOperator | null> {
    return this.#connections.transaction(async (session) => {
      const [operator] = await session.all(sql.lockByInvitation, [invitationHash, now]);
      if (operator === undefined) return null;
      await session.run(sql.setPassword, [password, operator.id]);
      await session.run(sql.deleteSessions, [operator.id]);
      const entry = { action: "operator.accept", subject: emailKey(operator.email) };
      await auditWithin(session, [entry], { operator: operator.email, at: now });
      return { ...storedOperator(operator), password };
    });
  }

  async listOperators(): Promise<OperatorRow[]> {
    return (await this.#connections.all(sql.allOperators)).map(operatorRow);
  }

  async findOperator(email: string): Promise<StoredOperator | null> {
    return operatorOf(await this.#first(sql.byKey, [emailKey(email)]));
  }

  async findOidcOperator({ issuer, subject }: OidcIdentity): Promise<StoredOperator | null> {
    return operatorOf(await this.#first(sql.byOidc, [issuer, subject]));
  }

  bindOidc(email: string, { issuer, subject }: OidcIdentity, actor: Actor): Promise<boolean> {
    const bind = async (session: Session, operator: OperatorColumns) => {
      const [other] = await session.all(sql.byOidc, [issuer, subject]);
      if (operator.issuer !== null || other !== undefined) return false;
      await session.run(sql.bind, [issuer, subject, operator.id]);
      return { action: "operator.bind", subject: emailKey(email), detail: { issuer } };
    };
    return this.#change<false>(email, actor, bind, (result) => result === false);
  }

  setPassword(email: string, password: string, actor: Actor): Promise<boolean> {
    const set = async (session: Session, { id }: OperatorColumns) => {
      await session.run(sql.setPassword, [password, id]);
      await session.run(sql.deleteSessions, [id]);
      return { action: "operator.password", subject: emailKey(email) };
    };
    return this.#change<never>(email, actor, set, neverRefused);
  }

  setRole(email: string, role: Role, actor: Actor): Promise<boolean | "last-admin"> {
    const set = async (session: Session, operator: OperatorColumns) => {
      if (role !== "admin" && (await isLastAdmin(session, operator))) return "last-admin" as const;
      await session.run(sql.setRole, [role, operator.id]);
      return { action: "operator.role", subject: emailKey(email), detail: { from: operator.role, to: role } };
    };
    return this.#change(email, actor, set, isLastAdminRefusal);
  }

  removeOperator(email: string, actor: Actor): Promise<boolean | "last-admin"> {
    const remove = async (session: Session, operator: OperatorColumns) => {
      if (await isLastAdmin(session, operator)) return "last-admin" as const;
      // The sessions go with the operator.
      await session.run(sql.remove, [operator.id]);
      await session.run(sql.removeTokens, [operator.email]);
      return { action: "operator.remove", subject: emailKey(email) };
    };
    return this.#change(email, actor, remove, isLastAdminRefusal);
  }

  createSession(...[idHash, { id, password }, now]: Parameters<AccessStore["createSession"]>): Promise<void> {
    return this.#connections.transaction(async (session) => {
      const [operator] = await session.all(sql.lockById, [id]);
      if (operator === undefined || operator.password !== password) return;
      await session.run(sql.forgetSessions, [endedBefore(now)]);
      await session.run(sql.createSession, [idHash, id, now]);
      const entry = { action: "sign-in", subject: emailKey(operator.email) };
      await auditWithin(session, [entry], { operator: operator.email, at: now });
    });
  }

  async findSession(idHash: string, now: number): Promise<StoredSession | null> {
    const row = await this.#first(sql.findSession, [idHash, endedBefore(now)]);
    if (row === undefined) return null;
    const isStale = row.seenAt <= touchedBefore(now);
    if (isStale) await this.#connections.write(sql.touchSession, [now, idHash], { repeatable: true });
    return { operator: storedOperator(row), createdAt: row.startedAt, seenAt: isStale ? now : row.seenAt };
  }

  deleteSession(idHash: string, actor: Actor): Promise<void> {
    return this.#connections.transaction(async (session) => {
      if ((await session.run(sql.deleteSession, [idHash])) === 0) return;
      await auditWithin(session, [{ action: "sign-out", subject: emailKey(actor.operator) }], actor);
    });
  }

  deleteSessions(operatorId: number, actor: Actor): Promise<number> {
    return this.#connections.transaction(async (session) => {
      const ended = await session.run(sql.deleteSessions, [operatorId]);
      const entry = { action: "sign-out.everywhere", subject: emailKey(actor.operator), detail: { ended } };
      await auditWithin(session, [entry], actor);
      return ended;
    });
  }

  createToken(token: Parameters<AccessStore["createToken"]>[0], actor: Actor): Promise<TokenRow> {
    const { hash, name, role, expiresAt } = token;
    return this.#connections.transaction(async (session) => {
      const values = [hash, name, role, actor.operator, actor.at, expiresAt];
      const [stored] = await session.all(sql.createToken, values);
      if (stored === undefined) throw new Error("The token was not stored.");
      const entry = { action: "token.create", subject: name, detail: { token: stored.id, role, expiresAt } };
      await auditWithin(session, [entry], actor);
      return tokenRow(stored);
    });
  }

  async findToken(hash: string, now: number): Promise<StoredToken | null> {
    const token = await this.#first(sql.findToken, [hash, now]);
    if (token === undefined) return null;
    if (token.usedAt !== null && token.usedAt > touchedBefore(now)) return token;
    await this.#connections.write(sql.touchToken, [now, token.id], { repeatable: true });
    return { ...token, usedAt: now };
  }

  listTokens(): Promise<StoredToken[]> {
    return this.#connections.all(sql.allTokens);
  }

  revokeToken(id: number, actor: Actor): Promise<boolean> {
    return this.#connections.transaction(async (session) => {
      const [revoked] = await session.all(sql.revoke, [id]);
      if (revoked === undefined) return false;
      await auditWithin(session, [{ action: "token.revoke", subject: revoked.name, detail: { token: id } }], actor);
      return true;
    });
  }
}

const neverRefused = (_result: unknown): _result is never => false;

const isLastAdminRefusal = (result: AuditEntry | "last-admin"): result is "last-admin" => result === "last-admin";

/** Admins are locked first, so that two admins cannot remove each other at the same time. */
async function isLastAdmin(session: Session, { id, role }: OperatorColumns): Promise<boolean> {
  if (role !== "admin") return false;
  return (await session.all(sql.lockAdmins)).every((admin) => admin.id === id);
}
