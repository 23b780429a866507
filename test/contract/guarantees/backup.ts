// What the port promises about backups, on engines that make their own.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { accept, inquiry } from "../records.ts";
import type { StoreTest } from "../store-under-test.ts";

export function backupGuarantees(test: StoreTest): void {
  test("writes a backup that only its owner can read", async ({ store, tested }) => {
    await accept(store, inquiry(1));
    const file = join(tested.folder, "backup");
    await store.backup(file);
    const { mode, size } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    expect(size).toBeGreaterThan(0);
  });

  test("never writes a backup over a file", async ({ store, tested }) => {
    const file = join(tested.folder, "precious");
    await writeFile(file, "last year's backup");
    await expect(store.backup(file)).rejects.toThrow("already exists");
    expect(await readFile(file, "utf8")).toBe("last year's backup");
  });
}
