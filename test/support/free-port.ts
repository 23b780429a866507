// A port for a program that must be told its port before it listens.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Finds a port at which no program listens. Tests that ask the system for any free port get a higher one, so they do not
 * take this one before the program listens.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(11_000, 32_768);
  const server = createServer();
  const isFree = await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
