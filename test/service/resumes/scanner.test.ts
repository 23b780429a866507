// The scanner's part of scanning: who is handed which resume, and what happens while the daemon gives no verdict.
import { randomUUID } from "node:crypto";
import { EventEmitter, on } from "node:events";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { systemClock } from "../../../server/src/clock.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import { startScanning } from "../../../server/src/resumes/scanning.ts";
import { ResumeMissing, VaultUnavailable } from "../../../server/src/resumes/vault.ts";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { join } from "node:path";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { findResume } from "../../contract/records.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { applicant, form, pdf, rest } from "../../support/doors.ts";
import { type Service, startService } from "../../support/service.ts";

class Resumes {
  readonly verdicts = new Map<string, string>();
  readonly claims: string[] = [];
  readonly #contents: ReadonlyMap<string, string | null>;
  readonly #claimedUntil = new Map<string, number>();
  readonly #events = new EventEmitter();
  now = 0;

  constructor(...contents: readonly (string | null)[]) {
    this.#contents = new Map(contents.map((content) => [randomUUID(), content]));
  }

  readonly store = {
    clock: { ...systemClock, now: () => this.now },
    claimUnscanned: async (now: number, limit: number, until: number) => {
      const isFree = (key: string) => !this.verdicts.has(key) && (this.#claimedUntil.get(key) ?? 0) <= now;
      const claimed = [...this.#contents.keys()].filter(isFree).slice(0, limit);
      for (const key of claimed) this.#claimedUntil.set(key, until);
      this.claims.push(...claimed);
      this.#events.emit("claim", claimed.length);
      return claimed.map((key) => ({ key, reference: `APP-20261121-${key.slice(0, 6)}` }));
    },
    recordScan: async (key: string, verdict: string) => void this.verdicts.set(key, verdict),
  };

  readonly vault = {
    read: async (key: string) => {
      const content = this.#contents.get(key);
      if (typeof content !== "string") throw new ResumeMissing("There is no such file.");
      return Readable.from([Buffer.from(content)]);
    },
  };

  async drained(): Promise<void> {
    for await (const [count] of on(this.#events, "claim")) if (count === 0) return;
  }

  get said(): readonly (string | undefined)[] {
    return [...this.#contents.keys()].map((key) => this.verdicts.get(key));
  }
}

function scanning(resumes: Resumes, address: string, cut?: (bytes: Buffer) => AsyncIterable<Buffer>) {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line: string) => void lines.push(line) });
  const [host = "", port] = address.split(":");
  const { store } = resumes;
  const vault = cut === undefined ? resumes.vault : { read: async () => Readable.from(cut(Buffer.from("%PDF"))) };
  const answers: boolean[] = [];
  const answered = (ready: boolean) => void answers.push(ready);
  const scanner = startScanning({ clamd: { host, port: Number(port) }, store, vault, log, answered });
  return { lines, answers, scanner };
}

test.each(["hang up", "INSTREAM size limit exceeded. ERROR", ""])(
  "a resume on which the daemon answers %j stays unscanned, and does not hold up those behind it",
  async (excuse) => {
    await using clamd = await ClamdStandIn.open();
    clamd.excuses.push(excuse);
    const resumes = new Resumes("odd", "good");
    const drained = resumes.drained();
    const { lines, scanner } = scanning(resumes, clamd.address);
    await drained;
    await scanner[Symbol.asyncDispose]();
    expect(resumes.said).toEqual([undefined, "clean"]);
    expect(lines.filter((line) => line.includes("a resume cannot be scanned"))).toHaveLength(1);
    // Its claim ends, and it is tried again.
    resumes.now += 10 * 60_000;
    const again = resumes.drained();
    await using _next = scanning(resumes, clamd.address).scanner;
    await again;
    expect(resumes.said).toEqual(["clean", "clean"]);
  },
);

test("a resume whose file is missing does not hold up those behind it", async () => {
  await using clamd = await ClamdStandIn.open();
  const resumes = new Resumes(null, "good");
  const drained = resumes.drained();
  await using _scanner = scanning(resumes, clamd.address).scanner;
  await drained;
  expect(resumes.said).toEqual([undefined, "clean"]);
});

test("a resume whose bytes end early is left for later, and the log names the vault", async () => {
  await using clamd = await ClamdStandIn.open();
  const resumes = new Resumes("cut", "good");
  const { lines, scanner } = scanning(resumes, clamd.address, async function* (bytes) {
    yield bytes;
    throw new VaultUnavailable("The object store cannot be used: the connection failed.");
  });
  await expect.poll(() => lines).toHaveLength(1);
  await scanner[Symbol.asyncDispose]();
  expect(lines[0]).toMatch(
    /scanning resumes failed and will be tried again.*VaultUnavailable|VaultUnavailable.*will be tried again/,
  );
  expect(resumes.said).toEqual([undefined, undefined]);
});

test("while the daemon is away no resume is claimed, so that its return finds all of them free", async () => {
  const resumes = new Resumes("waiting");
  const { lines, scanner } = scanning(resumes, "127.0.0.1:1");
  await expect.poll(() => lines.length).toBe(1);
  await scanner[Symbol.asyncDispose]();
  expect(resumes.claims).toEqual([]);
  expect(lines[0]).toContain("scanning resumes failed and will be tried again");
});

test("the daemon counts as down while it is away, takes connections without an answer, or judges no file", async () => {
  await using clamd = await ClamdStandIn.open();
  const answersOf = async (address: string, ...contents: string[]) => {
    const { answers, scanner } = scanning(new Resumes(...contents), address);
    await expect.poll(() => answers.length).toBeGreaterThan(contents.length === 0 ? 0 : 1);
    await scanner[Symbol.asyncDispose]();
    return answers.slice(0, 2);
  };
  expect((await answersOf("127.0.0.1:1"))[0]).toBe(false);
  expect((await answersOf(clamd.address))[0]).toBe(true);
  clamd.excuses.push("INSTREAM size limit exceeded. ERROR");
  expect(await answersOf(clamd.address, "odd")).toEqual([false, true]);
  clamd.isBroken = true;
  expect((await answersOf(clamd.address))[0]).toBe(false);
});

// Through the running service and its command line.
async function apply(service: Service, resumeFile: File): Promise<string> {
  const { status, receipt } = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile }));
  expect(status).toBe(200);
  return String(receipt?.["applicationId"]);
}

