import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { samplePackages } from "./catalogue.ts";
import { publicUrl, type Config } from "./config.ts";
import {
  describeSettings,
  type Environment,
  loadConfig as configOf,
  reportMisspellings,
  reportProblems,
} from "./load.ts";
import { type ConfigProblem, SettingUnusable } from "../optional-packages.ts";
import { builtInLanguages, mailsOf } from "./languages.ts";
import { ofKinds, serverKinds } from "../kinds.ts";
import { sections, settings, type Setting } from "./settings.ts";

function problemsOf(environment: Environment): readonly ConfigProblem[] {
  try {
    configOf(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingUnusable) return error.problems;
    throw error;
  }
}

const namesOf = (environment: Environment) => problemsOf(environment).map(({ name }) => name);

test("needs nothing to start, and defaults as documented", () => {
  const data = resolve("data");
  expect(configOf({})).toEqual({
    brand: "Speech Marketplace",
    mode: "all",
    listen: { host: "127.0.0.1", port: 3000 },
    publicUrl: null,
    dataFolder: data,
    storage: { kind: "sqlite", file: join(data, "submissions.sqlite") },
    vault: { kind: "disk", folder: join(data, "resumes") },
    scanner: null,
    mail: { kind: "mailbox", folder: join(data, "mailbox") },
    addresses: {
      from: { name: "Speech Marketplace", address: "no-reply@marketplace.example" },
      teams: expect.objectContaining({
        inquiry: ["sales@marketplace.example"],
        application: ["recruiting@marketplace.example"],
      }),
    },
    languages: builtInLanguages,
    openings: null,
    mailLook: { words: mailsOf(builtInLanguages), logo: null, signature: [] },
    mailDeadlineMs: 2000,
    postmarkWebhook: null,
    inbound: null,
    newsletterOptIn: "double",
    privacy: null,
    packages: null,
    knownPackages: samplePackages,
    proofOfWork: null,
    disposableDomains: [],
    corsOrigins: [],
    hasFrontPage: true,
    trustedProxy: 0,
    rateLimit: { max: 60, windowSeconds: 60 },
    replyCopies: false,
    retentionDays: { ...ofKinds(() => null), spam: null, declined: null },
    webhookTargets: "public",
    digest: null,
    oidc: null,
    passwordsOn: true,
    totpRequired: false,
    metricsToken: null,
    tracing: null,
    log: { level: "info" },
    dkimSelector: null,
    dnsServer: null,
  });
});

const database = "postgres://user:hunter2@db.example.org:5433/submissions";
const usual = configOf({});
const teams = Object.values(serverKinds).map(({ settings: { team: name } }) => name);
const team = { MAIL_FROM: "a@b.example", ...Object.fromEntries(teams.map((name) => [name, "t@b.example"])) };
const byPostmark = { ...team, MAIL_TRANSPORT: "postmark", POSTMARK_SERVER_TOKEN: "t-1" };
const smtp = "smtps://u:p@mail.example:465";
const folder = join(resolve("data"), "resumes");
const bucket = { kind: "s3", bucket: "resumes", prefix: "", endpoint: null, region: null, links: false, folder };
const RESUME_STORE = "s3://resumes";
const key = "k".repeat(32);
const password = "p".repeat(24);
const PRIVACY_URL = "https://example.org/privacy";
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };
const tracing = { endpoint: "http://127.0.0.1:4318", headers: {}, serviceName: "submissions", share: 1 };
const headers = { authorization: "Bearer abc,=", "x-team": "a b" };
const traced = {
  OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20abc%2C=, x-team = a b",
  OTEL_SERVICE_NAME: "staging",
  OTEL_TRACES_SAMPLER_ARG: "0.05",
};
const provider = { OIDC_ISSUER: "https://login.example.org/", OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "secret" };

const from = (name: string | null, address: string) => ({ addresses: { ...usual.addresses, from: { name, address } } });
const words = (text: string) => text.split(" ");
const stored = (more: object) => ({ storage: { kind: "postgres", url: database, poolMax: 4, ...more } });
const kept = (more: object) => ({ vault: { ...bucket, ...more } });
const signedInBy = (issuer: string) => ({ oidc: { issuer, clientId: "id", clientSecret: "secret" } });

