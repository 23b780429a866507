// Who may import whom (docs/architecture.md), read off the sources as text, so that it sees type imports too.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

interface Import {
  readonly from: string;
  /** A path from the root for files of ours, else the package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

function sourcesOf(folder: string): string[] {
  return globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const pattern = /^(?:import|export)\s+(type\s)?[^"';]*?\sfrom\s+"([^"]+)"|^import\s+"([^"]+)"|import\("([^"]+)"\)/gm;
  return [...text.matchAll(pattern)].map(([, type, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? "";
    const to = specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : specifier;
    return { from: file, to, typeOnly: type !== undefined };
  });
}

const all = ["shared", "server", "client"].flatMap(sourcesOf).flatMap(importsOf);
const inside = (folder: string) => (one: Import) => one.from.startsWith(`${folder}/`);
const named = (imports: readonly Import[]) => imports.map(({ from, to }) => `${from} imports ${to}`);

test("sees the imports of the project", () => {
  expect(all.length).toBeGreaterThan(100);
});

/** The files from which a way of imports, those of types too, leads back to them. */
function inCircles(imports: readonly Import[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const reachable = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let file = open.pop(); file !== undefined; file = open.pop())
      for (const { to } of next.get(file) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          open.push(to);
        }
    return seen;
  };
  return [...next.keys()].filter((file) => reachable(file).has(file)).toSorted();
}

test("no file imports itself in a circle, not even by types", () => {
  const circle = ["ab", "bc", "cb"].map(([from = "", to = ""]) => ({ from, to, typeOnly: true }));
  expect(inCircles(circle)).toEqual(["b", "c"]);
  expect(inCircles(all)).toEqual([]);
});

test("the server imports node:http and node:https for their types only (server/src/node-http.ts)", () => {
  const wrong = all.filter(inside("server/src")).filter(({ to, typeOnly }) => /^node:https?$/.test(to) && !typeOnly);
  expect(named(wrong)).toEqual([]);
});

test("shared imports nothing but zod and zod-form-data, so that it runs in a browser", () => {
  const allowed = new Set(["zod", "zod-form-data"]);
  const wrong = all.filter(inside("shared/src")).filter(({ to }) => !to.startsWith("shared/src/") && !allowed.has(to));
  expect(named(wrong)).toEqual([]);
});

test("the client imports shared and tRPC's client, readers of webhooks their verifier, the console its router's type", () => {
  const trpc = new Set(["@trpc/client", "@trpc/server", "@trpc/server/observable"]);
  // Components import the other entries of their package by name, so that bundlers load each once.
  const components = new Set(["react", "@submissions/client", "@submissions/client/forms", "#server-markup"]);
  // The console is a program of its own, built into pages that the server serves.
  const ofTheConsole = /^(?:react|react-dom|pdfjs-dist|mammoth|uqr|@tanstack\/[\w-]+|@trpc\/[\w-]+)(?:\/|$)/;
  const wrong = all.filter(inside("client/src")).filter(({ from, to, typeOnly }) => {
    if (to.startsWith("client/src/") || to.startsWith("@submissions/shared/") || trpc.has(to)) return false;
    if (from === "client/src/webhooks.ts" && to === "standardwebhooks") return false;
    if (from.startsWith("client/src/react/") && components.has(to)) return false;
    if (from.startsWith("client/src/console/") && ofTheConsole.test(to)) return false;
    return !(from.startsWith("client/src/console/") && to === "@submissions/server/console" && typeOnly);
  });
  expect(named(wrong)).toEqual([]);
});

