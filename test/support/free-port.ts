// A port for a program that must be told its port before it listens, and when it does.
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A port at which no program listens: tests that ask the system for any free port get a higher one. */
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

/** Waits until a program listens at a port. @throws Error with what it says when one of its processes ends before */
export async function untilListening(
  port: number,
  processes: readonly ChildProcess[],
  says = () => "It has ended.",
): Promise<void> {
  while (!(await listens(port))) {
    if (processes.some(({ exitCode }) => exitCode !== null)) throw new Error(says());
    await pause(20);
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    // ECONNREFUSED: not yet.
    return false;
  } finally {
    socket.destroy();
  }
}
