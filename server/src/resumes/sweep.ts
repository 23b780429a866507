// The sweep of kept files, the same for every vault. A file that the store does not know is a leftover of a crash, or the
// store is the wrong one: empty, or restored from a backup. The two cannot be told apart for certain, so nothing is deleted
// because of it. Leftovers are few and recent; they are set aside, and deleted 30 days later. Anything else stays.
import { dayMs } from "../clock.ts";
import { sweepStaged } from "./staging.ts";
import { dayOf, keyPattern, type KnownKeys, type SweepOptions, type Swept } from "./vault.ts";

const setAsideMs = 30 * dayMs;
/** Older files were judged by many sweeps before. */
const daysJudged = 3;
/** A crash leaves as many files as uploads were being committed. More are a restored store's. */
const leftoversMax = 10;
/** Keys asked for at a time; as many are looked at when a vault is paired. */
const batchMax = 500;
/** Keys that a process remembers; they are some 100 bytes each. */
const takenBackMax = 1_000;
const asidePrefix = "set-aside/";

/** A file of a vault, under its name there: a key, or a key behind `set-aside/`. */
export interface ShelvedFile {
  readonly name: string;
  /** When it was kept or moved, by the clock of the shelf. NaN: unknown, so it is neither old nor young. */
  readonly writtenAt: number;
}

