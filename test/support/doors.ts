// The two doors as one: sends the same case through REST and through typed RPC and reads both answers in the same terms.
import { checkDocumented } from "./documented.ts";
import type { Service } from "./service.ts";

export const addresses = {
  "marketplace.inquiry": "/api/marketplace/inquiry",
  "newsletter.subscribe": "/api/newsletter/subscribe",
  "applications.submit": "/api/applications/submit",
} as const;

export type Procedure = keyof typeof addresses;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly receipt?: Record<string, unknown>;
  /** The body of a refusal: message, code, requestId, issues. */
  readonly fault?: {
    message: string;
    code: string;
    requestId: string;
    issues?: { path: unknown[]; message: string }[];
  };
}

export interface Door {
  readonly name: "rest" | "rpc";
  readonly path: (procedure: Procedure) => string;
  send(service: Pick<Service, "url">, procedure: Procedure, init: RequestInit): Promise<Answer>;
}

export const rest: Door = {
  name: "rest",
  path: (procedure) => addresses[procedure],
  async send(service, procedure, init) {
    const response = await fetch(service.url + addresses[procedure], { method: "POST", ...init });
    const body = (await response.json()) as never;
    const { status, headers } = response;
    checkDocumented(addresses[procedure], status, headers, body);
    return status === 200 ? { status, headers, receipt: body } : { status, headers, fault: body };
  },
};

interface Envelope {
  readonly result?: { readonly data: Record<string, unknown> };
  readonly error?: {
    readonly message: string;
    readonly data: {
      code: string;
      httpStatus: number;
      requestId: string;
      issues?: { path: unknown[]; message: string }[];
    };
  };
}

export const rpc: Door = {
  name: "rpc",
  path: (procedure) => `/trpc/${procedure}`,
  async send(service, procedure, init) {
    const response = await fetch(`${service.url}/trpc/${procedure}`, { method: "POST", ...init });
    const { result, error } = (await response.json()) as Envelope;
    const { status, headers } = response;
    if (result !== undefined) return { status, headers, receipt: result.data };
    if (error === undefined) throw new Error("An envelope holds a result or an error.");
    if (error.data.httpStatus !== status) throw new Error("The envelope and the answer disagree on the status.");
    const { code, requestId, issues } = error.data;
    return { status, headers, fault: { message: error.message, code, requestId, ...(issues ? { issues } : {}) } };
  },
};

export const doors: readonly Door[] = [rest, rpc];

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** Sends a batch of typed calls, with an input for each or with a body as it stands. */
export const sendBatch = (
  { url }: Pick<Service, "url">,
  procedures: readonly Procedure[],
  inputs: readonly unknown[] | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const body = typeof inputs === "string" ? inputs : JSON.stringify(Object.fromEntries(inputs.entries()));
  return fetch(`${url}/trpc/${procedures.join()}?batch=1`, { method: "POST", ...json(null, headers), body });
};

export function form(fields: Readonly<Record<string, string | File | readonly (string | File)[]>>): RequestInit {
  const body = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value);
  return { body };
}

export const withKey = (init: RequestInit, key: string): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), "idempotency-key": key },
});

export const pdf = (name = "resume.pdf", size = 600): File =>
  new File(
    [
      `%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n${" ".repeat(Math.max(0, size - 100))}trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`,
    ],
    name,
  );

export const applicant = { fullName: "Ana Souza", email: "ana@example.org", position: "Accent annotator" };

export const buyer = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };
