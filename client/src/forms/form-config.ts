// What a form has to know of its service before it can be filled in or sent.
import type { PackageChoice } from "@submissions/shared/forms/form-state";

/** The answer of `GET /forms/config.json`. */
export interface FormConfig {
  /** The catalogue; null: buyers may name any package. */
  readonly packages: readonly PackageChoice[] | null;
  /** Whether each submission has to come with a solved challenge. */
  readonly proofOfWork: boolean;
}

const known = new Map<string, Promise<FormConfig>>();

/** The configuration of a service, asked for once by all forms of a page. Rejects when it cannot be had. */
export function formConfig(endpoint: string): Promise<FormConfig> {
  const asked = known.get(endpoint) ?? ask(endpoint);
  known.set(endpoint, asked);
  // What failed is asked again.
  asked.catch(() => known.delete(endpoint));
  return asked;
}

/** Has it asked again: it has changed since. */
export const forgetConfig = (endpoint: string): boolean => known.delete(endpoint);

async function ask(endpoint: string): Promise<FormConfig> {
  const response = await fetch(`${endpoint}/forms/config.json`);
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`);
  return (await response.json()) as FormConfig;
}

// Apart from its use, because bundlers take `new URL` of it for a file that they should copy.
const script = import.meta.url;

/**
 * The base address of the service, without a slash at its end: as the page says, relative to the page, or else where
 * this script came from.
 */
export function endpointOf(attribute: string | null): string {
  const base = attribute === null ? new URL("./", script) : new URL(attribute || "./", document.baseURI);
  return base.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
}