test("the console keeps its state in React and in the cache of its calls, not in modules", () => {
  const state = /^(?:export )?(?:let\s|const [^=]+= new (?:Map|Set|WeakMap)(?:<[^\n]*>)?\(\))/m;
  const files = sourcesOf("client").filter((file) => file.startsWith("client/src/console/"));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => state.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("the typed client runs in browsers, workers and Node: of shared it has types only, and no globals that only Node has", () => {
  const ofClient = all.filter(inside("client/src/sdk"));
  expect(named(ofClient.filter(({ to, typeOnly }) => to.startsWith("@submissions/") && !typeOnly))).toEqual([]);
  for (const file of new Set(ofClient.map(({ from }) => from))) {
    const text = readFileSync(join(root, file), "utf8");
    expect(text, file).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate)\b[.(]/);
  }
});

test("the router and tRPC are known to the files of the client that are made of tRPC, so that forms do without", () => {
  const users = all.filter(inside("client/src")).filter(({ to }) => /^@trpc\/|^@submissions\/server/.test(to));
  const callsOfTheConsole = "client/src/console/calls.ts";
  const madeOfIt = [callsOfTheConsole, "client/src/router.ts", "client/src/sdk/build-client.ts"];
  expect([...new Set(users.map(({ from }) => from))].toSorted()).toEqual(madeOfIt);
  const upper = new Set([...madeOfIt, "client/src/sdk/create-submissions-client.ts"]);
  // All of the console is above its calls.
  const isOfConsole = ({ from, to }: Import) => from.startsWith("client/src/console/") && to === callsOfTheConsole;
  const wrong = all.filter((one) => upper.has(one.to) && !upper.has(one.from) && !isOfConsole(one));
  expect(named(wrong)).toEqual([]);
});

// Files at the root of `src` stand above all layers, but for these, which belong to everybody.
const filesOf = (names: string) => names.split(" ").map((name) => `server/src/${name}.ts`);
const everybodys = filesOf(
  "clock failpoint fault file-errors fixed-windows kinds operator-error field-values make-folder node-http optional-packages repeatedly search-words " +
    "oauth-tokens read-unknown secrets share-answer storage/records",
);
const ports = filesOf(
  "storage/store storage/limits storage/inbound-store storage/desk-store storage/reply-store storage/access-store storage/webhook-store mail/mailer resumes/vault",
);
const layers: Readonly<Record<string, readonly string[]>> = {
  http: [
    "rpc/",
    // What a procedure is called with.
    "intake/call.ts",
    "intake/further-fields.ts",
    "intake/submit.ts",
    // The webhook has no procedure between it and what it does.
    "mail/postmark-events.ts",
    "observe/",
    // The body reader judges a resume, so that all problems of a request are told together.
    "resumes/inspect.ts",
    "resumes/staging.ts",
    "config/catalogue.ts",
    "config/languages.ts",
    "config/openings.ts",
    "config/page-words.ts",
    "config/config.ts",
    // The gate counts before there is a call.
    "storage/rate-limit-store.ts",
  ],
  console: [
    "config/config.ts",
    "desk/",
    // It reads, limits, answers and documents calls as the server does.
    "http/body/body-turns.ts",
    "http/body/content-type.ts",
    "http/fault-reply.ts",
    "http/gate/client-address.ts",
    "http/gate/guard.ts",
    "http/headers.ts",
    "http/openapi/components.ts",
    "http/pages/assets.ts",
    "http/pages/page-answer.ts",
    "http/rpc-wire.ts",
    "observe/log.ts",
    "resumes/display-name.ts",
    "resumes/keep-file.ts",
    "resumes/programs.ts",
    // Bytes that an operator attaches are scanned as a resume is.
    "resumes/scanning.ts",
    "rpc/failure.ts",
    "webhooks/target.ts",
  ],
  rpc: ["intake/"],
  intake: ["config/catalogue.ts", "config/openings.ts", "mail/outbox.ts"],
  // Backups keep copies as the console keeps files.
  desk: ["config/config.ts", "observe/log.ts", "resumes/display-name.ts", "resumes/keep-file.ts", "resumes/staging.ts"],
  storage: [],
  mail: ["config/catalogue.ts", "config/languages.ts", "config/mail-words.ts"],
  // It tells what exports tell.
  webhooks: ["desk/export.ts", "observe/log.ts"],
  resumes: ["observe/log.ts"],
  // It reads and refuses calls as the server does, and keeps files as resumes are kept.
  inbound: [
    "http/body/content-type.ts",
    "http/gate/guard.ts",
    "http/postmark-webhook.ts",
    "mail/inbound-address.ts",
    "mail/message-id.ts",
    "observe/log.ts",
    "resumes/display-name.ts",
    "resumes/inspect.ts",
    "resumes/keep-file.ts",
    "resumes/staging.ts",
  ],
  // What a call tells of its way.
  observe: ["intake/call.ts"],
  // It imports the types of what it configures, and nothing else of them (below).
  config: [
    "console/open-id-connect.ts",
    "http/gate/client-address.ts",
    "inbound/imap.ts",
    "mail/inbound-address.ts",
    "mail/transports.ts",
    "observe/log.ts",
    "observe/traces.ts",
    "resumes/open-vault.ts",
    "resumes/scanning.ts",
    "storage/open-store.ts",
    "webhooks/target.ts",
  ],
};

describe.each(Object.entries(layers))("server/src/%s", (layer, allowed) => {
  test("imports only what its place allows", () => {
    const folder = `server/src/${layer}`;
    const wrong = all.filter(inside(folder)).filter(({ to }) => {
      if (!to.startsWith("server/src/") || to.startsWith(`${folder}/`)) return false;
      return ![...everybodys, ...ports, ...allowed.map((path) => `server/src/${path}`)].some((path) =>
        path.endsWith("/") ? to.startsWith(path) : to === path,
      );
    });
    expect(named(wrong)).toEqual([]);
  });
});

test.each(["rules", "sql"])("storage/%s, which both engines run, imports neither of them", (folder) => {
  const imports = all.filter(inside(`server/src/storage/${folder}`));
  expect(imports.length).toBeGreaterThan(20);
  expect(named(imports.filter(({ to }) => /^server\/src\/storage\/(?:sqlite|postgres)\//.test(to)))).toEqual([]);
});

/** The calls of generators that are statements of their own, and do not begin with `yield*`. */
function callsAlone(text: string): string[] {
  // From the line of a generator to the first line that closes at its indentation.
  const generator = /^( *)(?:[^\n/]*function\*|(?:async )?\*[\w[]).*\n[^]*?^\1\}/gm;
  const call = /(?<=[;{})]\n(?:\s*\/\/.*\n)*)\s+(?:if \(.*\) |for \(.*\) |else )?(\w[\w.?]*)\(/g;
  const bodies = [...text.matchAll(generator)].map(([body]) => body);
  return bodies.flatMap((body) => [...body.matchAll(call)].map(([, name = ""]) => name));
}

test("no query is left behind that never runs: a statement of a generator begins with yield* or runs none", () => {
  const files = globSync("server/src/storage/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
  const runsNone =
    /^(?:if|for|while|return|throw)$|^(?:reached|lookUpOf|passOver\?\.)$|^\w+(?:\.\w+)?\.(?:push|set|delete)$/;
  const left = (text: string) => callsAlone(text).filter((name) => !runsNone.test(name));
  expect(texts.flatMap(left)).toEqual([]);
  // Each statement is found when its yield* is missing.
  const yields = texts.flatMap((text) =>
    [...text.matchAll(/(?<=(?<!\()\n +(?:if \(.*\) |for \(.*\) |else )?)yield\* (?=(\w[\w.?]*)\()/g)].map(
      ({ index, 0: { length }, 1: name }) => ({ text: text.slice(0, index) + text.slice(index + length), name }),
    ),
  );
  expect(yields.length).toBeGreaterThan(60);
  expect(yields.filter(({ text, name }) => left(text).join() !== name).map(({ name }) => name)).toEqual([]);
});

test("the configuration imports nothing but types of what it configures, tables of settings, days, and what reads any text", () => {
  const tables = filesOf("kinds mail/transports mail/inbound-address optional-packages read-unknown clock");
  const wrong = all
    .filter(inside("server/src/config"))
    .filter(({ to }) => !tables.includes(to))
    .filter(({ to, typeOnly }) => to.startsWith("server/src/") && !to.startsWith("server/src/config/") && !typeOnly);
  expect(named(wrong)).toEqual([]);
});

test.each([
  ["tldts", ["server/src/inbound/verdict.ts"]],
  ["node:sqlite", ["server/src/storage/sqlite/"]],
  ["pg", ["server/src/storage/postgres/"]],
  ["fastify", ["server/src/http/", "server/src/console/", "server/src/inbound/", "server/src/app.ts"]],
  ["@fastify/multipart", ["server/src/http/"]],
  ["postmark", ["server/src/mail/providers/"]],
  ["nodemailer", ["server/src/mail/providers/"]],
  ["@aws-sdk/client-s3", ["server/src/resumes/s3-bucket.ts"]],
  ["@aws-sdk/s3-request-presigner", ["server/src/resumes/s3-bucket.ts"]],
  ["commander", ["server/src/commands/"]],
  ["altcha-lib", ["server/src/intake/proof-of-work.ts"]],
  ["disposable-email-domains-js", ["server/src/mail/disposable.ts"]],
  ["pino", ["server/src/observe/log.ts"]],
  ["sonic-boom", ["server/src/observe/log.ts"]],
  ["@opentelemetry", ["server/src/observe/traces.ts"]],
  ["prom-client", ["server/src/observe/"]],
])("%s is known in one place only", (name, places) => {
  const users = all.filter(({ to }) => to === name || to.startsWith(`${name}/`));
  expect(users.length).toBeGreaterThan(0);
  expect(named(users.filter(({ from }) => !places.some((place) => from.startsWith(place))))).toEqual([]);
});

test("process.env is read in one place", () => {
  const readers = ["shared", "server", "client"]
    .flatMap(sourcesOf)
    .filter((file) => /process\s*\.\s*env\b/.test(readFileSync(join(root, file), "utf8").replace(/\/\/.*$/gm, "")));
  expect(readers).toEqual(["server/src/config/load.ts"]);
});

test("one file adds to Fastify's requests, so that all have one shape", () => {
  const adds = /decorateRequest\(|interface FastifyRequest\b|\brequest\.(?!exchange\b)\w+ = /;
  const files = sourcesOf("server").filter((file) => adds.test(readFileSync(join(root, file), "utf8")));
  expect(files).toEqual(["server/src/http/exchange.ts"]);
});

test("no file hides what it holds behind a name that says nothing", () => {
  const vague = /(?:^|\/)(?:utils?|helpers?|common|misc|index)\.ts$/;
  const files = ["shared", "server", "client"].flatMap(sourcesOf);
  expect(files.filter((file) => vague.test(file) || !/^[a-z0-9/.-]+$/.test(file))).toEqual([]);
});
