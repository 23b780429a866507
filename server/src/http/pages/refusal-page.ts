// Refusals as pages: the form again with what was typed, where it can be corrected; else what to do.
import { randomUUID } from "node:crypto";
import { resumeField } from "@submissions/shared/application-fields";
import { fieldOfKind } from "@submissions/shared/field-table";
import { type FaultName, faults, type Issue } from "@submissions/shared/faults";
import { type FormName, forms, packageIdsOf } from "@submissions/shared/forms/form-fields";
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { formFields } from "@submissions/shared/forms/own-fields";
import { idempotencyKeyField } from "@submissions/shared/further-names";
import { translated } from "@submissions/shared/forms/issue-words";
import { altchaField } from "@submissions/shared/hidden-fields";
import { html } from "@submissions/shared/html";
import { languageField } from "@submissions/shared/language";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { firstCodePoints } from "@submissions/shared/text";
import type { FastifyRequest } from "fastify";
import type { Fault } from "../../fault.ts";
import type { PageWords } from "../../config/page-words.ts";
import { readFurtherFields } from "../../intake/further-fields.ts";
import type { FormBody } from "../body/form-body.ts";
import { isIdempotencyKey } from "../call.ts";
import { siteAssets } from "./assets.ts";
import { type Filled, formElement, plainForm } from "./form-element.ts";
import { formOf, formPages, nextAddress, packagesWith, type Site } from "./site.ts";
import { card, formsHead, homeOf, sitePage } from "./frame.ts";

type Words = PageWords["refused"];

type SentForm = Pick<FormBody, "fields" | "resume" | "further">;

/** @param sent the form that was sent; null: none, or it was not read */
export function refusalPage(site: Site, request: FastifyRequest, refusal: Fault, sent: SentForm | null): string {
  const root = rootOf(request.url);
  const form = request.method === "POST" ? formOf(request.routeOptions.url) : undefined;
  // Without a field nothing was read.
  if (form === undefined || sent === null || (sent.resume === null && [...sent.fields.keys()].length === 0))
    return refusalCard(site, request.url, refusal, form);
  const { fields } = sent;
  const language = site.languageOf(fields.get(languageField));
  const { forms: strings, pages } = site.words(language);
  const own = pages.refused;
  // It was sent twice at once and may be stored already, so the page does not show it as unsent.
  if (refusal.fault === "idempotencyConflict") {
    const { underWay, underWayHeading } = own;
    const body = html`<p role="status">${underWay}</p>`;
    return card({ language, site, root, sign: "wait", heading: underWayHeading, body });
  }
  const { cut, ...filled } = filledFrom(form, sent, site, strings);
  const { proofOfWork } = site;
  // The script can send the form from this page, so the heading must be true before and after.
  const heading = proofOfWork ? strings.forms[form].submit : pages.forms[form].notSent;
  const shown: Filled = {
    ...filled,
    strings,
    issues: [...issuesOf(refusal, strings, own), ...chooseAgain(sent, refusal, own)],
    message: refusal.fault === "idempotencyKeyReused" ? own.keyReused : translated(refusal.message, strings),
    idempotencyKey: keyOf(fields, refusal),
    next: nextAddress(fields, site),
  };
  return sitePage({
    language,
    site,
    root,
    title: heading,
    styles: proofOfWork ? [] : [siteAssets.plainForm],
    head: html`<meta name="robots" content="noindex, nofollow" />${proofOfWork && formsHead(site, root)}`,
    body: html`<main class="narrow" id="content">
      <h1>${heading}</h1>
      ${cut && html`<p class="note">${own.cut}</p>`} ${(proofOfWork ? formElement : plainForm)(form, site, root, shown)}
    </main>`,
  });
}

