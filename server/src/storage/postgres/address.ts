// The address of a PostgreSQL server as the driver takes it. The only place that decides about TLS: encrypted and verified
// unless the server is on this machine or the address says otherwise. Puts no part of the address into a message.
import { readFileSync } from "node:fs";
import type { PoolConfig } from "pg";
import { StorageUnavailable } from "../store.ts";

const onThisMachine = (host: string): boolean => /^(?:\/|localhost$|127(?:\.\d{1,3}){3}$|::1$)/.test(host);

/** @param url checked by the configuration: postgres://user:password@host:port/database?sslmode=… */
export function addressOf(url: string): PoolConfig {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? (hostname.replace(/^\[|\]$/g, "") || "localhost");
  const mode = searchParams.get("sslmode") ?? (onThisMachine(host) ? "disable" : "verify-full");
  return {
    host,
    port: Number(port || 5432),
    ...(username !== "" && { user: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { database: decodeURIComponent(pathname.slice(1)) }),
    ssl: mode === "disable" ? false : tlsOf(mode, searchParams.get("sslrootcert")),
  };
}

function tlsOf(mode: string, rootCertificate: string | null): PoolConfig["ssl"] {
  if (mode === "require") return { rejectUnauthorized: false };
  return { rejectUnauthorized: true, ...(rootCertificate !== null && { ca: readCertificate(rootCertificate) }) };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // ENOENT, EACCES and the like.
    throw new StorageUnavailable("The file that sslrootcert names cannot be read.", { cause: error });
  }
}
