import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// A store that exists never runs 0001 again: change the schema with a new file, and leave these hashes alone.
test.each([
  ["sqlite", "4362c26525a29b81b850597ea1f7ddf22859038de191468cad5f9e3bf51e78cf"],
  ["postgres", "3d6d87363faf3f8042ee569fde8f508e1325ccc24520ca41596dda1a5cbcb0fb"],
])("migration 0001 of %s is frozen", (engine, frozen) => {
  const script = readFileSync(join(import.meta.dirname, engine, "migrations/0001-schema.sql"));
  expect(createHash("sha256").update(script).digest("hex")).toBe(frozen);
});