test.each<[Environment, Partial<Record<keyof Config, unknown>>]>([
  [{ SERVICE_MODE: "all" }, { mode: "all" }],
  [{ SERVICE_MODE: "all", DATABASE_URL: database }, { mode: "all" }],
  [{ SERVICE_MODE: "web", DATABASE_URL: database }, { mode: "web" }],
  [{ SERVICE_MODE: "worker", DATABASE_URL: database }, { mode: "worker" }],
  [{ WEBHOOK_TARGETS: "loopback" }, { webhookTargets: "loopback" }],
  [{ DIGEST_AT: "06:30" }, { digest: null }],
  [{ DIGEST_EMAIL: "a@b.example, c@d.example" }, { digest: { to: ["a@b.example", "c@d.example"], atMinute: 420 } }],
  [{ DIGEST_EMAIL: "a@b.example", DIGEST_AT: "23:59" }, { digest: { to: ["a@b.example"], atMinute: 1_439 } }],
  [{ MAIL_DEADLINE_MS: "15000" }, { mailDeadlineMs: 15_000 }],
  [{ DATABASE_URL: database }, stored({})],
  [{ DATABASE_URL: `${database}?sslmode=disable` }, stored({ url: `${database}?sslmode=disable` })],
  [
    { DATABASE_URL: "postgresql:///submissions?host=/run/postgresql", DATABASE_POOL_MAX: "1" },
    stored({ url: "postgresql:///submissions?host=/run/postgresql", poolMax: 1 }),
  ],
  // The user's database on a server, and a database of this machine.
  ...words("postgres://db.example.org postgres://?host=/run/postgresql postgres:///submissions").map(
    (url): [Environment, object] => [{ DATABASE_URL: url }, stored({ url })],
  ),
  [{ RESUME_DOWNLOAD: "proxied" }, { vault: { kind: "disk", folder } }],
  [{ RESUME_STORE }, kept({})],
  [{ RESUME_STORE: "s3://resumes/" }, kept({})],
  [{ RESUME_STORE: "s3://resumes/live/eu" }, kept({ prefix: "live/eu/" })],
  [{ RESUME_STORE: "s3://resumes/live/", S3_REGION: "eu-west-1" }, kept({ prefix: "live/", region: "eu-west-1" })],
  [{ RESUME_STORE, S3_ENDPOINT: "https://s3.test/" }, kept({ endpoint: "https://s3.test", region: "us-east-1" })],
  [{ RESUME_STORE, RESUME_DOWNLOAD: "presigned" }, kept({ links: true })],
  [{ CLAMD_ADDRESS: "127.0.0.1:3310" }, { scanner: { host: "127.0.0.1", port: 3310 } }],
  [{ CLAMD_ADDRESS: "[::1]:3310" }, { scanner: { host: "::1", port: 3310 } }],
  [{ CLAMD_ADDRESS: "/run/clamav/clamd.ctl" }, { scanner: { path: "/run/clamav/clamd.ctl" } }],
  [byPostmark, { mail: { kind: "postmark", token: "t-1" } }],
  [{ ...byPostmark, POSTMARK_API_URL: "http://a/" }, { mail: { kind: "postmark", token: "t-1", apiUrl: "http://a" } }],
  [
    {
      INBOUND_ADDRESS: "Answers@b.example",
      INBOUND_WEBHOOK_AUTH: `u:${password}`,
      INBOUND_AUTHSERV_ID: "mx.b.example",
    },
    {
      inbound: {
        address: "Answers@b.example",
        webhook: { user: "u", password },
        authservId: "mx.b.example",
        imap: null,
      },
    },
  ],
  [
    {
      INBOUND_ADDRESS: "answers@b.example",
      IMAP_URL: "imaps://eve%40b.example:p%3A%2Fw@[::1]/Answers%2FNew?tls.rejectUnauthorized=false",
      IMAP_OAUTH: "https://client:s%26@login.example/a/token?refresh_token=r%3D1&scope=b%20c",
    },
    {
      inbound: {
        address: "answers@b.example",
        webhook: null,
        authservId: null,
        imap: {
          host: "::1",
          port: 993,
          secure: true,
          user: "eve@b.example",
          password: "p:/w",
          mailbox: "Answers/New",
          rejectUnauthorized: false,
          oauth: {
            endpoint: "https://login.example/a/token",
            clientId: "client",
            clientSecret: "s&",
            refreshToken: "r=1",
            scope: "b c",
          },
        },
      },
    },
  ],
  [{ ...team, MAIL_TRANSPORT: "smtp", SMTP_URL: smtp }, { mail: { kind: "smtp", url: smtp } }],
  [{ SMTP_URL: "smtp://mail.example" }, {}],
  [{ SMTP_URL: `${smtp}?name=a.example&tls.servername=b.example&tls.rejectUnauthorized=true` }, {}],
  [{ SMTP_URL: "smtp://u:p@mail.example?requireTLS=false&ignoreTLS=true" }, {}],
  [{ MAIL_FROM: "a@b.example" }, from(null, "a@b.example")],
  [{ MAIL_FROM: "Desk <a@B.Example>" }, from("Desk", "a@b.example")],
  [{ MAIL_FROM: '"Desk, North \\"1\\"" <a@b.example>' }, from('Desk, North "1"', "a@b.example")],
  [{ MAIL_FROM: "<a@b.example>" }, from(null, "a@b.example")],
  [{ MAIL_FROM: "Ä Team<a@münchen.example>" }, from("Ä Team", "a@xn--mnchen-3ya.example")],
  // Repeated addresses are dropped, compared without case.
  [
    { SALES_EMAIL: "a@b.xy , A@B.xy,c@b.xy" },
    { addresses: { ...usual.addresses, teams: { ...usual.addresses.teams, inquiry: ["a@b.xy", "c@b.xy"] } } },
  ],
  [{ MAIL_FROM: "Accent Datasets <hello@datasets.example>" }, { brand: "Accent Datasets" }],
  [{ MAIL_FROM: "hello@datasets.example" }, { brand: "datasets.example" }],
  ...["Example GmbH\\nwww.example.org", "Example GmbH\nwww.example.org"].map(
    (MAIL_SIGNATURE): [Environment, object] => [
      { MAIL_SIGNATURE },
      { mailLook: { ...usual.mailLook, signature: ["Example GmbH", "www.example.org"] } },
    ],
  ),
  [{ MAIL_FROM: "hello@datasets.example", BRAND: "Datasets & Söhne" }, { brand: "Datasets & Söhne" }],
  // As browsers send them.
  [{ CORS_ORIGINS: "https://A.b:443, http://a:51,https://a.b" }, { corsOrigins: ["https://a.b", "http://a:51"] }],
  [{ TRUST_PROXY: "0" }, { trustedProxy: 0 }],
  [{ TRUST_PROXY: "2" }, { trustedProxy: 2 }],
  [{ TRUST_PROXY: "10.0.0.0/8, ::1,10.0.0.0/8" }, { trustedProxy: ["10.0.0.0/8", "::1"] }],
  [{ PRIVACY_URL }, { privacy: { url: PRIVACY_URL, consent: "1" } }],
  [{ PRIVACY_URL, PRIVACY_VERSION: "2026-11" }, { privacy: { url: PRIVACY_URL, consent: "2026-11" } }],
  [{ PRIVACY_VERSION: "2" }, { privacy: null }],
  [{ ALTCHA_HMAC_KEY: key }, { proofOfWork: { hmacKey: key, cost: 5000 } }],
  [{ ALTCHA_HMAC_KEY: key, ALTCHA_COST: "20000" }, { proofOfWork: { hmacKey: key, cost: 20_000 } }],
  [{ ALTCHA_COST: "20000" }, { proofOfWork: null }],
  [{ POSTMARK_WEBHOOK_AUTH: `hook:a:b${password}` }, { postmarkWebhook: { user: "hook", password: `a:b${password}` } }],

  [{ METRICS_TOKEN: "t".repeat(16) }, { metricsToken: "t".repeat(16) }],
  [collector, { tracing }],
  [{ ...collector, ...traced }, { tracing: { ...tracing, headers, serviceName: "staging", share: 0.05 } }],
  [traced, { tracing: null }],
  ...["http://127.0.0.1:9000", "https://login.example.org/application/o/submissions/", "http://localhost:9000"].map(
    (OIDC_ISSUER): [Environment, object] => [{ ...provider, OIDC_ISSUER }, signedInBy(OIDC_ISSUER)],
  ),
  [provider, signedInBy("https://login.example.org/")],
])("%j is taken", (environment, expected) => {
  const config = configOf(environment);
  for (const [part, value] of Object.entries(expected)) expect(config[part as keyof Config], part).toEqual(value);
});

