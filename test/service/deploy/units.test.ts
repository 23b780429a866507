// systemd reads its units here as it would on a server, where there is a systemd.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { filesOf, read, root } from "../../support/deploy/read-deploy.ts";

const units = filesOf("systemd/submissions{,@}.service");
const timed = filesOf("systemd/submissions-backup.*");
/** What runs when a backup fails. */
const report = "deploy/systemd/submissions-backup-failed.service";
const settings = (unit: string) =>
  new Map([...read(unit).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value] as const));

const folder = mkdtempSync(join(tmpdir(), "submissions-units-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The unit with a program that exists on this machine. */
function installed(unit: string): string {
  const file = join(folder, unit.split("/").at(-1) ?? "");
  writeFileSync(file, read(unit).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  return file;
}

const analyze = (...words: string[]) => spawnSync("systemd-analyze", words, { encoding: "utf8" });
const isThere = analyze("--version").error === undefined;

describe.skipIf(!isThere)("systemd", () => {
  test.each([...units, ...timed, report])("takes %s without a complaint", (unit) => {
    // A unit is looked at with those that it starts.
    [...timed, report].forEach(installed);
    const { status, stderr } = analyze("verify", installed(unit));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each([...units, "deploy/systemd/submissions-backup.service"])("counts %s among the well protected", (unit) => {
    const { stdout, stderr } = analyze("security", "--offline=true", "--threshold=20", installed(unit));
    expect(`${stdout}${stderr}`).toMatch(/Overall exposure level for submissions\S*: [01]\.\d/);
  });
});

test.each(units)("%s starts what npm start starts, and no start follows a wrong configuration", (unit) => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: { readonly start: string } };
  const unitSettings = settings(unit);
  const [, ...words] = (unitSettings.get("ExecStart") ?? "").split(" ");
  expect(scripts.start).toBe(`exec node ${words.join(" ")}`);
  expect(existsSync(`${root}/${words.at(-1)}`)).toBe(true);
  expect(unitSettings.get("RestartPreventExitStatus")).toBe("78");
});

test.each(units)("%s is started again however often its database is away, and after one on this machine", (unit) => {
  const [unitSection = "", serviceSection = ""] = read(unit).split("[Service]");
  expect(unitSection).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(unitSection).toMatch(/^After=.*\bpostgresql\.service$/m);
  expect(serviceSection).toMatch(/^Restart=on-failure\nRestartSec=5$/m);
});

test.each([...units, ...timed.filter((unit) => unit.endsWith(".service"))])("%s waits for the right time", (unit) => {
  const [unitSection = ""] = read(unit).split("[Service]");
  expect(unitSection).toMatch(/^After=.*\btime-sync\.target\b/m);
});

test("the nightly backup runs a command that there is, and the timer is what is enabled", () => {
  const [service = "", timer = ""] = timed;
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: { readonly submissions: string } };
  const [, words] =
    /^\S+ (.*) backup \/var\/backups\/submissions --keep 14$/.exec(settings(service).get("ExecStart") ?? "") ?? [];
  expect(scripts.submissions).toBe(`exec node ${words}`);
  expect(settings(timer).get("WantedBy")).toBe("timers.target");
  expect(settings(service).get("ReadWritePaths")).toBe("/var/backups/submissions");
  expect(`deploy/systemd/${settings(service).get("OnFailure")}`).toBe(report);
  expect(settings(report).get("ExecStart")).toMatch(/^\/\S+ .*"A backup failed or lacks something: .*"$/);
});

test("the template differs from the unit by port and folder only", () => {
  const [one, several] = units.map(settings) as [Map<string, string>, Map<string, string>];
  const differing = [...one].filter(([name, value]) => several.get(name) !== value).map(([name]) => name);
  expect(differing).toEqual(["Description", "Environment", "StateDirectory"]);
  expect([...several.keys()]).toEqual([...one.keys()]);
});
