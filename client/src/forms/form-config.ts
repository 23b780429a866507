// What a form must know of its service: the address and the configuration.
import type { PackageChoice } from "@submissions/shared/forms/form-state";

/** The answer of `GET /forms/config.json`. */
export interface FormConfig {
  /** The packages to choose from; null: any identifier may be typed. */
  readonly packages: readonly PackageChoice[] | null;
  /** Whether each submission needs a solved challenge. */
  readonly proofOfWork: boolean;
  /** What one may apply for; absent: any position may be typed. */
  readonly openings?: readonly PackageChoice[];
  /** Languages beside English and German; absent: none. */
  readonly languages?: readonly string[];
}

const known = new Map<string, Promise<FormConfig>>();

/** The configuration of a service. All forms of a page share one request. Rejects when it fails. */
export function formConfig(endpoint: string): Promise<FormConfig> {
  const asked = known.get(endpoint) ?? ask(endpoint);
  known.set(endpoint, asked);
  // The next form asks again.
  asked.catch(() => known.delete(endpoint));
  return asked;
}

/** Forgets the configuration, because it has changed. */
export const forgetConfig = (endpoint: string): boolean => known.delete(endpoint);

async function ask(endpoint: string): Promise<FormConfig> {
  // A form must be sent even if this never comes.
  const response = await fetch(`${endpoint}/forms/config.json`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`);
  return (await response.json()) as FormConfig;
}

// A bundled script does not come from the service, so only `served-from.ts` sets it.
let serviceAddress: string | undefined;

/** Sets the base address of the service for forms that name none. */
export function serveFrom(address: string): void {
  serviceAddress = address;
}

/**
 * The base address of the service without a slash at its end, from the attribute of a form, which may be relative to the
 * page. Undefined when it is no address, or the form has none and this script was not served by the service.
 */
export function endpointOf(attribute: string | null): string | undefined {
  const address = attribute === null ? serviceAddress : URL.parse(attribute || "./", document.baseURI)?.href;
  return address?.replace(/[?#].*$/, "").replace(/\/+$/, "");
}
