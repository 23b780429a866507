// What several tests use, opened and disposed of around them.
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/**
 * Opens something before the tests of this file or group, and disposes of it after them, if it can be disposed of. What is
 * returned stands for it: while the tests run it has its properties and methods.
 */
export const shared = <T extends object>(open: () => T | Promise<T>): T => standFor(open, beforeAll, afterAll);

/** The same before and after each of the tests. */
export const anew = <T extends object>(open: () => T | Promise<T>): T => standFor(open, beforeEach, afterEach);

type Hook = (run: () => unknown) => void;

function standFor<T extends object>(open: () => T | Promise<T>, before: Hook, after: Hook): T {
  let opened: (T & Partial<AsyncDisposable>) | undefined;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    await opened?.[Symbol.asyncDispose]?.();
    opened = undefined;
  });
  const now = () => {
    if (opened === undefined) throw new Error("It is open only while the tests run.");
    return opened;
  };
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(now(), name);
      return typeof value === "function" ? value.bind(now()) : value;
    },
    set: (_, name, value) => Reflect.set(now(), name, value),
  });
}
