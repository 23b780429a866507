// The thread of reading-thread.ts: one connection that only reads, one statement at a time. JavaScript, because stripping
// types costs each thread 40 ms and 18 MB.
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/* oxlint-disable unicorn/require-post-message-target-origin -- a port of a thread, which knows no origins */

/** Texts vary with the filters of lists. The oldest is forgotten first. */
const statementsMax = 200;

const statements = new Map();
const { file, options, script } = workerData;
const database = new DatabaseSync(file, options);
database.exec(script);

function prepared(text) {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const statement = database.prepare(text);
  statements.set(text, statement);
  if (statements.size > statementsMax) statements.delete(statements.keys().next().value);
  return statement;
}

parentPort.on("message", ({ text, values }) => {
  try {
    parentPort.postMessage({ rows: prepared(text).all(...values) });
  } catch (error) {
    // A clone of the error would lose the codes of SQLite.
    const { message, code, errcode } = error;
    parentPort.postMessage({ error: { message, code, errcode } });
  }
});
parentPort.postMessage("ready");
