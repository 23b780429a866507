// What a user of tRPC would take in place of our doors: its stock plugins over our procedures, store and outbox.
import { randomUUID } from "node:crypto";
import { fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import Fastify from "fastify";
import { fastifyTRPCOpenApiPlugin } from "trpc-to-openapi";
import { loadConfig } from "../../server/src/config/load.ts";
import type { Call } from "../../server/src/intake/call.ts";
import type { Intake } from "../../server/src/intake/submit.ts";
import { compileMails } from "../../server/src/mail/compose.ts";
import { openMailer } from "../../server/src/mail/transports.ts";
import { openOutbox } from "../../server/src/mail/outbox.ts";
import { mailSettingsOf } from "../../server/src/mail-settings.ts";
import { openVault } from "../../server/src/resumes/open-vault.ts";
import { appRouter } from "../../server/src/rpc/router.ts";
import { openStore } from "../../server/src/storage/open-store.ts";

const config = loadConfig(process.env);
const store = await openStore(config.storage);
const none = () => {};
const fail = (error: unknown) => {
  throw error;
};
const outbox = openOutbox({
  store,
  mailer: await openMailer(config.mail, config.addresses.from, store.messageKey),
  compose: compileMails({
    ...mailSettingsOf(config),
    publicUrl: () => "https://submissions.example",
    answerTo: null,
    receiptId: () => "<receipt>",
  }),
  events: { settled: none, missed: none, paused: none, resumed: none, failed: fail },
  deadlineMs: config.mailDeadlineMs,
});
const intake: Intake = {
  clock: store.clock,
  store,
  vault: await openVault(config.vault, store.clock),
  outbox,
  keysInFlight: new Set(),
  keysConfirmed: new Set(),
  proofOfWork: null,
  packageTitles: null,
  languages: new Set(["en"]),
  openings: null,
  newsletterOptIn: "double",
  mailCapped: none,
  failedAfterCommit: fail,
};
const createContext = () => ({
  intake,
  call: { ...call, requestId: randomUUID(), deadline: performance.now() + 20_000 },
});
const call: Omit<Call, "requestId" | "deadline"> = {
  value: {},
  problems: [],
  resume: null,
  door: "rpc",
  key: null,
  spam: false,
  solution: null,
  consent: null,
  language: "en",
  more: null,
  watch: { ended: none, stored: none, mailed: none },
};

const app = Fastify({ routerOptions: { maxParamLength: 5_000 } });
await app.register(fastifyTRPCPlugin, { prefix: "/trpc", trpcOptions: { router: appRouter, createContext } });
await app.register(fastifyTRPCOpenApiPlugin, { basePath: "/", router: appRouter, createContext });
await app.listen({ host: "127.0.0.1", port: config.listen.port });
