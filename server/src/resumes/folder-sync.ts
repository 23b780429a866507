// Makes the names in folders durable: a file that was renamed into a folder is there after a power loss only once the
// folder itself was synced. Knows nothing of resumes.
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Waits until the names in the folder are on stable storage. */
export const syncFolder = async (folder: string): Promise<void> => {
  await using handle = await open(folder, "r");
  await handle.sync();
};

/** Syncs one folder for many callers: those who come while a sync runs share the next one. */
export class SharedFolderSync {
  readonly #folder: string;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves after a sync that began after this call. */
  sync(): Promise<void> {
    if (!this.#running) return this.#start();
    // The sync under way may have looked at the folder before this caller's rename.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = null;
    const running = syncFolder(this.#folder).finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}

/**
 * Makes `root/names[0]/names[1]/…`, mode 0700, durable with all that is above it up to `root`. Syncs also what was
 * there already: another process may have made it a moment ago and not synced it yet.
 */
export const makeFoldersDurably = async (root: string, names: readonly string[]): Promise<string> => {
  const folder = join(root, ...names);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let parent = dirname(folder), depth = names.length; depth > 0; parent = dirname(parent), depth -= 1) {
    await syncFolder(parent);
  }
  return folder;
};
