// The process: configuration, signals, exit codes. Everything else is in app.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "./config/config.ts";
import { readEnvironment } from "./config/env.ts";
import { configExitCode, reportProblems } from "./config/report.ts";
import { startApp, type App } from "./app.ts";
import { createLog, type Log } from "./observe/log.ts";
import { SettingUnusable } from "./resumes/vault.ts";

// The service ends within this time of the first signal, finished or not.
const closeMsMax = 9_500;
// Long enough for a balancer that asks twice a second, late answers included; short beside the drain itself.
const noticeMs = 1_000;
// Two SIGINTs closer together than this are one Ctrl-C.
const sameCtrlCMs = 1_000;

async function main(): Promise<void> {
  const loaded = loadConfig(readEnvironment());
  if (!loaded.ok) {
    process.stderr.write(reportProblems(loaded.problems));
    process.exit(configExitCode);
  }
  const { config } = loaded;
  const log = createLog(config.log.level);
  const app = await startApp({ config, log }).catch((error: unknown) => {
    if (error instanceof SettingUnusable) {
      process.stderr.write(reportProblems([{ name: error.variable, message: error.message }]));
      process.exit(configExitCode);
    }
    const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    log.fatal(
      { err: error },
      `the service could not start${taken ? ": the port is taken, set PORT to another one" : ""}`,
    );
    process.exit(1);
  });
  endOnSignals(app, log);
  log.info({ address: app.address }, "listening");
}

// Readiness goes first: for a moment whoever asks is told to go elsewhere, and whoever comes all the same is served, so that
// a process can be replaced without anybody noticing.
async function closeAfterNotice(app: App): Promise<void> {
  app.drain();
  await sleep(noticeMs);
  await app.close();
}

function endOnSignals(app: App, log: Log): void {
  let exitCode = 0;
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), closeMsMax).unref();
    closeAfterNotice(app).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.fatal({ err: error }, "the service did not close cleanly");
        process.exit(1);
      },
    );
  };
  let signalledAt: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // Ctrl-C comes twice under npm: from the terminal, and from npm, which passes its own on.
      if (signal === "SIGINT" && performance.now() - (signalledAt ?? Number.NaN) < sameCtrlCMs) return;
      log.info({ signal }, "closing");
      // Whoever asks twice does not want to wait.
      if (signalledAt !== undefined) process.exit(1);
      signalledAt = performance.now();
      end();
    });
  }
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // What state the process is in is unknown: finish what can be finished and let the supervisor start a new one.
      // Another one meanwhile changes nothing about that.
      log.fatal({ err: error }, "unexpected error");
      exitCode = 1;
      app.refuse();
      end();
    });
  }
}

await main();
