// The process: configuration, signals, exit codes. Everything else is in app.ts.
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { App } from "./app.ts";
import type { Config } from "./config/config.ts";
import { readEnvironment, reportMisspellings } from "./config/load.ts";
import { createLog, type ProcessLog } from "./observe/log.ts";
import { SettingUnusable } from "./optional-packages.ts";
import { configOrExit, exitOverSettings, whatToOpen, whyNotStarted } from "./start-up.ts";

/** A process ends this long after the notice and the longest closing, finished or not. */
const spareMs = 500;
/** Long enough for a balancer that asks twice a second. */
const noticeMs = 1_000;
/** Two SIGINTs closer together than this are one Ctrl-C: npm passes the terminal's on. */
const sameCtrlCMs = 1_000;
/** When compiled code is written to disk. The first time that takes as long as the start itself: callers go first. */
const compiledKeptAfterMs = 500;

async function main(): Promise<void> {
  const environment = readEnvironment();
  // Where nothing can be written, on a full disk, the service starts all the same.
  process.stderr.on("error", () => {});
  process.stderr.write(reportMisspellings(environment));
  const config = configOrExit(environment);
  const log = createLog(config.log.level);
  // Loaded late: a mistake in the configuration is reported at once.
  const { startApp } = await import("./app.ts");
  const app = await startApp({ config, log }).catch((error: unknown) => explainFailedStart(error, config, log));
  endOnSignals(app, log);
  log.info({ address: app.address }, "listening");
  if (isatty(1)) process.stdout.write(whatToOpen(app.address, config));
  await log.flush();
  setTimeout(flushCompileCache, compiledKeptAfterMs).unref();
}

async function explainFailedStart(error: unknown, config: Config, log: ProcessLog): Promise<never> {
  if (error instanceof SettingUnusable) exitOverSettings(error);
  const reason = whyNotStarted(error, config);
  if (reason === null) log.fatal({ err: error }, "the service could not start");
  else process.stderr.write(`The service could not start: ${reason}\n`);
  await log.flush();
  process.exit(1);
}

function endOnSignals(app: App, log: ProcessLog): void {
  let exitCode = 0;
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), noticeMs + app.closeMs + spareMs).unref();
    void close(app, log).then((closed) => process.exit(closed ? exitCode : 1));
  };
  let signalledAt: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (signal === "SIGINT" && performance.now() - (signalledAt ?? Number.NaN) < sameCtrlCMs) return;
      log.info({ signal }, "closing");
      // A second signal means: at once.
      if (signalledAt !== undefined) process.exit(1);
      signalledAt = performance.now();
      end();
    });
  }
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // What state the process is in is unknown: finish what can be finished and let the supervisor start a new one.
      log.fatal({ err: error }, "unexpected error");
      exitCode = 1;
      app.refuseNew();
      end();
    });
  }
}

/** Answers whether everything was closed. Readiness goes first: for a moment callers are sent elsewhere and still served. */
async function close(app: App, log: ProcessLog): Promise<boolean> {
  try {
    app.drain();
    await Promise.all([log.flush(), sleep(noticeMs)]);
    await app.close();
    return true;
  } catch (error) {
    log.fatal({ err: error }, "the service did not close cleanly");
    return false;
  } finally {
    await log.flush();
  }
}

await main();
