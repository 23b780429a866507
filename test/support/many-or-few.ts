// Marks tests and cases that run at night only. By day run those that guard against loss, doubles, leaks and forms or replies
// that cannot be sent. At night run all: also how pages look, and every case of a kind.
import { test } from "vitest";

/** Whether this is a long run. */
export const atNight = process.env["NIGHTLY"] === "1";

/** A test of long runs only. */
export const nightly = test.runIf(atNight);

/** How many of so many cases are tried: a quarter, and at night all. */
export const manyOrFew = (all: number): number => (atNight ? all : Math.ceil(all / 4));

/** Every fourth of these cases from the first on, and at night all. */
export const someOf = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => atNight || at % 4 === 0);
