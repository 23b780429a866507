// What runs by day, and what is left to the night. By day: what could lose, double or leak something, or keep somebody from
// sending or answering. At night also looks, comforts and every case of a kind.
import { test } from "vitest";

/** Whether this is a long run. */
export const atNight = process.env["NIGHTLY"] === "1";

/** A test of long runs only. */
export const nightly = test.runIf(atNight);

/** How many of so many cases are tried: a quarter, and at night all. */
export const manyOrFew = (all: number): number => (atNight ? all : Math.ceil(all / 4));

/** Every fourth of these cases from the first on, and at night all. */
export const someOf = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => atNight || at % 4 === 0);
