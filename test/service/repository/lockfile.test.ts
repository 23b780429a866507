// `npm ci` refuses a lockfile that lacks a platform's package, and npm leaves such packages out when the registry it asks
// does not offer them (github.com/npm/cli/issues/9846). That shows only with the next clean install.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

test("the lockfile has an entry for every platform's package", () => {
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const missing = named.filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test("every package has its integrity, but for some development tools of other platforms", () => {
  const fromRegistry = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  const without = fromRegistry.filter(([, { integrity }]) => !(integrity ?? "").startsWith("sha512-"));
  expect(fromRegistry.length).toBeGreaterThan(500);
  // npm knew no integrity of these when they were locked. Nothing of them is in what runs in production.
  const isToolElsewhere = ({ dev = false, optional = false, os }: LockedPackage) => dev && optional && os !== undefined;
  expect(without.filter(([, one]) => !isToolElsewhere(one)).map(([path]) => path)).toEqual([]);
  // A new one is a mistake.
  expect(without.length).toBeLessThanOrEqual(57);
});