/** What stands beside a setting, so that only its own value is wrong. */
const beside: Readonly<Record<string, Environment>> = { PRIVACY_VERSION: { PRIVACY_URL }, OIDC_ISSUER: provider };
const sorted = (...names: readonly string[]) => names.toSorted().join(" ");

test.each<[name: string, values: readonly string[]]>([
  // Without DATABASE_URL: SQLite, which one process must serve alone.
  ["SERVICE_MODE", words("web worker both")],
  ["WEBHOOK_TARGETS", ["everything"]],
  ["DIGEST_AT", words("24:00 7:00 07:60 noon")],
  ["MAIL_DEADLINE_MS", ["15001"]],
  [
    "DATABASE_URL",
    [
      ...words("db.example.org mysql://user:hunter2@db/x postgres://user:100%@db/x"),
      ...words("postgres:// postgres:/// postgres://?sslmode=disable postgres:///x?host= postgres:x postgres:/x"),
      ...words("postgres://db:0/x postgres://user:1#hunter2@db/x"),
      "postgres://user:hunter2@db/x y",
      `${database}?sslmode=prefer`,
      `${database}?sslmode=require&sslrootcert=/ca.pem`,
      `${database}?sslrootcert=/ca.pem`,
      `${database}?sslmode=verify-full&sslrootcert=/there/is/no/such/ca.pem`,
      `${database}?options=-c%20synchronous_commit=off`,
    ],
  ],
  [
    "RESUME_STORE",
    [
      ...words("resumes s3:resumes s3:// s3:///live s3://Resumes s3://r s3://resumes//live s3://resumes/../live"),
      ...words("s3://resumes?versionId=1 s3://key:secret@resumes/live https://resumes.s3.amazonaws.com"),
      "s3://resumes/a b",
      `s3://resumes/${"long/".repeat(101)}`,
    ],
  ],
  // Links are given to files in a bucket only.
  ["RESUME_DOWNLOAD", ["presigned"]],
  ["CLAMD_ADDRESS", [...words("clamd clamd:0 clamd:99999 run/clamd.ctl"), "a b:1"]],
  // With SMTP_OAUTH the user is decoded here.
  ["SMTP_URL", ["smtp://50%off@mail.example"]],
  ["SMTP_URL", ["requireTLS=no", "requiretls=false", "constructor=true"].map((one) => `smtp://u:p@m.example?${one}`)],
  ["MAIL_FROM", ["Desk", "D <a@b>", "a@b.ex <", "A <a@b.ex> B", "A\r\nBcc: x <a@b.ex>", "a@b.ex,c@d.ex"]],
  ["PUBLIC_URL", words("ftp://a.example https://a.example/?q https://a.example/# https://u:p@a.example a.example")],
  ["CORS_ORIGINS", words("* null https://*.a.ex https://a.ex/ https://a.ex/x a.ex https://u@a.ex ftp://a.ex")],
  ["TRUST_PROXY", words("true 33 -1 10.0.0.0/0 10.0.0.0/33 ::/129 10.0.0.0/8/8 loopback fe80::1%eth0 1,2")],
  ["PRIVACY_VERSION", ["two words", "v".repeat(101)]],
  ["ALTCHA_HMAC_KEY", [key.slice(1)]],
  ["ALTCHA_COST", words("0 99 50001 much")],
  ["POSTMARK_WEBHOOK_AUTH", [`a:${password.slice(1)}`, "a:", "a", `:${password}`, password, `a:${password}\u0007`]],
  ["METRICS_TOKEN", ["t".repeat(15), `${"t".repeat(16)} t`, "é".repeat(16)]],
  ["OTEL_EXPORTER_OTLP_HEADERS", ["a b=c", ...words("a =b a= a=%0a a=% a=%c3 a=é a=b,")]],
  ["OTEL_TRACES_SAMPLER_ARG", words("1.1 -0 1e-3 .5 5%")],
  ["OIDC_ISSUER", words("http://login.example.org login.example.org")],
])("%s is refused where it is wrong, by its name, and no password is quoted", (name, values) => {
  for (const value of values) {
    const problems = problemsOf({ ...beside[name], [name]: value });
    expect([value, ...problems.map((one) => one.name)]).toEqual([value, name]);
    expect(reportProblems(new SettingUnusable(...problems))).not.toMatch(/hunter2|kkk/);
  }
});

