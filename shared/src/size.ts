// How sizes of files are written for people, in forms, mails and commands alike.

const formats = new Map<string, Intl.NumberFormat>();

/** `42.5 kB`, `1.4 MB`, in units of 1,024 like the limit of a resume. */
export function sizeIn(language: string, bytes: number): string {
  const [unit, value] =
    bytes < 2 ** 20 ? (["kilobyte", bytes / 2 ** 10] as const) : (["megabyte", bytes / 2 ** 20] as const);
  // Rounded up, so that a size over the limit looks like it. Only an empty file has no kilobyte.
  const shown = bytes === 0 ? 0 : Math.max(1, Math.ceil(value * 10) / 10);
  return formatIn(language, unit).format(shown);
}

// Kept: to make one takes many times as long as to use it.
function formatIn(language: string, unit: string): Intl.NumberFormat {
  const name = `${language} ${unit}`;
  const kept = formats.get(name) ?? new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 });
  formats.set(name, kept);
  return kept;
}
