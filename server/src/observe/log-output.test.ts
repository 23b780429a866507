import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { flushed, openOutput } from "./log.ts";

const line = `${"x".repeat(99)}\n`;

test("writes all lines in their order, in few pieces", async () => {
  const folder = await mkdtemp(join(tmpdir(), "log-"));
  const path = join(folder, "log");
  await using file = await open(path, "w");
  const output = openOutput(file.fd);
  for (let number = 0; number < 1_000; number += 1) output.write(`${number}\n`);
  // Read at once: a second later they would be written.
  expect(readFileSync(path, "utf8")).toBe("");
  await flushed(output);
  output.write("1000\n");
  output.flushSync();
  const numbers = (await readFile(path, "utf8")).trimEnd().split("\n").map(Number);
  expect(numbers).toEqual(Array.from({ length: 1_001 }, (_, number) => number));
  await rm(folder, { recursive: true });
});

const program = `
  const { openOutput } = await import(process.argv[1]);
  const output = openOutput(1);
  for (let number = 0; number < 5000; number += 1) output.write(${JSON.stringify(line)});
  await new Promise(setImmediate);
  output.write("last\\n");
  process.exit(3);`;

const module = new URL("log.ts", import.meta.url).href;
const run = (code: string, output: "pipe" | number = "pipe") =>
  spawn(process.execPath, ["--input-type=module", "-e", code, module], { stdio: ["ignore", output, "pipe"] });

test("a process that exits has written everything", async () => {
  const child = run(program);
  const [written, [code]] = await Promise.all([text(child.stdout!), once(child, "close")]);
  expect(code).toBe(3);
  // The last line may overtake what is being written.
  expect(written.replace("last\n", "") === line.repeat(5_000)).toBe(true);
  expect(written).toContain("last\n");
});

// Where it does not block, the exit cannot wait for a slow reader.
test.runIf(process.platform === "linux")("the log of a process leaves a pipe as it was", async () => {
  const child = run(`
    import { readFileSync } from "node:fs";
    (await import(process.argv[1])).createLog("info").info("begun");
    const [, flags] = /flags:\\s+(\\d+)/.exec(readFileSync("/proc/self/fdinfo/1", "utf8"));
    process.stderr.write(String(Number.parseInt(flags, 8) & 0o4000));`);
  expect(await text(child.stderr!)).toBe("0");
});

test("a process whose reader has gone ends as it wants to", async () => {
  const child = run(program);
  child.stdout!.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  expect([code, errors]).toEqual([3, ""]);
});

const service = `
  const { createLog } = await import(process.argv[1]);
  const log = createLog("info");
  for (let number = 0; number < 500; number += 1) log.info({ count: number }, "still here");
  await log.flush();
  log.fatal("something is wrong");
  await log.flush();
  process.exit(3);`;

test.skipIf(!existsSync("/dev/full"))("a process logs to a full disk, goes on, and ends as it wants to", async () => {
  await using full = await open("/dev/full", "w");
  const child = run(service, full.fd);
  const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  expect([code, errors]).toEqual([3, ""]);
});