test.each<[Environment, string]>([
  [{ SERVICE_MODE: "both", DATABASE_URL: database }, "SERVICE_MODE"],
  [{ RESUME_DOWNLOAD: "both", RESUME_STORE }, "RESUME_DOWNLOAD"],
  [{ MAIL_TRANSPORT: "postmark" }, sorted("MAIL_FROM", "POSTMARK_SERVER_TOKEN", ...teams)],
  [{ MAIL_TRANSPORT: "smtp" }, sorted("MAIL_FROM", "SMTP_URL", ...teams)],
  [{ OIDC_ISSUER: "https://login.example.org/" }, "OIDC_CLIENT_ID OIDC_CLIENT_SECRET"],
  [{ OIDC_CLIENT_SECRET: "secret" }, "OIDC_CLIENT_ID OIDC_ISSUER"],
])("%j needs another %s", (environment, names) => {
  expect(sorted(...namesOf(environment))).toBe(names);
});

test("takes blank variables for unset ones and ignores unknown ones", () => {
  expect(configOf({ PORT: "", SALES_EMAIL: "  ", DATABASE_URL: "", COLOUR: "green" })).toEqual(configOf({}));
});

describe("secrets", () => {
  const secret = "Hunter2Hunter2";
  /** Most settings refuse each of them, and none may show it. */
  const values = ["ftp", "https", "postgres", "smtp"]
    .map((scheme) => `${scheme}://user:${secret}@host.example/x`)
    .concat(secret, `${secret} with space`, `/${secret}`, `s3://${secret}`);

  test("never stand in a problem", () => {
    const problems = Object.keys(settings).flatMap((name) => values.flatMap((value) => problemsOf({ [name]: value })));
    expect(new Set(problems.map(({ name }) => name)).size).toBeGreaterThan(30);
    expect(reportProblems(new SettingUnusable(...problems))).not.toContain(secret);
  });
});

