// What several tests use, opened and disposed of around them.
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Opens something before the tests of this file or group, and disposes of it after them. Answers what gives it. */
export const shared = <T extends object>(open: () => T | Promise<T>): (() => T) => around(open, beforeAll, afterAll);

export const anew = <T extends object>(open: () => T | Promise<T>): (() => T) => around(open, beforeEach, afterEach);

type Hook = (run: () => unknown) => void;

function around<T extends object>(open: () => T | Promise<T>, before: Hook, after: Hook): () => T {
  let opened: (T & Partial<AsyncDisposable>) | undefined;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    await opened?.[Symbol.asyncDispose]?.();
    opened = undefined;
  });
  return () => {
    if (opened === undefined) throw new Error("It is open only while the tests run.");
    return opened;
  };
}
