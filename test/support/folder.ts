// A folder for the files of a test.
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder that is removed with everything in it. */
export const openFolder = (): Promise<AsyncDisposable & { readonly path: string }> =>
  mkdtempDisposable(join(tmpdir(), "submissions-test-"));