test("says which team address is wrong", () => {
  expect(problemsOf({ SALES_EMAIL: "a@b.example, Desk <c@b.example>" })[0]?.message).toContain("number 2 of 2");
});

test.each([
  [{}, 3000, "http://127.0.0.1:3000"],
  [{ PORT: "0" }, 41_234, "http://127.0.0.1:41234"],
  [{ HOST: "0.0.0.0" }, 3000, "http://localhost:3000"],
  [{ HOST: "::1", PORT: "80" }, 80, "http://[::1]"],
  [{ PUBLIC_URL: "https://www.example.org/submissions//" }, 3000, "https://www.example.org/submissions"],
])("derives the base address (%#)", (environment, port, expected) => {
  expect(publicUrl(configOf(environment), port)).toBe(expected);
});

describe("a file that a setting names", () => {
  const place = mkdtempSync(join(tmpdir(), "settings-"));
  afterAll(() => rmSync(place, { recursive: true }));

  function fileOf(name: string, text: string): Environment {
    writeFileSync(join(place, name), text);
    return { [name]: join(place, name) };
  }
  const catalogue = (text: string) => fileOf("PACKAGE_CATALOGUE", text);
  const domains = (text: string) => fileOf("DISPOSABLE_DOMAINS", text);

  test.each(["PACKAGE_CATALOGUE", "DISPOSABLE_DOMAINS"])("and cannot be read is a mistake of %s", (name) => {
    expect(problemsOf({ [name]: join(place, "absent") })[0]?.message).toContain("ENOENT");
    expect(namesOf({ [name]: place })).toEqual([name]);
  });

  test("of packages is read in the order of the file, other facts of a package left alone", () => {
    const { packages } = configOf(catalogue('\uFEFF[{"id":" b ","title":"B","price":1},{"id":"a","title":"A"}]'));
    const unknown = { hours: null, speakers: null, licence: null };
    expect(packages).toEqual(["b", "a"].map((id) => ({ id, title: id.toUpperCase(), ...unknown })));
  });

  test("of packages tells hours, speakers and licence where it can", () => {
    const stated = { id: "a", title: "A", hours: 120.5, speakers: 84, licence: " CC BY 4.0 " };
    const unusable = { id: "b", title: "B", hours: "many", speakers: -1, licence: 7 };
    expect(configOf(catalogue(JSON.stringify([stated, unusable]))).packages).toEqual([
      { ...stated, licence: "CC BY 4.0" },
      { id: "b", title: "B", hours: null, speakers: null, licence: null },
    ]);
  });

  test.each([
    ["[", "not valid JSON"],
    ["[]", "at least one package"],
    ['{"id":"a"}', "JSON array"],
    ['[{"id":"a","title":"A"},{"id":"","title":"B"}]', "package 2 of the file has no usable id"],
    ['[{"id":"a"}]', "package 1 of the file has no usable title"],
    [
      "[1,{}]",
      "package 1 of the file is not an object. package 2 of the file has no usable id and has no usable title.",
    ],
    ['[{"id":"a","title":"A"},{"id":"a","title":"B"}]', "package 2 of the file repeats an earlier id"],
  ])("of packages is refused: %s", (text, message) => {
    expect(problemsOf(catalogue(text))[0]?.message).toContain(message);
  });

  test("of domains is read a line each, in lower case and ASCII, without comments and repeats", () => {
    const text = "\uFEFF# ours\r\n\r\n  Throwaway.Example  # since May\r\nmüll.example\nthrowaway.example\n#";
    expect(configOf(domains(text)).disposableDomains).toEqual(["throwaway.example", "xn--mll-hoa.example"]);
    expect(configOf(domains("")).disposableDomains).toEqual([]);
  });

  test.each(["b.example c.example", "@b.example", "*.b.example", "localhost"])(
    "of domains is refused by line when one is none: %j",
    (line) => {
      expect(problemsOf(domains(`a.example\n${line}`))[0]?.message).toBe("line 2 of the file is not one domain.");
    },
  );
});

