// A folder for the files of a test.
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const openFolder = (): Promise<AsyncDisposable & { readonly path: string }> =>
  mkdtempDisposable(join(tmpdir(), "submissions-test-"));
