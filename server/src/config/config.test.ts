import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publicUrl, type Config } from "./config.ts";
import {
  describeSettings,
  loadConfig,
  reportMisspellings,
  reportProblems,
  type ConfigProblem,
  type Environment,
} from "./load.ts";
import { builtInWords } from "./mail-words.ts";
import { sections, settings, type Setting } from "./settings.ts";

function configOf(environment: Environment): Config {
  const result = loadConfig(environment);
  if (!result.ok) throw new Error(reportProblems(result.problems));
  return result.config;
}

function problemsOf(environment: Environment): readonly ConfigProblem[] {
  const result = loadConfig(environment);
  return result.ok ? [] : result.problems;
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
      sales: ["sales@marketplace.example"],
      recruiting: ["recruiting@marketplace.example"],
    },
    mailLook: { words: builtInWords, logo: null, signature: [] },
    mailDeadlineMs: 2000,
    postmarkWebhook: null,
    newsletterOptIn: "double",
    privacy: null,
    packages: null,
    proofOfWork: null,
    disposableDomains: [],
    corsOrigins: [],
    hasFrontPage: true,
    trustedProxy: { kind: "none" },
    rateLimit: { max: 60, windowSeconds: 60 },
    replyCopies: false,
    retentionDays: { inquiry: null, application: null, spam: null },
    webhookTargets: "public",
    digest: null,
    oidc: null,
    passwordsOn: true,
    totpRequired: false,
    metricsToken: null,
    tracing: null,
    log: { level: "info" },
  });
});

describe("SERVICE_MODE", () => {
  const DATABASE_URL = "postgres://localhost/submissions";

  test.each(["all", "web", "worker"])("may be %s with PostgreSQL, and is shown", (SERVICE_MODE) => {
    expect(configOf({ SERVICE_MODE, DATABASE_URL }).mode).toBe(SERVICE_MODE);
    expect(describeSettings({ SERVICE_MODE, DATABASE_URL })).toContainEqual(["SERVICE_MODE", SERVICE_MODE]);
  });

  test.each(["web", "worker"])("is not %s on SQLite, which one process must serve alone", (SERVICE_MODE) => {
    expect(namesOf({ SERVICE_MODE })).toEqual(["SERVICE_MODE"]);
    expect(configOf({ SERVICE_MODE: "all" }).mode).toBe("all");
  });

  test("is none of other words", () => {
    expect(namesOf({ SERVICE_MODE: "both", DATABASE_URL })).toEqual(["SERVICE_MODE"]);
  });
});

test("WEBHOOK_TARGETS is public unless it says loopback", () => {
  expect(configOf({ WEBHOOK_TARGETS: "loopback" }).webhookTargets).toBe("loopback");
  expect(namesOf({ WEBHOOK_TARGETS: "everything" })).toEqual(["WEBHOOK_TARGETS"]);
});

test("a digest needs addressees, and is sent at 7 unless it says otherwise", () => {
  expect(configOf({ DIGEST_AT: "06:30" }).digest).toBeNull();
  expect(configOf({ DIGEST_EMAIL: "a@example.org, b@example.org" }).digest).toEqual({
    to: ["a@example.org", "b@example.org"],
    atMinute: 420,
  });
  expect(configOf({ DIGEST_EMAIL: "a@example.org", DIGEST_AT: "23:59" }).digest?.atMinute).toBe(1_439);
  for (const at of ["24:00", "7:00", "07:60", "noon"]) expect(namesOf({ DIGEST_AT: at })).toEqual(["DIGEST_AT"]);
});

test("takes blank variables for unset ones and ignores unknown ones", () => {
  expect(configOf({ PORT: "", SALES_EMAIL: "  ", DATABASE_URL: "", COLOUR: "green" })).toEqual(configOf({}));
});

test("names all mistakes at once", () => {
  const names = namesOf({
    HOST: "http://localhost",
    PORT: "65536",
    PUBLIC_URL: "localhost:3000",
    MAIL_TRANSPORT: "pigeon",
    MAIL_FROM: "nobody",
    SALES_EMAIL: "a@b.example,",
    MAIL_DEADLINE_MS: "15001",
    NEWSLETTER_OPT_IN: "triple",
    PACKAGE_CATALOGUE: "/nowhere/packages.json",
    CORS_ORIGINS: "*",
    TRUST_PROXY: "true",
    RATE_LIMIT_MAX: "0",
    RATE_LIMIT_WINDOW_SECONDS: "1.5",
    LOG_LEVEL: "loud",
    POSTMARK_WEBHOOK_AUTH: "user",
  });
  expect(names).toHaveLength(15);
  expect(new Set(names).size).toBe(15);
});

