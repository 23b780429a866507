/** How many of so many cases are tried: a quarter, and at night all. */
export const manyOrFew = (atNight: number): number =>
  process.env["NIGHTLY"] === "1" ? atNight : Math.ceil(atNight / 4);