describe("the table of settings", () => {
  const table = Object.entries<Setting>(settings);

  test("has each setting in one section", () => {
    expect(Object.values(sections).flatMap((section) => Object.keys(section))).toEqual(Object.keys(settings));
  });

  test.each(table.filter(([, { example }]) => example !== undefined))("has a valid example of %s", (_, one) => {
    expect(one.type.safeParse(one.example).success).toBe(true);
  });

  test.each(table)("has a default of %s that may be set, or says what is in force without", (_name, setting) => {
    if (setting.default === null || setting.default === "") expect(setting.unset).not.toBe("");
    else expect(setting.type.safeParse(setting.default).success).toBe(true);
  });

  test("hides what may hold a credential", () => {
    const secrets = table.filter(([, { secret }]) => secret === true).map(([name]) => name);
    const credential = /TOKEN|AUTH\b|KEY|SECRET|HEADERS|DATABASE\w*_URL|SMTP_URL|IMAP_URL/;
    expect(secrets).toEqual(Object.keys(settings).filter((name) => credential.test(name)));
  });

  test("describes all of them, set or not", () => {
    const shown = new Map(describeSettings({ PORT: " 8080 ", PUBLIC_URL: "https://a.example/" }));
    expect([...shown.keys()]).toEqual(Object.keys(settings));
    expect(Object.fromEntries(shown)).toMatchObject({
      PORT: "8080",
      PUBLIC_URL: "https://a.example",
      DATABASE_URL: "(SQLite in DATA_DIR)",
      CORS_ORIGINS: "(none)",
      RATE_LIMIT_MAX: "60",
    });
  });
});

