// What the vault and the scanner ask about resumes.
import type { Store } from "../store.ts";
import type { Connections } from "./connections.ts";
import type { Statement } from "./session.ts";

// What another process is claiming at this moment is not waited for.
const claim: Statement<{ arrival: number; reference: string; key: string }> = {
  name: "claim-unscanned",
  text: `
    UPDATE submission SET resume_lease_until = $3 WHERE arrival = ANY (ARRAY (
      SELECT arrival FROM submission
      WHERE resume_scan = 'unscanned' AND (resume_lease_until IS NULL OR resume_lease_until <= $1)
      ORDER BY arrival LIMIT $2 FOR UPDATE SKIP LOCKED
    )) RETURNING arrival, reference, resume_key AS key`,
};

const record: Statement = {
  name: "record-scan",
  text: "UPDATE submission SET resume_scan = $2, resume_lease_until = NULL WHERE resume_key = $1",
};

const known: Statement<{ key: string }> = {
  name: "known-resumes",
  // The index has only rows with a resume, and the planner must see that these are.
  text: "SELECT resume_key AS key FROM submission WHERE resume_key = ANY ($1::text[]) AND resume_key IS NOT NULL",
};

export async function claimUnscanned(
  connections: Connections,
  ...[now, limit, until]: Parameters<Store["claimUnscanned"]>
): ReturnType<Store["claimUnscanned"]> {
  // Repeatable: what was claimed by a lost answer is claimed again later.
  const claimed = await connections.write(claim, [now, limit, until], { repeatable: true });
  // RETURNING promises no order.
  return claimed.toSorted((a, b) => a.arrival - b.arrival).map(({ reference, key }) => ({ reference, key }));
}

export async function recordScan(
  connections: Connections,
  ...[key, verdict]: Parameters<Store["recordScan"]>
): Promise<void> {
  await connections.write(record, [key, verdict], { repeatable: true });
}

export async function knownAmong(connections: Connections, keys: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await connections.all(known, [keys])).map(({ key }) => key));
}