test("takes a deadline for mails up to 15 s, and no longer one", () => {
  expect(configOf({ MAIL_DEADLINE_MS: "15000" }).mailDeadlineMs).toBe(15_000);
  expect(namesOf({ MAIL_DEADLINE_MS: "15001" })).toEqual(["MAIL_DEADLINE_MS"]);
});

describe("the database", () => {
  const url = "postgres://user:hunter2@db.example.org:5433/submissions";

  test.each([
    [{ DATABASE_URL: url }, { url, replicaUrl: null, poolMax: 4 }],
    [{ DATABASE_URL: `${url}?sslmode=disable` }, { url: `${url}?sslmode=disable`, replicaUrl: null, poolMax: 4 }],
    [
      { DATABASE_URL: "postgresql:///submissions?host=/run/postgresql", DATABASE_POOL_MAX: "1" },
      { url: "postgresql:///submissions?host=/run/postgresql", replicaUrl: null, poolMax: 1 },
    ],
    [
      { DATABASE_URL: url, DATABASE_REPLICA_URL: `${url}2` },
      { url, replicaUrl: `${url}2`, poolMax: 4 },
    ],
  ])("is read from %j", (environment, expected) => {
    expect(configOf(environment).storage).toEqual({ kind: "postgres", ...expected });
  });

  test.each([
    "db.example.org",
    "mysql://user:hunter2@db/x",
    "postgres://user:hunter2@db/x y",
    "postgres://user:100%@db/x",
    `${url}?sslmode=prefer`,
    `${url}?sslmode=require&sslrootcert=/ca.pem`,
    `${url}?sslrootcert=/ca.pem`,
    `${url}?sslmode=verify-full&sslrootcert=/there/is/no/such/ca.pem`,
    `${url}?options=-c%20synchronous_commit=off`,
  ])("is not %s, and the message does not quote it", (DATABASE_URL) => {
    const problems = problemsOf({ DATABASE_URL });
    expect(problems.map(({ name }) => name)).toEqual(["DATABASE_URL"]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  test("has no replica on its own", () => {
    expect(namesOf({ DATABASE_REPLICA_URL: url })).toEqual(["DATABASE_REPLICA_URL"]);
  });

  test("is shown without its credentials", () => {
    const shown = describeSettings({ DATABASE_URL: url, DATABASE_REPLICA_URL: url });
    expect(shown).toContainEqual(["DATABASE_POOL_MAX", "4"]);
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });
});

describe("where resumes are kept", () => {
  const folder = join(resolve("data"), "resumes");
  const bucket = { kind: "s3", bucket: "resumes", prefix: "", endpoint: null, region: null, links: false, folder };

  test.each([
    [{ RESUME_STORE: "s3://resumes" }, {}],
    [{ RESUME_STORE: "s3://resumes/" }, {}],
    [{ RESUME_STORE: "s3://resumes/live/eu" }, { prefix: "live/eu/" }],
    [
      { RESUME_STORE: "s3://resumes/live/", S3_REGION: "eu-central-1" },
      { prefix: "live/", region: "eu-central-1" },
    ],
    [
      { RESUME_STORE: "s3://resumes", S3_ENDPOINT: "https://s3.example.org/" },
      { endpoint: "https://s3.example.org", region: "us-east-1" },
    ],
    [{ RESUME_STORE: "s3://resumes", RESUME_DOWNLOAD: "presigned" }, { links: true }],
  ])("reads %j", (environment, changes) => {
    expect(configOf(environment).vault).toEqual({ ...bucket, ...changes });
  });

  test.each([
    "resumes",
    "s3:resumes",
    "s3://",
    "s3:///live",
    "s3://Resumes",
    "s3://r",
    "s3://resumes//live",
    "s3://resumes/../live",
    "s3://resumes/a b",
    "s3://resumes?versionId=1",
    "s3://key:secret@resumes/live",
    "https://resumes.s3.amazonaws.com",
    `s3://resumes/${"long/".repeat(101)}`,
  ])("refuses %s", (RESUME_STORE) => {
    expect(namesOf({ RESUME_STORE })).toEqual(["RESUME_STORE"]);
  });

  test("gives links to files in a bucket only", () => {
    expect(namesOf({ RESUME_DOWNLOAD: "presigned" })).toEqual(["RESUME_DOWNLOAD"]);
    expect(namesOf({ RESUME_DOWNLOAD: "both", RESUME_STORE: "s3://resumes" })).toEqual(["RESUME_DOWNLOAD"]);
    expect(configOf({ RESUME_DOWNLOAD: "proxied" }).vault).toEqual({ kind: "disk", folder });
  });
});

test.each([
  ["127.0.0.1:3310", { host: "127.0.0.1", port: 3310 }],
  ["[::1]:3310", { host: "::1", port: 3310 }],
  ["/run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
])("reads the scanner's address %s", (text, scanner) => {
  expect(loadConfig({ CLAMD_ADDRESS: text })).toMatchObject({ ok: true, config: { scanner } });
});

test.each(["clamd", "clamd:0", "clamd:99999", "run/clamd.ctl", "a b:1"])("refuses the scanner's address %s", (text) => {
  expect(problemsOf({ CLAMD_ADDRESS: text }).map(({ name }) => name)).toEqual(["CLAMD_ADDRESS"]);
});

test.each([
  ["smtp://mail.example", []],
  ["smtps://u:p@mail.example:465?name=a.example&tls.servername=b.example&tls.rejectUnauthorized=true", []],
  ["smtp://u:p@mail.example?requireTLS=false&ignoreTLS=true", []],
  ["smtp://u:p@mail.example?requireTLS=no", ["SMTP_URL"]],
  ["smtp://u:p@mail.example?requiretls=false", ["SMTP_URL"]],
  ["smtp://u:p@mail.example?constructor=true", ["SMTP_URL"]],
])("reads the parameters of the SMTP server %s", (address, wrong) => {
  expect(namesOf({ SMTP_URL: address })).toEqual(wrong);
});

describe("secrets", () => {
  const secret = "Hunter2Hunter2";
  // Each value is wrong for its variable, and one of them is right: neither may be shown.
  const environments: Environment[] = [
    {
      MAIL_TRANSPORT: "postmark",
      POSTMARK_SERVER_TOKEN: `${secret} with space`,
      PUBLIC_URL: "nonsense",
    },
    { MAIL_TRANSPORT: "smtp", SMTP_URL: `ftp://user:${secret}@mail.example`, PORT: secret },
    {
      MAIL_TRANSPORT: secret,
      MAIL_FROM: secret,
      SALES_EMAIL: secret,
      CORS_ORIGINS: secret,
      TRUST_PROXY: secret,
    },
    {
      DATABASE_URL: `postgres://user:${secret}@db/x`,
      RESUME_STORE: `s3://${secret}`,
      CLAMD_ADDRESS: secret,
    },
    {
      POSTMARK_WEBHOOK_AUTH: secret,
      HOST: `${secret}/`,
      LOG_LEVEL: secret,
      NEWSLETTER_OPT_IN: secret,
    },
    {
      PUBLIC_URL: `https://user:${secret}@example.org`,
      POSTMARK_API_URL: secret,
      PACKAGE_CATALOGUE: `/${secret}`,
      DISPOSABLE_DOMAINS: `/${secret}`,
      ALTCHA_HMAC_KEY: secret,
      ALTCHA_COST: secret,
    },
  ];

  test.each(environments)("never stand in a problem (%#)", (environment) => {
    const problems = problemsOf(environment);
    expect(problems.length).toBeGreaterThan(0);
    expect(reportProblems(problems)).not.toContain(secret);
  });

  test("never stand in the description of what is in force", () => {
    const team = {
      MAIL_FROM: "a@b.example",
      SALES_EMAIL: "a@b.example",
      RECRUITING_EMAIL: "a@b.example",
    };
    const both: Environment[] = [
      {
        ...team,
        MAIL_TRANSPORT: "postmark",
        POSTMARK_SERVER_TOKEN: secret,
        POSTMARK_WEBHOOK_AUTH: `hook:${secret}${secret}`,
      },
      { ...team, MAIL_TRANSPORT: "smtp", SMTP_URL: `smtps://user:${secret}@mail.example:465` },
    ];
    for (const environment of both) {
      const lines = describeSettings(environment).map((line) => line.join("="));
      expect(lines.join("\n")).not.toContain(secret);
      expect(lines.join("\n")).toContain("not shown");
    }
  });
});

describe("mail", () => {
  const team = {
    MAIL_FROM: "a@b.example",
    SALES_EMAIL: "s@b.example",
    RECRUITING_EMAIL: "r@b.example",
  };

  test("asks for everything that the chosen transport needs", () => {
    const addresses = ["MAIL_FROM", "RECRUITING_EMAIL", "SALES_EMAIL"];
    expect(namesOf({ MAIL_TRANSPORT: "postmark" }).toSorted()).toEqual([
      "MAIL_FROM",
      "POSTMARK_SERVER_TOKEN",
      "RECRUITING_EMAIL",
      "SALES_EMAIL",
    ]);
    expect(namesOf({ MAIL_TRANSPORT: "smtp" }).toSorted()).toEqual([...addresses, "SMTP_URL"]);
  });

  test("holds what the chosen transport needs, and nothing else", () => {
    expect(configOf({ ...team, MAIL_TRANSPORT: "postmark", POSTMARK_SERVER_TOKEN: "t-1" }).mail).toEqual({
      kind: "postmark",
      token: "t-1",
    });
    expect(
      configOf({
        ...team,
        MAIL_TRANSPORT: "postmark",
        POSTMARK_SERVER_TOKEN: "t-1",
        POSTMARK_API_URL: "http://127.0.0.1:9/",
      }).mail,
    ).toEqual({ kind: "postmark", token: "t-1", apiUrl: "http://127.0.0.1:9" });
    expect(configOf({ ...team, MAIL_TRANSPORT: "smtp", SMTP_URL: "smtps://u:p@mail.example:465" }).mail).toEqual({
      kind: "smtp",
      url: "smtps://u:p@mail.example:465",
    });
  });

  test.each([
    ["a@b.example", { name: null, address: "a@b.example" }],
    ["Desk <a@B.Example>", { name: "Desk", address: "a@b.example" }],
    ['"Desk, North \\"1\\"" <a@b.example>', { name: 'Desk, North "1"', address: "a@b.example" }],
    ["<a@b.example>", { name: null, address: "a@b.example" }],
    ["Ä Team<a@münchen.example>", { name: "Ä Team", address: "a@xn--mnchen-3ya.example" }],
  ])("reads the sender %s", (MAIL_FROM, from) => {
    expect(configOf({ MAIL_FROM }).addresses.from).toEqual(from);
  });

  test.each([
    "Desk",
    "Desk <a@b>",
    "a@b.example <",
    "A <a@b.example> B",
    "A\r\nBcc: x <a@b.example>",
    "a@b.example,c@d.example",
  ])("refuses the sender %j", (MAIL_FROM) => {
    expect(namesOf({ MAIL_FROM })).toEqual(["MAIL_FROM"]);
  });

  test("drops repeated team addresses, compared without case", () => {
    expect(configOf({ SALES_EMAIL: "a@b.example , A@B.example,c@b.example" }).addresses.sales).toEqual([
      "a@b.example",
      "c@b.example",
    ]);
  });

  test("says which team address is wrong", () => {
    expect(problemsOf({ SALES_EMAIL: "a@b.example, Desk <c@b.example>" })[0]?.message).toContain("number 2 of 2");
  });
});

describe("addresses on the web", () => {
  test.each([
    [{}, 3000, "http://127.0.0.1:3000"],
    [{ PORT: "0" }, 41_234, "http://127.0.0.1:41234"],
    [{ HOST: "0.0.0.0" }, 3000, "http://localhost:3000"],
    [{ HOST: "::1", PORT: "80" }, 80, "http://[::1]"],
    [{ PUBLIC_URL: "https://www.example.org/submissions//" }, 3000, "https://www.example.org/submissions"],
  ])("derives the base address (%#)", (environment, port, expected) => {
    expect(publicUrl(configOf(environment), port)).toBe(expected);
  });

  test.each(["ftp://a.example", "https://a.example/?q", "https://a.example/#", "https://u:p@a.example", "a.example"])(
    "refuses the public address %s",
    (PUBLIC_URL) => {
      expect(namesOf({ PUBLIC_URL })).toEqual(["PUBLIC_URL"]);
    },
  );

  test("keeps origins as browsers send them", () => {
    expect(
      configOf({ CORS_ORIGINS: "https://A.example:443, http://localhost:5173,https://a.example" }).corsOrigins,
    ).toEqual(["https://a.example", "http://localhost:5173"]);
  });

  test.each([
    "*",
    "null",
    "https://*.a.example",
    "https://a.example/",
    "https://a.example/x",
    "a.example",
    "https://u@a.example",
    "ftp://a.example",
  ])("refuses the origin %s", (CORS_ORIGINS) => {
    expect(namesOf({ CORS_ORIGINS })).toEqual(["CORS_ORIGINS"]);
  });

  test.each([
    ["0", { kind: "none" }],
    ["2", { kind: "hops", count: 2 }],
    ["10.0.0.0/8, ::1,10.0.0.0/8", { kind: "cidrs", list: ["10.0.0.0/8", "::1"] }],
  ])("reads the trusted proxies %s", (TRUST_PROXY, expected) => {
    expect(configOf({ TRUST_PROXY }).trustedProxy).toEqual(expected);
  });

  test.each([
    "true",
    "33",
    "-1",
    "10.0.0.0/0",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/8/8",
    "loopback",
    "fe80::1%eth0",
    "1,2",
  ])("refuses the trusted proxies %s", (TRUST_PROXY) => {
    expect(namesOf({ TRUST_PROXY })).toEqual(["TRUST_PROXY"]);
  });
});

describe("package catalogue", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "catalogue-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function catalogue(text: string): Environment {
    const file = join(folder, "packages.json");
    writeFileSync(file, text);
    return { PACKAGE_CATALOGUE: file };
  }

  test("is read in the order of the file, other facts of a package left alone", () => {
    const { packages } = configOf(catalogue('\uFEFF[{"id":" b ","title":"B","price":1},{"id":"a","title":"A"}]'));
    const unknown = { hours: null, speakers: null, licence: null };
    expect(packages).toEqual([
      { id: "b", title: "B", ...unknown },
      { id: "a", title: "A", ...unknown },
    ]);
  });

  test("tells hours, speakers and licence where it can", () => {
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
    ["[1]", "package 1 of the file is not an object"],
    ['[{"id":"a","title":"A"},{"id":"a","title":"B"}]', "package 2 of the file repeats an earlier id"],
  ])("refuses %s", (text, message) => {
    expect(problemsOf(catalogue(text))[0]?.message).toContain(message);
  });

  test("that cannot be read is a mistake by name, with the system's reason", () => {
    expect(problemsOf({ PACKAGE_CATALOGUE: join(folder, "absent") })[0]?.message).toContain("ENOENT");
    expect(namesOf({ PACKAGE_CATALOGUE: folder })).toEqual(["PACKAGE_CATALOGUE"]);
  });
});

test.each([
  [{}, "Speech Marketplace"],
  [{ MAIL_FROM: "Accent Datasets <hello@datasets.example>" }, "Accent Datasets"],
  [{ MAIL_FROM: "hello@datasets.example" }, "datasets.example"],
  [{ MAIL_FROM: "hello@datasets.example", BRAND: "Datasets & Söhne" }, "Datasets & Söhne"],
])("with %j the brand is %s", (environment, brand) => {
  expect(configOf(environment).brand).toBe(brand);
});

describe("own disposable domains", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "domains-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function domains(text: string): Environment {
    const file = join(folder, "domains.txt");
    writeFileSync(file, text);
    return { DISPOSABLE_DOMAINS: file };
  }

  test("are read a line each, in lower case and ASCII, without comments and repeats", () => {
    const text = "\uFEFF# ours\r\n\r\n  Throwaway.Example  # since May\r\nmüll.example\nthrowaway.example\n#";
    expect(configOf(domains(text)).disposableDomains).toEqual(["throwaway.example", "xn--mll-hoa.example"]);
    expect(configOf(domains("")).disposableDomains).toEqual([]);
  });

  test.each([
    "a.example\nb.example c.example",
    "a.example\n@b.example",
    "a.example\n*.b.example",
    "a.example\nlocalhost",
  ])("are refused by line when one is none: %j", (text) => {
    expect(problemsOf(domains(text))).toEqual([
      { name: "DISPOSABLE_DOMAINS", message: "line 2 of the file is not one domain." },
    ]);
  });

  test("that cannot be read are a mistake by name, with the system's reason", () => {
    expect(problemsOf({ DISPOSABLE_DOMAINS: join(folder, "absent") })[0]?.message).toContain("ENOENT");
    expect(namesOf({ DISPOSABLE_DOMAINS: folder })).toEqual(["DISPOSABLE_DOMAINS"]);
  });
});

