// The store on PostgreSQL. Submissions and settlements of mails share commits; every other method is a transaction of its
// own, or one read. Any number of processes may use one database.
import { References } from "../rules/references.ts";
import { makeSharedStore, storeRow, type StoreRow } from "../sql/shared-store.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { type OpenOptions, operatorsReadMs, StorageUnavailable, type Store } from "../store.ts";
import { makeAcceptor } from "./accept.ts";
import { addressOf } from "./address.ts";
import { Connections, type Limits } from "./connections.ts";
import { makeEngine } from "./engine.ts";
import { inbox, prepareSearchIndex } from "./inbox.ts";
import { checkServer, findPending, migratePostgres } from "./migrate.ts";
import { startServerClock } from "./server-clock.ts";
import { prepared } from "./statement.ts";

/** A page of an export, from a server that has other things to do. */
const exportAnswerMs = 30_000;

/** Connections for what operators read: submissions never wait for one of these. */
const readersMax = 2;

/** How long a read waits for one of them. */
const readersWaitMs = 10_000;

/** A readiness probe gives up after 1 s, so this fails sooner. */
const readinessLimits: Limits = { statementMs: 500, lockMs: 500, idleMs: 1_000 };

/** Submissions that one transaction erases. */
const erasedAtOnce = 100;

// A message in the write-ahead log that no program reads: it has to reach stable storage, and processes do not wait for each
// other as they would for a row. The locks are those of an INSERT, which only a change of the schema refuses.
export const proveWrite = prepared<object>(`
  WITH submissions AS (UPDATE submission SET version = version WHERE arrival < 0),
    mails AS (UPDATE mail SET attempts = attempts WHERE id < 0)
  SELECT pg_logical_emit_message(true, 'submissions', 'ready')::text`);

const readStore = prepared<StoreRow>(storeRow);

/** Where the database is, and how many connections one process may have to it. */
export interface PostgresLocation {
  readonly url: string;
  readonly poolMax: number;
}

/** See `openStore`. */
export async function openPostgresStore(
  { url, poolMax }: PostgresLocation,
  { access, clock, onCommit, readMs = operatorsReadMs, waiting }: OpenOptions,
): Promise<Store> {
  const isReadOnly = access === "read-only";
  // A failure closes the connections again.
  await using opening = new AsyncDisposableStack();
  const address = addressOf(url);
  const connections = opening.use(
    new Connections(address, { max: poolMax, ...(isReadOnly && { answerMs: exportAnswerMs }) }),
  );
  await checkServer(connections);
  const pending = await findPending(connections);
  if (pending.length > 0 && isReadOnly) throw new SchemaTooOld(pending);
  if (pending.length > 0) await migratePostgres(url, waiting);
  const [row] = await connections.all(readStore);
  if (row === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
  const reads = isReadOnly
    ? connections
    : opening.use(new Connections(address, { max: readersMax, connectMs: readersWaitMs, readMs }));
  const serverClock = opening.use(await startServerClock(connections, clock));

  const references = new References(row.referenceKey);
  const engine = makeEngine(connections);
  const { read, lastComplete } = makeEngine(reads);
  const reading = { ...engine, read, lastComplete };
  const acceptor = makeAcceptor(connections, engine, references, onCommit);
  const opened = opening.move();
  let closed: Promise<void> | undefined;
  return {
    ...makeSharedStore({
      row,
      references,
      engine,
      reading,
      inbox,
      clock: serverClock,
      searchIndex: prepareSearchIndex(engine),
      // As all transactions that lock several, so that they cannot deadlock.
      erasing: { atOnce: erasedAtOnce, order: "ORDER BY arrival" },
      async prove() {
        connections.checkDisk();
        await connections.write(proveWrite, [], { limits: readinessLimits, repeatable: true });
      },
      settleBeside: (settled) => acceptor.settle(settled),
    }),
    clock: serverClock,

    get commitCounts() {
      return acceptor.counts;
    },

    accept: (entry) => acceptor.accept(entry),

    [Symbol.asyncDispose]: () => (closed ??= acceptor.close().then(() => opened.disposeAsync())),
  };
}
