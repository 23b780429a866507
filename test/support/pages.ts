// A browser without script, as far as HTTP shows: posts forms, follows nothing, and reads pages.
import { addresses, type Procedure } from "./doors.ts";
import type { Service } from "./service.ts";

export const browserAccept =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Asked = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

export async function visit(service: Pick<Service, "url">, path: string, init: Asked = {}): Promise<Page> {
  const headers = { accept: browserAccept, ...init.headers };
  const response = await fetch(service.url + path, { redirect: "manual", ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const postForm = (
  service: Pick<Service, "url">,
  procedure: Procedure,
  body: URLSearchParams | FormData | Uint8Array<ArrayBuffer> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Page> => visit(service, addresses[procedure], { method: "POST", body, headers });

export const fields = (values: Readonly<Record<string, string | readonly string[]>>): URLSearchParams =>
  new URLSearchParams(Object.entries(values).flatMap(([name, value]) => [value].flat().map((one) => [name, one])));

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (_all, code: string | undefined, name: string) =>
    code === undefined ? entities[name]! : String.fromCodePoint(Number(code)),
  );

/** What stands in a text field of a page; undefined when there is no such field. */
export function typedIn({ text }: Page, name: string): string | undefined {
  const input = new RegExp(`<input[^>]*\\sname="${name}"[^>]*>`).exec(text)?.[0];
  if (input !== undefined) return unescaped(/\svalue="([^"]*)"/.exec(input)?.[1] ?? "");
  const area = new RegExp(`<textarea[^>]*\\sname="${name}"[^>]*>\\n?([^<]*)</textarea>`).exec(text)?.[1];
  return area === undefined ? undefined : unescaped(area);
}

export const tickedOn = ({ text }: Page): string[] =>
  [...text.matchAll(/<input\s[^>]*type="checkbox"[^>]*>/g)]
    .map(([box]) => box)
    .filter((box) => /\schecked[\s/>]/.test(box))
    .map((box) => unescaped(/value="([^"]*)"/.exec(box)?.[1] ?? ""));

export const problemAt = ({ text }: Page, name: string): string =>
  unescaped(new RegExp(`id="${name}-error"[^>]*>([^<]*)<`).exec(text)?.[1]?.trim() ?? "");

export const summaryOf = ({ text }: Page): string =>
  unescaped(/id="summary"[\s\S]*?<\/div>/.exec(text)?.[0].replace(/<[^>]*>/g, " ") ?? "");