test("a privacy notice has an address, and a version that fits where it is stored", () => {
  const PRIVACY_URL = "https://example.org/privacy";
  expect(configOf({ PRIVACY_URL }).privacy).toEqual({ url: PRIVACY_URL, consent: "1" });
  expect(configOf({ PRIVACY_URL, PRIVACY_VERSION: "2026-11" }).privacy?.consent).toBe("2026-11");
  expect(configOf({ PRIVACY_VERSION: "2" }).privacy).toBeNull();
  for (const PRIVACY_VERSION of ["two words", "v".repeat(101)])
    expect(namesOf({ PRIVACY_URL, PRIVACY_VERSION })).toEqual(["PRIVACY_VERSION"]);
});

describe("proof of work", () => {
  const key = "k".repeat(32);

  test("is asked for when there is a key, at the usual cost unless another is set", () => {
    expect(configOf({ ALTCHA_HMAC_KEY: key }).proofOfWork).toEqual({ hmacKey: key, cost: 5000 });
    expect(configOf({ ALTCHA_HMAC_KEY: key, ALTCHA_COST: "20000" }).proofOfWork).toEqual({
      hmacKey: key,
      cost: 20_000,
    });
    expect(configOf({ ALTCHA_COST: "20000" }).proofOfWork).toBeNull();
  });

  test("is refused with a short key and with a cost out of bounds", () => {
    expect(namesOf({ ALTCHA_HMAC_KEY: key.slice(1) })).toEqual(["ALTCHA_HMAC_KEY"]);
    for (const cost of ["0", "99", "50001", "much"]) expect(namesOf({ ALTCHA_COST: cost })).toEqual(["ALTCHA_COST"]);
  });

  test("does not show its key", () => {
    const described = describeSettings({ ALTCHA_HMAC_KEY: key });
    expect(described).toContainEqual(["ALTCHA_HMAC_KEY", "(set, not shown)"]);
    expect(JSON.stringify(described)).not.toContain(key);
    expect(JSON.stringify(problemsOf({ ALTCHA_HMAC_KEY: key.slice(1) }))).not.toContain("kkk");
  });
});

