// One operation on the API page: what it does, how to call it, what its fields may hold and how it answers.
import { resumeField } from "@submissions/shared/application";
import { faults } from "@submissions/shared/faults";
import { html, type Markup } from "@submissions/shared/html";
import type { Answer, Example, OpenApiDocument, Operation, Schema } from "./document-types.ts";
import { resolveSchema } from "./document-types.ts";
import { curlForm, curlGet, curlJson } from "./curl.ts";
import { rulesOf } from "./field-rules.ts";
import { prose, withCode } from "./prose.ts";

/** An operation and where it is. */
export interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** The section of an operation; its anchor is the operation's id. */
export function operationSection(document: OpenApiDocument, placed: Placed): Markup {
  const { path, method, operation } = placed;
  const id = operation.operationId;
  return html`<section class="operation" aria-labelledby="${id}">
    <h2 id="${id}">
      ${operation.summary}<a class="anchor" href="#${id}" aria-label="Link to ${operation.summary}">#</a>
    </h2>
    <p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${prose(operation.description)} ${calls(document, placed)} ${requestFields(document, operation)}
    ${answers(document, operation)}
  </section> `;
}

function calls(document: OpenApiDocument, { path, operation }: Placed): Markup {
  const url = `${document.servers[0]?.url ?? ""}${path}`;
  const content = operation.requestBody?.content;
  if (content === undefined) return snippet("Call it", curlGet(url));
  const json = Object.values(content["application/json"]?.examples ?? {})[0];
  const form = Object.values(content["multipart/form-data"]?.examples ?? {})[0];
  return html`${form === undefined ? null : snippet("With a resume", formCall(url, form))}${json === undefined ? null : snippet(form === undefined ? "Call it" : "Without one, as JSON", curlJson(url, json.value))}`;
}

function formCall(url: string, { value }: Example): string {
  const { [resumeField]: _file, ...fields } = value as Readonly<Record<string, unknown>>;
  return curlForm(url, fields, [resumeField, "resume.pdf"]);
}

const snippet = (title: string, text: string): Markup =>
  html`<figure>
    <figcaption>${title}</figcaption>
    <pre role="group" aria-label="${title}" tabindex="0"><code>${text}</code></pre>
  </figure> `;

function requestFields(document: OpenApiDocument, { requestBody, parameters = [] }: Operation): Markup | null {
  const content = Object.entries(requestBody?.content ?? {});
  const [first] = content;
  if (first === undefined) return null;
  const types = content.map(([type], index) => html`${index === 0 ? null : ", "}<code>${type}</code>`);
  const headers = parameters.filter((parameter) => parameter.in === "header");
  return html`<h3>Request</h3>
    <p>${types}</p>
    ${fieldTable("Fields", "request", resolveSchema(document, first[1].schema))}
    ${
      headers.length === 0
        ? null
        : html`<table class="fields">
            <caption>
              Headers
            </caption>
            <thead>
              <tr>
                <th scope="col">Name
                <th scope="col">Value
              </tr>
            </thead>
            <tbody>
              ${headers.map(({ name, required, schema, description }) => fieldRow(name, required === true ? "required" : null, description === undefined ? schema : { ...schema, description }))}
            </tbody>
          </table>`
    }`;
}

/** The properties of an object as a table. In requests it is the required ones that are marked, in answers the others. */
export function fieldTable(caption: string, of: "request" | "answer", object: Schema): Markup {
  const { properties = {}, required = [] } = object;
  const rows = Object.entries(properties).map(([name, schema]) => {
    const demanded = required.includes(name);
    if (of === "answer") return fieldRow(name, demanded ? null : "not always there", schema);
    return fieldRow(name, demanded ? "required" : null, schema);
  });
  return html`<table class="fields">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Name
        <th scope="col">Value
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table> `;
}

function fieldRow(name: string, mark: string | null, schema: Schema): Markup {
  const example = schema.examples?.[0];
  return html`<tr>
    <th scope="row"><code>${name}</code>${mark === null ? null : html`<span class="mark">${mark}</span>`}
    <td>
      ${withCode(schema.description ?? "")}
      <span class="rules">${rulesOf(schema).join(" · ")}</span
      >${example === undefined ? null : html`<span class="example">e.g. <code>${inOneLine(example)}</code></span>`}
  </tr> `;
}

const inOneLine = (value: unknown): string =>
  typeof value === "string" && !/\s{2}|\n/.test(value) ? value : JSON.stringify(value);

function answers(document: OpenApiDocument, operation: Operation): Markup {
  const all = Object.entries(operation.responses);
  return html`<h3>Answers</h3>
    ${all.filter(([status]) => status === "200").map(([, answer]) => success(document, answer))}
    <table class="answers">
      <caption>
        Other answers
      </caption>
      <thead>
        <tr>
          <th scope="col">Status
          <th scope="col">When, and what is said
        </tr>
      </thead>
      <tbody>
        ${all.filter(([status]) => status !== "200").map(([status, answer]) => otherAnswers(status, answer))}
      </tbody>
    </table> `;
}

function success(document: OpenApiDocument, { description, content }: Answer): Markup {
  const json = content["application/json"];
  if (json === undefined) return html``;
  const [example] = Object.values(json.examples ?? {});
  return html`<p><span class="status ok">200</span> ${description}</p>
    ${fieldTable("Fields of the answer", "answer", resolveSchema(document, json.schema))}
    ${example === undefined ? null : html`<pre><code>${JSON.stringify(example.value, null, 2)}</code></pre>`} `;
}

function otherAnswers(status: string, { content, description }: Answer): Markup[] {
  return Object.entries(content["application/json"]?.examples ?? {}).map(
    ([name, { description: when, value }]) =>
      html`<tr>
        <th scope="row"><span class="status">${status}</span>
        <td>
          ${name in faults ? html`<code class="code">${(value as { code: string }).code}</code>` : null}${withCode(when ?? description)}
          <details>
            <summary>${name}</summary>
            <pre><code>${JSON.stringify(value, null, 2)}</code></pre>
          </details>
      </tr> `,
  );
}
