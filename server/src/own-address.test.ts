import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFolder } from "../../test/support/folder.ts";
import { keepAddress } from "./own-address.ts";

test.each([false, true])(
  "the address of the running service is a file of its own user, also after one was left behind: %s",
  async (wasLeft) => {
    await using folder = await openFolder();
    const file = join(folder.path, "address");
    if (wasLeft) {
      await writeFile(file, "http://127.0.0.1:1");
      await chmod(file, 0o644);
    }
    {
      await using _kept = await keepAddress(folder.path, "http://127.0.0.1:3000");
      expect(await readFile(file, "utf8")).toBe("http://127.0.0.1:3000");
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  },
);
