// An operator of a test: a browser as far as the console can tell, or a script with a token.
import type { Role } from "../../../shared/src/roles.ts";
import { batchCallsMax } from "../../../shared/src/limits.ts";
import { drawSecret, hashSecret } from "../../../server/src/secrets.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { form, json, type Procedure, rest, sendBatch } from "../doors.ts";
import type { Service } from "../service.ts";

export const password = "vermilion kettle 41";
/** Of that password, as little work as argon2 can be. What the console hashes itself takes 19 MiB and two passes. */
export const passwordHash =
  "$argon2id$v=19$m=8,t=1,p=1$c2FsdCBvZiB0aGUgdGVzdHM$0FeUMP0F9MYIdjuI4oOlsH3WMnzI1IaDdCKP5N9Eov8";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Of a success. */
  readonly data?: unknown;
  /** Of a refusal. */
  readonly message?: string;
  readonly code?: string;
  readonly issues?: readonly { readonly path: readonly unknown[]; readonly message: string }[];
  readonly body: unknown;
}

export class Operator {
  readonly url: string;
  /** Beside those of a page of the console. */
  headers: Record<string, string>;
  cookie: string | null = null;
  setCookie: string | null = null;

  constructor(service: Pick<Service, "url">, headers: Record<string, string> = { "sec-fetch-site": "same-origin" }) {
    this.url = service.url;
    this.headers = headers;
  }

  static withToken(service: Pick<Service, "url">, token: string): Operator {
    return new Operator(service, { authorization: `Bearer ${token}` });
  }

  async call(path: string, input?: unknown): Promise<Answer> {
    const response = await this.fetch(`/console/trpc/${path}`, { method: "POST", ...json(input) });
    const body = (await response.json()) as Envelope;
    const { status, headers } = response;
    const { result, error } = body;
    if (result !== undefined) return { status, headers, data: result.data, body };
    return { status, headers, body, message: error?.message, ...error?.data } as Answer;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = this.cookie === null ? {} : { cookie: this.cookie };
    const headers = { ...this.headers, ...cookie, ...(init.headers as Record<string, string>) };
    const response = await fetch(this.url + path, { redirect: "manual", ...init, headers });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) {
      this.setCookie = set;
      const [pair = ""] = set.split(";");
      this.cookie = pair.endsWith("=") ? null : pair;
    }
    return response;
  }

  signIn(email: string, typed = password): Promise<Answer> {
    return this.call("session.signIn", { email, password: typed });
  }
}

interface Envelope {
  readonly result?: { readonly data: unknown };
  readonly error?: { readonly message: string; readonly data: object };
}

/** Invites an operator as the command line does, and answers the token of the invitation. */
export async function invite(service: Pick<Service, "storage">, email: string, role: Role): Promise<string> {
  await using store = await openStore(service.storage);
  return inviteTo(store, email, role);
}

export async function inviteTo({ access }: Store, email: string, role: Role): Promise<string> {
  const token = drawSecret();
  const invitation = { role, invitationHash: hashSecret(token) };
  await access.changeOperator(email, invitation, { operator: "command line", at: Date.now() });
  return token;
}

/** An operator who has accepted the invitation, and is signed in. */
export async function operator(
  service: Pick<Service, "url" | "storage">,
  email: string,
  role: Role,
): Promise<Operator> {
  {
    await using store = await openStore(service.storage);
    const token = await inviteTo(store, email, role);
    await store.access.acceptInvitation(hashSecret(token), passwordHash, Date.now());
  }
  const one = new Operator(service);
  const { status, message } = await one.signIn(email);
  if (status !== 200) throw new Error(`${email} could not sign in: ${message}`);
  return one;
}

/** A script with a token that an administrator makes for it. */
export async function scriptOf(admin: Operator, role: Role, name = "script"): Promise<Operator> {
  const { data } = await admin.call("tokens.create", { name, role, expiresAt: null });
  return Operator.withToken(admin, (data as { readonly token: string }).token);
}

/** Stores an inquiry, an application with a resume and a subscription, and answers their references. */
export async function submitAll(service: Pick<Service, "url">, email = "ann@example.org", resume = resumeBytes) {
  const inquiry = await inquire(service, email);
  const resumeFile = new File([resume], "Ann Buyer CV.pdf");
  const applicant = { fullName: "Ann Buyer", email, position: "Annotator", resumeFile };
  const application = await send(service, "applications.submit", form(applicant));
  await send(service, "newsletter.subscribe", json({ email, source: "footer" }));
  return { inquiry, application: application["applicationId"]! };
}

export async function inquire(service: Pick<Service, "url">, email: string): Promise<string> {
  return (await send(service, "marketplace.inquiry", json(inquiryOf(email))))["inquiryId"]!;
}

/** Sends inquiries in batches of as many as are allowed, and answers their references in the order of the addresses. */
export async function inquireAll(service: Pick<Service, "url">, emails: readonly string[]): Promise<string[]> {
  const references: string[] = [];
  for (let from = 0; from < emails.length; from += batchCallsMax) {
    const inputs = emails.slice(from, from + batchCallsMax).map(inquiryOf);
    const response = await sendBatch(service, Array(inputs.length).fill("marketplace.inquiry"), inputs);
    const answers = (await response.json()) as { readonly result: { readonly data: { readonly inquiryId: string } } }[];
    references.push(...answers.map(({ result }) => result.data.inquiryId));
  }
  return references;
}

const inquiryOf = (email: string) => ({ name: "Ann Buyer", email, selectedPackageIds: ["de-AT"], company: "Kalomi" });

async function send(service: Pick<Service, "url">, procedure: Procedure, init: RequestInit) {
  const { status, receipt, fault } = await rest.send(service, procedure, init);
  if (receipt === undefined) throw new Error(`${procedure} was answered ${status}: ${fault?.message}`);
  return receipt as Record<string, string>;
}

export const resumeBytes = "%PDF-1.4\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\nstartxref\n0\n%%EOF\n";

export const recordsIn = <T = Record<string, unknown>>(text: string): T[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

export async function auditOf(service: Pick<Service, "storage">) {
  await using store = await openStore(service.storage, { access: "read-only" });
  return (await Array.fromAsync(store.readAll("audit", {}))).flat();
}
