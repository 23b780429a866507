// What the port promises about backups, on engines that make their own.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accept, inquiry } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function backupGuarantees(open: OpenStoreUnderTest): void {
  test("writes a backup that only its owner can read", async () => {
    await using tested = await open();
    await accept(tested.store, inquiry(1));
    const file = join(tested.folder, "backup");
    await tested.store.backup(file);
    const { mode, size } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    expect(size).toBeGreaterThan(0);
  });

  test("never writes a backup over a file", async () => {
    await using tested = await open();
    const file = join(tested.folder, "precious");
    await writeFile(file, "last year's backup");
    await expect(tested.store.backup(file)).rejects.toThrow("already exists");
    expect(await readFile(file, "utf8")).toBe("last year's backup");
  });
}