async function scanOf(service: Service, reference: string) {
  const file = join(service.dataFolder, "submissions.sqlite");
  await using store = await openStore({ kind: "sqlite", file }, { access: "read-only" });
  return (await findResume(store, reference))?.scan;
}

const save = (service: Service, reference: string, env: Record<string, string>) =>
  runCommand(["resume", reference, "--output", "-"], { DATA_DIR: service.dataFolder, ...env });

const infected = () => new File(["%PDF-1.7\nEICAR\nstartxref\n0\n%%EOF\n"], "resume.pdf");

test("a resume is scanned whole after it was accepted, and an infected one cannot be saved", async () => {
  await using clamd = await ClamdStandIn.open();
  const env = { CLAMD_ADDRESS: clamd.address };
  await using service = await startService({ env });
  const clean = pdf("resume.pdf", 300_000);
  const [good, bad] = [await apply(service, clean), await apply(service, infected())];
  await expect.poll(() => scanOf(service, good)).toBe("clean");
  await expect.poll(() => scanOf(service, bad)).toBe("infected");
  expect(clamd.scanned[0]).toEqual(Buffer.from(await clean.arrayBuffer()));
  expect((await save(service, good, env)).code).toBe(0);
  for (const scanner of [env, {}]) {
    const refused = await save(service, bad, scanner);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("infected");
  }
  // An alarm may be false, so both files are still there.
  expect((await service.files("resumes")).filter((path) => /[0-9a-f]{32}$/.test(path))).toHaveLength(2);
});

test("a scanner that gives no verdict delays saving, never the submission", async () => {
  await using clamd = await ClamdStandIn.open();
  const env = { CLAMD_ADDRESS: clamd.address };
  clamd.excuses.push("INSTREAM size limit exceeded. ERROR");
  await using service = await startService({ env });
  const reference = await apply(service, pdf());
  await expect.poll(() => clamd.excuses.length).toBe(0);
  expect(await scanOf(service, reference)).toBe("unscanned");
  const refused = await save(service, reference, env);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("not judged");
});

test("a scanner that is away is asked again by the next start, and old resumes are caught up with", async () => {
  await using clamd = await ClamdStandIn.open();
  await using first = await startService({ env: { CLAMD_ADDRESS: "127.0.0.1:1" } });
  const reference = await apply(first, pdf());
  await first.stop();
  await using _second = await startService({ env: { DATA_DIR: first.dataFolder, CLAMD_ADDRESS: clamd.address } });
  await expect.poll(() => scanOf(first, reference)).toBe("clean");
});
