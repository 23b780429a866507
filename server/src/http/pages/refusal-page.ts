// Refusals as pages. One that a form can mend comes with the form, and with all that was typed into it; of the others the
// page says what to do.
import { randomUUID } from "node:crypto";
import { resumeField } from "@submissions/shared/application";
import { altchaField } from "@submissions/shared/altcha";
import type { FaultName, Issue } from "@submissions/shared/faults";
import { formPaths, idempotencyKeyField, type FormName } from "@submissions/shared/forms/form-fields";
import type { FastifyRequest } from "fastify";
import { html, type Markup } from "@submissions/shared/html";
import type { Failure } from "../../rpc/failure.ts";
import { card } from "./layout.ts";
import { filledFrom, formElement, needsScript } from "./form-element.ts";
import type { Site } from "./site.ts";
import { sitePage } from "./site-page.ts";

const headings: Readonly<Record<FormName, string>> = {
  inquiry: "Your inquiry has not been sent yet",
  newsletter: "You are not subscribed yet",
  application: "Your application has not been sent yet",
};

/** The page of a refusal. */
export function refusalPage(site: Site, request: FastifyRequest, failure: Failure, fields: FormData | null): string {
  const root = rootOf(request.url);
  const form = formAt(request);
  if (form === undefined)
    return card({ brand: site.brand, root, heading: "That did not work", body: plain(root, failure) });
  // Without a field nothing was read.
  if (fields === null || [...fields.keys()].length === 0)
    return card({ brand: site.brand, root, heading: headings[form], body: unread(root, failure) });
  const filled = filledFrom(fields, site);
  return sitePage({
    site,
    root,
    title: headings[form],
    body: html`<main class="narrow" id="content">
      <h1>${headings[form]}</h1>
      ${formElement(form, site, root, {
        ...filled,
        issues: [...issuesOf(failure), ...chooseAgain(fields, failure)],
        message: messageOf(failure),
        idempotencyKey: keyOf(fields, failure),
      })}
    </main>`,
  });
}

const formAt = ({ method, routeOptions }: FastifyRequest): FormName | undefined =>
  method === "POST"
    ? (Object.keys(formPaths) as FormName[]).find((name) => formPaths[name] === routeOptions.url)
    : undefined;

/** The way from an address back to the root. */
function rootOf(url: string): string {
  const slashes = url.replace(/[?#].*$/s, "").match(/\//g)?.length ?? 1;
  // Deeper addresses are nobody's links.
  return slashes > 8 ? "/" : "../".repeat(Math.max(0, slashes - 1));
}

const plain = (root: string, { message }: Failure): Markup =>
  html`<p>${message}</p>
    <p><a href="${root === "" ? "./" : root}">To the front page</a></p>`;

// The form was refused before it was read. A reload sends it again, file and key included; that is what reloading a page
// that answers a form does.
const unread = (root: string, { message, retryAfterSeconds }: Failure): Markup =>
  html`<p>${message}</p>
    ${
      retryAfterSeconds !== undefined &&
      html`<p>
        Nothing that you typed is lost. Wait ${duration(retryAfterSeconds)}, reload this page, and let your browser send
        the form again.
      </p>`
    }
    <p><a href="${root}">To the front page</a></p>`;

function duration(seconds: number): string {
  if (seconds <= 1) return "a second";
  if (seconds <= 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

// No page can put a file into its place; people have to be told.
function chooseAgain(fields: FormData, { issues }: Failure): Issue[] {
  const told = issues?.some(({ path }) => path[0] === resumeField);
  return fields.has(resumeField) && !told
    ? [{ path: [resumeField], message: "Please choose the file again: it could not be kept." }]
    : [];
}

// What is said of a proof of work is for who writes programs.
const issuesOf = ({ issues = [] }: Failure): readonly Issue[] => issues.filter(({ path }) => path[0] !== altchaField);

const inWordsForPeople: Partial<Record<FaultName, string>> = {
  idempotencyKeyReused:
    "You have sent this form before, with something else in it. To send this as well, press the button again.",
  proofOfWorkInvalid: needsScript,
};

const messageOf = ({ fault, message }: Failure): string => inWordsForPeople[fault] ?? message;

// Every try of one submission has the same key, until it was used for another one.
function keyOf(fields: FormData, { fault }: Failure): string {
  const key = fields.get(idempotencyKeyField);
  const usable = typeof key === "string" && key !== "" && !fault.startsWith("idempotencyKey");
  return usable ? key : randomUUID();
}
