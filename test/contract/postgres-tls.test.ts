// How the connection to PostgreSQL is protected: which certificates it accepts, and when it is encrypted.
import { execFile, execFileSync } from "node:child_process";
import { chown, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { messageForOperator } from "../../server/src/observe/describe-error.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { postgresOfTheRun } from "../support/postgres-of-the-run.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { shared } from "../support/shared.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate } from "./postgres-under-test.ts";
import { accept, inquiry, minute } from "./records.ts";

test.each([
  ["postgres://u:p@db.example.org/x", { rejectUnauthorized: true }],
  ["postgres://u:p@10.0.0.7/x?sslmode=verify-full", { rejectUnauthorized: true }],
  ["postgres://u:p@db.example.org/x?sslmode=require", { rejectUnauthorized: false }],
  ["postgres://u:p@db.example.org/x?sslmode=disable", false],
  ["postgres://u:p@localhost/x", false],
  ["postgres://u:p@127.0.0.1/x", false],
  ["postgres://u:p@[::1]/x", false],
  ["postgres:///x?host=/run/postgresql", false],
  ["postgres://u:p@localhost.example.org/x", { rejectUnauthorized: true }],
  ["postgres://u:p@127.example.org/x", { rejectUnauthorized: true }],
])("%s has the protection %j", (url, ssl) => {
  expect(addressOf(url)).toMatchObject({ ssl });
});

test("reads every part of an address", () => {
  expect(addressOf("postgresql://us%40er:p%2Fw@[2001:db8::1]:5433/my%20db?sslmode=disable")).toEqual({
    host: "2001:db8::1",
    port: 5433,
    user: "us@er",
    password: "p/w",
    database: "my db",
    ssl: false,
  });
});

const openssl = (() => {
  try {
    return execFileSync("openssl", ["version"]).length > 0;
  } catch {
    // ENOENT: not on this machine.
    return false;
  }
})();

describe.skipIf(!openssl)("with a certificate of its own authority, a server", () => {
  const opened = shared(async () => {
    const { data } = await postgresOfTheRun();
    const server = await startPostgres({ from: data });
    await makeCertificates(server.folder);
    await server.administer("ALTER SYSTEM SET ssl_cert_file = 'server.pem'");
    await server.administer("ALTER SYSTEM SET ssl_key_file = 'server.key'");
    await server.administer("ALTER SYSTEM SET ssl = on");
    await server.administer("SELECT pg_reload_conf()");
    if (data === null) await server.makeTemplate();
    const database = await server.create();
    await vi.waitFor(async () => expect(await server.administer("SHOW ssl")).toEqual([{ ssl: "on" }]), {
      timeout: minute,
    });
    return Object.assign(server, { database });
  });

  const at = (host: string, parameters: string) => {
    const url = new URL(opened().database.url);
    url.hostname = host;
    return `${url.href}?${parameters}`;
  };
  const rootOf = (name: string) => `sslmode=verify-full&sslrootcert=${join(opened().folder, name)}`;

  async function isEncrypted(url: string): Promise<unknown> {
    await using store = await openStore(locate(url));
    await accept(store, inquiry(1));
    const [found] = await opened().database.query(`
      SELECT bool_and(ssl.ssl) AS encrypted FROM pg_stat_ssl AS ssl
      JOIN pg_stat_activity AS activity USING (pid)
      WHERE activity.datname = current_database() AND activity.application_name = 'submissions'`);
    return found?.["encrypted"];
  }

  test("is accepted by a client that knows the authority", async () => {
    expect(await isEncrypted(at("localhost", rootOf("ca.pem")))).toBe(true);
  });

  test("is refused by a client that knows another authority, or none", async () => {
    for (const parameters of [rootOf("other.pem"), "sslmode=verify-full"]) {
      const refused = await openStore(locate(at("localhost", parameters))).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StorageUnavailable);
      expect(refused).toHaveProperty("message", expect.stringMatching(/CERT|SIGNATURE|ISSUER/));
    }
  });

  test("is refused under a name that is not in its certificate", async () => {
    await expect(openStore(locate(at("127.0.0.1", rootOf("ca.pem"))))).rejects.toThrow("ALTNAME");
  });

  test("is used encrypted with require, whatever its certificate, and unencrypted with disable", async () => {
    expect(await isEncrypted(at("localhost", "sslmode=require"))).toBe(true);
    expect(await isEncrypted(at("localhost", "sslmode=disable"))).toBe(false);
  });

  test("is not connected to when the file of the authority cannot be read", async () => {
    await expect(openStore(locate(at("localhost", rootOf("missing.pem"))))).rejects.toBeInstanceOf(StorageUnavailable);
  });
});

test("a server without TLS is not connected to unless the address allows that", async () => {
  await using database = await createDatabase();
  const refused = await openStore(locate(`${database.url}?sslmode=require`)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageUnavailable);
  expect(messageForOperator(refused)).toBe(
    "The database's server has no TLS. Turn it on there, or set sslmode=disable in DATABASE_URL if the network is safe.",
  );
});

/** An authority, a server's certificate by it, and another authority that has nothing to do with either. */
async function makeCertificates(folder: string): Promise<void> {
  const run = (...words: string[]) => promisify(execFile)("openssl", words, { cwd: folder });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  for (const [name, subject] of [
    ["ca", "/CN=Authority"],
    ["other", "/CN=Another"],
  ] as const) {
    await run("req", "-x509", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", subject);
  }
  const names = "subjectAltName=DNS:localhost";
  const server = ["-keyout", "server.key", "-out", "server.pem", "-subj", "/CN=localhost", "-addext", names];
  await run("req", "-x509", ...newKey, ...server, "-CA", "ca.pem", "-CAkey", "ca.key");
  // The server reads its key only if it belongs to it.
  const { uid, gid } = await stat(folder);
  await chown(join(folder, "server.key"), uid, gid);
  await chown(join(folder, "server.pem"), uid, gid);
}