describe("the credentials of the Postmark webhook", () => {
  const password = "p".repeat(24);

  test("are a user and a password of at least 24 characters, colons included", () => {
    expect(configOf({ POSTMARK_WEBHOOK_AUTH: `hook:${password}` }).postmarkWebhook).toEqual({ user: "hook", password });
    const colons = "a:b:".repeat(6);
    expect(configOf({ POSTMARK_WEBHOOK_AUTH: `hook:${colons}` }).postmarkWebhook?.password).toBe(colons);
  });

  test.each([`hook:${password.slice(1)}`, "hook:", "hook", `:${password}`, password, `hook:${password}\u0007`])(
    "are not %j",
    (POSTMARK_WEBHOOK_AUTH) => {
      expect(namesOf({ POSTMARK_WEBHOOK_AUTH })).toEqual(["POSTMARK_WEBHOOK_AUTH"]);
    },
  );
});

test("the token of /metrics has at least 16 printable characters", () => {
  expect(configOf({ METRICS_TOKEN: "t".repeat(16) }).metricsToken).toBe("t".repeat(16));
  for (const METRICS_TOKEN of ["t".repeat(15), `${"t".repeat(16)} t`, "é".repeat(16)]) {
    expect(namesOf({ METRICS_TOKEN })).toEqual(["METRICS_TOKEN"]);
  }
});

