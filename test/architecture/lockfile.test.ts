// `npm ci` refuses a lockfile that lacks a platform's package, and npm leaves such packages out when the registry it
// asks does not offer them (github.com/npm/cli/issues/9846). Nobody notices until the next clean install.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

test("the lockfile has an entry for every platform's package", () => {
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const missing = named.filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
