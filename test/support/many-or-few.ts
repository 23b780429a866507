/** Whether this is a long run. */
export const atNight = process.env["NIGHTLY"] === "1";

/** How many of so many cases are tried: a quarter, and at night all. */
export const manyOrFew = (all: number): number => (atNight ? all : Math.ceil(all / 4));