describe("traces", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };

  test("are sent where a collector is set", () => {
    const usual = { endpoint: "http://127.0.0.1:4318", headers: {}, serviceName: "submissions", share: 1 };
    expect(configOf(endpoint).tracing).toEqual(usual);
    const more = {
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20abc%2C=, x-team = a b",
      OTEL_SERVICE_NAME: "staging",
      OTEL_TRACES_SAMPLER_ARG: "0.05",
    };
    const headers = { authorization: "Bearer abc,=", "x-team": "a b" };
    expect(configOf({ ...endpoint, ...more }).tracing).toEqual({
      ...usual,
      headers,
      serviceName: "staging",
      share: 0.05,
    });
    expect(configOf(more).tracing).toBeNull();
  });

  test.each(["a", "=b", "a=", "a b=c", "a=%0a", "a=%", "a=%c3", "a=é", "a=b,"])("have no headers %j", (text) => {
    expect(namesOf({ OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual(["OTEL_EXPORTER_OTLP_HEADERS"]);
  });

  test.each(["1.1", "-0", "1e-3", ".5", "5%"])("have no share %j", (text) => {
    expect(namesOf({ OTEL_TRACES_SAMPLER_ARG: text })).toEqual(["OTEL_TRACES_SAMPLER_ARG"]);
  });
});

describe("signing in with OpenID Connect", () => {
  const all = { OIDC_ISSUER: "https://login.example.org/", OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "secret" };

  test("needs issuer, client and secret together", () => {
    const oidc = { issuer: "https://login.example.org/", clientId: "id", clientSecret: "secret" };
    expect(configOf(all).oidc).toEqual(oidc);
    expect(namesOf({ OIDC_ISSUER: all.OIDC_ISSUER })).toEqual(["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]);
    expect(namesOf({ OIDC_CLIENT_SECRET: "secret" })).toEqual(["OIDC_ISSUER", "OIDC_CLIENT_ID"]);
  });

  test.each([
    ["http://127.0.0.1:9000", true],
    ["https://login.example.org/application/o/submissions/", true],
    ["http://localhost:9000", true],
    ["http://login.example.org", false],
    ["login.example.org", false],
  ])("takes the issuer %s as it is written: %s", (issuer, isTaken) => {
    const given = { ...all, OIDC_ISSUER: issuer };
    expect(namesOf(given)).toEqual(isTaken ? [] : ["OIDC_ISSUER"]);
    if (isTaken) expect(configOf(given).oidc?.issuer).toBe(issuer);
  });
});

describe("the table of settings", () => {
  const table = Object.entries<Setting>(settings);
  // These name files, which the tests of the catalogue and of the domains write.
  const files = ["MAIL_TEMPLATES", "PACKAGE_CATALOGUE", "DISPOSABLE_DOMAINS"];

  test("has each setting in one section", () => {
    expect(Object.values(sections).flatMap((section) => Object.keys(section))).toEqual(Object.keys(settings));
  });

  test.each(table.filter(([name]) => !files.includes(name)))(
    "has an example of %s that may be set",
    (_name, setting) => {
      expect(setting.kind.safeParse(setting.example).success).toBe(true);
    },
  );

  test.each(table)("has a default of %s that may be set, or says what is in force without", (_name, setting) => {
    if (setting.default === null || setting.default === "") expect(setting.unset).not.toBe("");
    else expect(setting.kind.safeParse(setting.default).success).toBe(true);
  });

  test("hides what may hold a credential", () => {
    const secrets = table.filter(([, { secret }]) => secret === true).map(([name]) => name);
    const credentials = table
      .map(([name]) => name)
      .filter((name) => /TOKEN|AUTH|KEY|SECRET|HEADERS|DATABASE\w*_URL|SMTP_URL/.test(name));
    expect(secrets.toSorted()).toEqual(credentials.toSorted());
  });

  test("describes all of them, set or not", () => {
    const shown = new Map(describeSettings({ PORT: " 8080 ", PUBLIC_URL: "https://a.example/" }));
    expect([...shown.keys()]).toEqual(Object.keys(settings));
    expect(shown.get("PORT")).toBe("8080");
    expect(shown.get("PUBLIC_URL")).toBe("https://a.example");
    expect(shown.get("DATABASE_URL")).toBe("(SQLite in DATA_DIR)");
    expect(shown.get("CORS_ORIGINS")).toBe("(none)");
    expect(shown.get("RATE_LIMIT_MAX")).toBe("60");
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
  ])("is warned of, without its value: %s", (name, meant) => {
    const warning = reportMisspellings({ [name]: "hunter2" });
    expect(warning).toBe(`Warning: ${name} is no setting of this service. Do you mean ${meant}?\n`);
  });

  test("is no setting itself, and no name of other programs", () => {
    const others = ["HOME", "HOSTNAME", "POST", "PATH", "LANG", "MAIL", "NODE_ENV", "NODE_OPTIONS", "XDG_DATA_DIRS"];
    const cloud = ["AWS_REGION", "KUBERNETES_PORT", "APP_DATABASE_URL", "TURBO_LOG_LEVEL", "npm_config_loglevel"];
    const names = [...Object.keys(settings), ...others, ...cloud];
    expect(reportMisspellings(Object.fromEntries(names.map((name) => [name, "x"])))).toBe("");
  });
});