/** What the sweep needs of a vault's engine. Files may vanish at any time: other processes sweep too. */
export interface Shelf {
  /** The time by the clock that also dates the files. NaN when it is unknown. */
  now(): Promise<number>;
  /** Files whose names begin with the prefix, which is empty or ends in a slash. Others may be among them. */
  list(prefix: string): AsyncIterable<ShelvedFile>;
  /** Moves a file and dates it anew. Answers false when it is gone. */
  move(from: string, to: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** The text that {@link writeIdentity} left; null when there is none. */
  readIdentity(): Promise<string | null>;
  /** Replaces the text. It is short, and could be the name of a file. */
  writeIdentity(text: string): Promise<void>;
}

/** Does what `Vault.sweep` says. @param now by the clock of this machine @throws VaultUnavailable, errors of the system */
export async function sweepVault(
  shelf: Shelf,
  takenBack: TakenBack,
  stagingFolder: string,
  now: number,
  options: SweepOptions,
): Promise<Swept> {
  const staged = await sweepStaged(stagingFolder, now - options.olderThanMs);
  let removed = 0;
  // Those after the first that cannot be removed wait for the next sweep.
  for (const key of takenBack) {
    await shelf.remove(key);
    takenBack.delete(key);
    removed += 1;
  }
  const swept = await sweepShelf(shelf, options);
  return { ...swept, staged, removed: swept.removed + removed };
}

async function sweepShelf(
  shelf: Shelf,
  { known, identity, olderThanMs }: SweepOptions,
): Promise<Omit<Swept, "staged">> {
  const now = await shelf.now();
  const judgedFrom = await pair(shelf, known, identity, { now, underWayFrom: now - olderThanMs });
  if (judgedFrom === null) return { setAside: 0, putBack: 0, removed: 0, withheld: "other-identity" };
  const reviewed = await reviewSetAside(shelf, known, now - setAsideMs);
  const leftovers = await findLeftovers(shelf, known, { now, from: judgedFrom, to: now - olderThanMs });
  if (leftovers.length > leftoversMax) {
    // Otherwise they would be fewer with each day that goes out of sight, and in the end few enough to be set aside.
    await shelf.writeIdentity(writePairing(identity, now));
    return { setAside: 0, ...reviewed, withheld: "too-many" };
  }
  let setAside = 0;
  for (const key of leftovers) if (await shelf.move(key, asidePrefix + key)) setAside += 1;
  return { setAside, ...reviewed, withheld: "none" };
}

/** Keys that this process could not take back. The next sweep removes their files without asking the store. */
export class TakenBack extends Set<string> {
  override add(key: string): this {
    // More are found by the sweep, as those of crashed processes are.
    return this.size < takenBackMax ? super.add(key) : this;
  }
}

/** Whether the shelf was paired with the store of this identity. Pairs nothing. */
export async function isPaired(shelf: Pick<Shelf, "readIdentity">, identity: string): Promise<boolean> {
  const text = await shelf.readIdentity();
  return text !== null && readPairing(text).identity === identity;
}

/** What a vault notes of its store: the identity, and from when on files are judged, by the clock of the shelf. */
const writePairing = (identity: string, judgedFrom: number) => `${identity}@${judgedFrom}`;

function readPairing(text: string) {
  const at = text.lastIndexOf("@");
  return { identity: text.slice(0, at), judgedFrom: Number(text.slice(at + 1)) };
}

// From when on files are judged; null when the vault does not belong to this store. An unpaired vault is paired, unless all
// that it holds is unknown to the store and some of it is too old to be an application that is being stored.
async function pair(
  shelf: Shelf,
  known: KnownKeys,
  identity: string,
  { now, underWayFrom }: { readonly now: number; readonly underWayFrom: number },
): Promise<number | null> {
  const text = await shelf.readIdentity();
  if (text !== null) {
    const pairing = readPairing(text);
    return pairing.identity === identity ? pairing.judgedFrom : null;
  }
  const sample: KeptFile[] = [];
  for await (const file of keysOf(shelf.list(""), "")) {
    sample.push(file);
    if (sample.length === batchMax) break;
  }
  // The name tells the day, too: a copy of a vault is written now, but its names are old.
  const isUnderWay = ({ key, writtenAt }: KeptFile) => writtenAt >= underWayFrom && key >= dayOf(underWayFrom);
  if (!sample.every(isUnderWay) && (await known(sample.map(({ key }) => key))).size === 0) return null;
  // Nothing tells whether the store is as recent as the files that are there already.
  const judgedFrom = sample.length === 0 ? 0 : now;
  await shelf.writeIdentity(writePairing(identity, judgedFrom));
  return judgedFrom;
}

/** Puts back what the store knows after all, and removes what was set aside before an instant. */
async function reviewSetAside(shelf: Shelf, known: KnownKeys, before: number) {
  let [putBack, removed] = [0, 0];
  for await (const batch of inBatches(keysOf(shelf.list(asidePrefix), asidePrefix))) {
    const kept = await known(batch.map(({ key }) => key));
    for (const { key, writtenAt } of batch) {
      if (kept.has(key)) {
        if (await shelf.move(asidePrefix + key, key)) putBack += 1;
      } else if (writtenAt < before) {
        await shelf.remove(asidePrefix + key);
        removed += 1;
      }
    }
  }
  return { putBack, removed };
}

/** Files of the last days that nothing knows, written in a stretch of time. Stops looking when there are too many. */
async function findLeftovers(
  shelf: Shelf,
  known: KnownKeys,
  { now, from, to }: { readonly now: number; readonly from: number; readonly to: number },
): Promise<readonly string[]> {
  const leftovers: string[] = [];
  if (Number.isNaN(now)) return leftovers;
  // Days are named by the clocks of the processes that kept the files, which may be ahead.
  for (let daysAgo = -1; daysAgo <= daysJudged; daysAgo += 1) {
    const files = keysOf(shelf.list(`${dayOf(now - daysAgo * dayMs)}/`), "");
    for await (const batch of inBatches(files)) {
      const keys = batch.filter(({ writtenAt }) => writtenAt >= from && writtenAt < to).map(({ key }) => key);
      const kept = await known(keys);
      leftovers.push(...keys.filter((key) => !kept.has(key)));
      if (leftovers.length > leftoversMax) return leftovers;
    }
  }
  return leftovers;
}

type KeptFile = { readonly key: string; readonly writtenAt: number };

/** Files without a name that a vault gives are not the vault's, and are left alone. */
async function* keysOf(files: AsyncIterable<ShelvedFile>, prefix: string): AsyncGenerator<KeptFile> {
  for await (const { name, writtenAt } of files) {
    const key = name.slice(prefix.length);
    if (keyPattern.test(key)) yield { key, writtenAt };
  }
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