describe("a name that looks like a setting", () => {
  test.each([
    ["CORS_ORIGIN", "CORS_ORIGINS"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["port", "PORT"],
    ["Log_Level", "LOG_LEVEL"],
    ["LOG_LEVLE", "LOG_LEVEL"],
    ["RATE_LIMIT", "RATE_LIMIT_MAX"],
    ["POSTMARK_TOKEN", "POSTMARK_SERVER_TOKEN"],
    ["POSTMARK_WEBHOOK_AUTHORIZATION_AUTH", "POSTMARK_WEBHOOK_AUTH"],
    ["PUBLIC_BASE_URL", "PUBLIC_URL"],
    ["TRUSTED_PROXY", "TRUST_PROXY"],
    ["RETENTION_DAYS_INQUIRY", "RETENTION_DAYS_INQUIRIES"],
  ])("is warned of, without its value: %s", (name, meant) => {
    const warning = reportMisspellings({ [name]: "hunter2" });
    expect(warning).toBe(`Warning: ${name} is no setting of this service. Do you mean ${meant}?\n`);
  });

  test("is no setting itself, and no name of other programs", () => {
    const others = [
      "HOME",
      "HOSTNAME",
      "POST",
      "PATH",
      "LANG",
      "LANGUAGE",
      "MAIL",
      "NODE_ENV",
      "NODE_OPTIONS",
      "XDG_DATA_DIRS",
    ];
    const cloud = ["AWS_REGION", "KUBERNETES_PORT", "APP_DATABASE_URL", "TURBO_LOG_LEVEL", "npm_config_loglevel"];
    const names = [...Object.keys(settings), ...others, ...cloud];
    expect(reportMisspellings(Object.fromEntries(names.map((name) => [name, "x"])))).toBe("");
  });
});

test.each<[Environment, string]>([
  [{ INBOUND_WEBHOOK_AUTH: "" }, "INBOUND_ADDRESS"],
  [{ INBOUND_ADDRESS: "" }, "INBOUND_WEBHOOK_AUTH"],
  [{ IMAP_OAUTH: "https://a@b.example/?refresh_token=c" }, "IMAP_OAUTH"],
  [{ IMAP_URL: "imaps://mail.example/" }, "IMAP_URL"],
  [{ IMAP_URL: "imaps://u@mail.example/" }, "IMAP_URL"],
  [{ IMAP_URL: "imaps://u:%zz@mail.example/" }, "IMAP_URL"],
  [{ IMAP_URL: "imaps://u:p@mail.example/?x=1" }, "IMAP_URL"],
  [{ IMAP_URL: "imap://u:p@mail.example/", IMAP_OAUTH: "http://a@b.example/?refresh_token=c" }, "IMAP_OAUTH"],
  [{ IMAP_URL: "imap://u:p@mail.example/", IMAP_OAUTH: "https://a:b@c.example/?refresh=c" }, "IMAP_OAUTH"],
  [{ INBOUND_ADDRESS: "answers+x@b.example" }, "INBOUND_ADDRESS"],
  [{ INBOUND_ADDRESS: `${"a".repeat(33)}@b.example` }, "INBOUND_ADDRESS"],
  [{ MAIL_FROM: "Desk <ANSWERS@b.example>" }, "INBOUND_ADDRESS"],
  [{ SALES_EMAIL: "sales@b.example, answers+team@B.example" }, "INBOUND_ADDRESS"],
  [{ RECRUITING_EMAIL: "answers@b.example" }, "INBOUND_ADDRESS"],
  [{ DIGEST_EMAIL: "answers@b.example" }, "INBOUND_ADDRESS"],
])("answers cannot come in with %o", (change, name) => {
  const whole = { INBOUND_ADDRESS: "answers@b.example", INBOUND_WEBHOOK_AUTH: `u:${password}` };
  expect(namesOf(whole)).toEqual([]);
  expect(namesOf({ ...whole, ...change })).toEqual([name]);
});
