// Writes the command lines of the API page: what one types to call an operation, ready to paste into a shell.

/** Quotes a word for a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `curl` for a GET. */
export const curlGet = (url: string): string => `curl ${shellWord(url)}`;

/** `curl` for a JSON body. */
export function curlJson(url: string, body: unknown): string {
  const text = JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
  return [`curl ${shellWord(url)}`, `-H 'content-type: application/json'`, `--data-raw ${shellWord(text)}`].join(
    " \\\n  ",
  );
}

/** `curl` for a multipart form with one file, which is read from the current folder. */
export function curlForm(
  url: string,
  fields: Readonly<Record<string, unknown>>,
  file: readonly [string, string],
): string {
  // `--form-string` takes values as they are; `-F` would read meaning into `@`, `<` and `;`.
  const texts = Object.entries(fields).map(([name, value]) => `--form-string ${shellWord(`${name}=${String(value)}`)}`);
  return [`curl ${shellWord(url)}`, ...texts, `-F ${shellWord(`${file[0]}=@${file[1]}`)}`].join(" \\\n  ");
}