function rootOf(url: string): string {
  const slashes = url.replace(/[?#].*$/s, "").match(/\//g)?.length ?? 1;
  // No page of ours links to a deeper address.
  return slashes > 8 ? "/" : "../".repeat(Math.max(0, slashes - 1));
}

/** By fault, or else by status. */
const headings: Partial<Record<FaultName | number, string>> = {
  oidcRefused: "You are not signed in",
  consoleOnly: "This link works in the console only",
  403: "This form was not accepted",
  404: "Page not found",
  405: "This address is not a page",
  429: "Please wait a moment",
  500: "Something went wrong",
  503: "Please try again in a moment",
};

const explanations: Partial<Record<FaultName, string>> = {
  notFound: "The address may be mistyped or old.",
  methodNotSupported: "Only forms and programs send to it. You find our forms on the front page.",
  crossSiteForbidden: "Please use the form on our own site.",
};

/** Says what happened, and what to do. A form that was not read is sent again, with file and key, by reloading the page. */
function refusalCard(site: Site, url: string, refusal: Fault, form?: FormName): string {
  const root = rootOf(url);
  const { fault, message, retryAfterSeconds } = refusal;
  const wait = retryAfterSeconds !== undefined && duration(retryAfterSeconds);
  const retry =
    form === undefined
      ? `You can try again in ${wait}.`
      : `What you typed is not lost. Wait ${wait}, reload this page, and let your browser send the form again.`;
  const own = site.hasFrontPage ? explanations[fault] : undefined;
  const explanation = own ?? (wait && retry);
  return card({
    site,
    root,
    sign: "stop",
    heading: form
      ? formPages[form].words.notSent
      : (headings[fault] ?? headings[faults[fault].status] ?? "That did not work"),
    body: html`<p>${message}</p>
      ${explanation && html`<p>${explanation}</p>`}`,
    ...(form &&
      site.hasFrontPage && {
        on: html`<a href="${homeOf(root)}#${formPages[form].anchor}">Open the form on our site</a>`,
      }),
    ...(url.startsWith("/console/") && { on: html`<a href="${root}console">Go to the console</a>` }),
  });
}

function duration(seconds: number): string {
  if (seconds <= 1) return "a second";
  if (seconds <= 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** What a form holds, to be shown again. `cut`: a text was too long to be shown whole. */
function filledFrom(form: FormName, { fields, further }: SentForm, site: Site, strings: FormStrings) {
  let cut = false;
  const bounded = (text: string, max: number) => {
    const shown = firstCodePoints(text, max);
    if (shown !== text) cut = true;
    return shown;
  };
  const textsOf = (name: string) => {
    const beside = further.filter(([one]) => one === name).map(([, value]) => value);
    return [...fields.getAll(name), ...beside].filter((value) => typeof value === "string");
  };
  const values: Record<string, string | readonly string[]> = {};
  // What is longer was refused, and a page must not grow with it.
  for (const { name, kind, rule } of formFields(form, [], strings))
    if (rule && kind !== "packages") values[name] = bounded(textsOf(name)[0] ?? "", rule.lengthMax);
  // A source may be an address; the service shortens it.
  values["source"] = bounded(textsOf("source")[0] ?? "", textLengthMax.url);
  // The page does not know the fields that another page has declared, so it keeps what they held without showing it.
  const kept = readFurtherFields(forms[form].procedure, further) ?? {};
  const hidden = Object.fromEntries(Object.entries(kept).filter(([name]) => !Object.hasOwn(values, name)));
  const list = fieldOfKind(forms[form].fields, "packages");
  if (list === undefined) return { cut, values, hidden };

  const all = packageIdsOf(textsOf(list).map((text) => bounded(text, idsLengthMax)));
  const ids = all.slice(0, packageIdsMax).map((id) => bounded(id, textLengthMax.packageId));
  values[list] = ids;
  const packages = packagesWith(site, ids);
  // An identifier without a box was typed, and is shown as text.
  const boxed =
    packages.length > 0 && (site.catalogue !== null || ids.every((id) => packages.some((shown) => shown.id === id)));
  return { cut: cut || all.length > ids.length, values, hidden, packages: boxed ? packages : null };
}

// An identifier and its line break each.
const idsLengthMax = packageIdsMax * (textLengthMax.packageId + 2);

const chooseAgain = ({ resume }: SentForm, { issues = [] }: Fault, { fileGone }: Words): Issue[] =>
  resume !== null && !issues.some(isOfResume) ? [{ path: [resumeField], message: fileGone }] : [];

const isOfResume = ({ path }: Issue) => path[0] === resumeField;

function issuesOf({ issues = [] }: Fault, strings: FormStrings, { otherFile }: Words): Issue[] {
  return (
    issues
      // What is said of a proof of work is for programmers.
      .filter(({ path }) => path[0] !== altchaField)
      .map((issue) =>
        isOfResume(issue) ? { ...issue, message: `${translated(issue.message, strings)} ${otherFile}` } : issue,
      )
  );
}

/** Every try of one submission has the same key, until the key was used for another one. */
function keyOf(fields: FormData, { fault }: Fault): string {
  const key = fields.get(idempotencyKeyField);
  const isUsable = isIdempotencyKey(key) && !fault.startsWith("idempotencyKey");
  return isUsable ? key : randomUUID();
}
