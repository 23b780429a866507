// A reader of the newsletter: subscribes, opens the mail, follows its links, or lets a mail program do so.
import type { Email } from "postal-mime";
import { expect } from "vitest";
import type { StoredSubscriber } from "../../../server/src/storage/records.ts";
import { json, rest } from "../doors.ts";
import type { Service } from "../service.ts";

export interface Links {
  /** Null under single opt-in. */
  readonly confirm: string | null;
  readonly unsubscribe: string;
}

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function subscribe(service: Service, email: string, more: object = {}): Promise<void> {
  const answer = await rest.send(service, "newsletter.subscribe", json({ email, ...more }));
  expect(answer.status).toBe(200);
}

/** The welcome mails to an address, oldest first, once there are as many. */
export async function welcomes(service: Service, email: string, count: number): Promise<Links[]> {
  const toReader = async () =>
    (await service.mails()).filter(({ to, headers }) => isTo(to, email) && listUnsubscribe(headers) !== undefined);
  await expect.poll(async () => (await toReader()).length).toBe(count);
  return (await toReader()).map(linksOf);
}

export async function welcomed(service: Service, email: string): Promise<Links> {
  await subscribe(service, email);
  const [links] = await welcomes(service, email, 1);
  return links!;
}

const isTo = (to: Email["to"], email: string) => to?.some(({ address }) => address === email) === true;

const listUnsubscribe = (headers: Email["headers"]) => headers.find(({ key }) => key === "list-unsubscribe")?.value;

function linksOf({ headers, text }: Email): Links {
  const unsubscribe = /<(.+)>/.exec(listUnsubscribe(headers) ?? "")?.[1] ?? "";
  const confirm = /http\S+\/newsletter\/confirm\?token=\S+/.exec(text ?? "")?.[0] ?? null;
  expect(text).toContain(unsubscribe);
  return { confirm, unsubscribe };
}

export const tokenOf = (link: string): string => new URL(link).searchParams.get("token") ?? "";

export async function open(link: string, init: RequestInit = {}): Promise<Shown> {
  const response = await fetch(link, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export async function press(link: string): Promise<Shown> {
  const page = await open(link);
  expect(page.status).toBe(200);
  const [form] = page.text.match(/<form[^]*<\/form>/) ?? [];
  const action = /action="([^"]*)"/.exec(form ?? "")?.[1] ?? "";
  const hidden = (form ?? "").matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const body = new URLSearchParams([...hidden].map(([, name = "", value = ""]) => [name, value]));
  return open(new URL(action, link).href, { method: "POST", body });
}

export function oneClick(link: string, encoding: "urlencoded" | "multipart"): Promise<Shown> {
  const body = encoding === "urlencoded" ? new URLSearchParams() : new FormData();
  body.append("List-Unsubscribe", "One-Click");
  return open(link, { method: "POST", body });
}

export async function subscriber(service: Service, email: string): Promise<StoredSubscriber | undefined> {
  return (await service.stored()).subscribers.find((one) => one.email === email);
}

export const statusOf = async (service: Service, email: string) => (await subscriber(service, email))?.status;
