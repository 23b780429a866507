// A port for a program that must be told its port before it listens.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * It stays free until then: it is below the ports that the system gives to whoever asks for any, as other tests do
 * meanwhile.
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
