// Starts the reader of the OpenAPI document: Swagger UI with this service's request samples, with refusals folded, and
// with a navigation of its own.

const base = new URL(".", location.href).href.replace(/\/$/, "");
const answer = await fetch("openapi.json");
const spec = await answer.json();
// Requests go to where this page came from. Its policy lets them go nowhere else.
spec.servers = [{ url: base }];

const dark = matchMedia("(prefers-color-scheme: dark)");
const applyColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyColours);
applyColours();

// Request samples, written from what was typed and sent.

const code = (value) => JSON.stringify(value, null, 2);

/** The procedure behind a REST address: `marketplace.inquiry`. */
const procedureOf = (url) => /\/api\/(.+)$/.exec(url)?.[1].replaceAll("/", ".");

const isForm = ({ headers }) => /^multipart\/form-data/i.test(headerOf(headers, "content-type") ?? "");

const headerOf = (headers, name) =>
  Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1] || undefined;

/** A field as code. A file cannot be written down, so it is taken from a file input. */
const valueOf = (value) => (value instanceof File ? "fileInput.files[0]" : code(value));

const formCode = (body) =>
  Object.entries(body).map(([name, value]) => `form.append(${code(name)}, ${valueOf(value)});`);

const objectCode = (body) =>
  ["{", ...Object.entries(body).map(([name, value]) => `  ${name}: ${valueOf(value)},`), "}"].join("\n");

// Swagger UI's own sample writes `-F name=value`, where curl cuts a text at `;` and reads local files for `@` and `<`.
function curlSample(request) {
  const { url, method, headers, body } = request;
  const key = headerOf(headers, "idempotency-key");
  // With data curl posts by itself.
  const verb = body || method === "GET" ? "" : `-X ${method} `;
  const options = [...(key ? [`-H ${shell(`idempotency-key: ${key}`)}`] : []), ...(body ? curlData(request) : [])];
  return [`curl ${verb}${shell(url)}`, ...options].join(" \\\n  ");
}

const curlData = (request) =>
  isForm(request)
    ? Object.entries(request.body).map(curlField)
    : [
        `-H ${shell(`content-type: ${headerOf(request.headers, "content-type")}`)}`,
        `--data-raw ${shell(request.body)}`,
      ];

const curlField = ([name, value]) =>
  value instanceof File
    ? `-F ${shell(`${name}=@"${value.name.replace(/["\\]/g, "\\$&")}"`)}`
    : `--form-string ${shell(`${name}=${value}`)}`;

/** A text as one word of a shell. */
const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function fetchSample(request) {
  const { url, method, headers, body } = request;
  const key = headerOf(headers, "idempotency-key");
  const sent = {
    ...(body && !isForm(request) && { "content-type": headerOf(headers, "content-type") }),
    ...(key && { "idempotency-key": key }),
  };
  const options = [
    `method: ${code(method)},`,
    ...(Object.keys(sent).length > 0 ? [`headers: ${JSON.stringify(sent)},`] : []),
    ...(body ? [isForm(request) ? "body: form," : `body: JSON.stringify(${body}),`] : []),
  ];
  return [
    ...(isForm(request) ? ["const form = new FormData();", ...formCode(body)] : []),
    `const response = await fetch(${code(url)}, {`,
    ...options.map((line) => `  ${line.replaceAll("\n", "\n  ")}`),
    "});",
    "console.log(response.status, await response.json());",
  ].join("\n");
}

function sdkSample(request, procedure, key) {
  const input = isForm(request) ? objectCode(request.body) : request.body;
  return [
    `import { createSubmissionsClient } from "@submissions/client";`,
    "",
    `const submissions = createSubmissionsClient({ url: ${code(base)} });`,
    `const receipt = await submissions.${procedure}(${input}${key ? `, { idempotencyKey: ${code(key)} }` : ""});`,
  ].join("\n");
}

function trpcSample(request, procedure, key) {
  const { body } = request;
  const link = key
    ? `httpLink({ url: ${code(`${base}/trpc`)}, headers: { "idempotency-key": ${code(key)} } })`
    : `httpLink({ url: ${code(`${base}/trpc`)} })`;
  return [
    `import { createTRPCClient, httpLink } from "@trpc/client";`,
    `import type { AppRouter } from "@submissions/client/router";`,
    "",
    `const client = createTRPCClient<AppRouter>({ links: [${link}] });`,
    ...(isForm(request) ? ["const form = new FormData();", ...formCode(body)] : []),
    `const receipt = await client.${procedure}.mutate(${isForm(request) ? "form" : body});`,
  ].join("\n");
}

/** A sample of a typed call. */
const typed = (write) => (request) => {
  const { url, headers } = request.toJS();
  const procedure = procedureOf(url);
  if (procedure === undefined) return "// This address has no typed call.";
  return write(request.toJS(), procedure, headerOf(headers, "idempotency-key"));
};

const samples = () => ({
  fn: {
    requestSnippetGenerator_curl: (request) => curlSample(request.toJS()),
    requestSnippetGenerator_fetch: (request) => fetchSample(request.toJS()),
    requestSnippetGenerator_sdk: typed(sdkSample),
    requestSnippetGenerator_trpc: typed(trpcSample),
  },
});

// Refusals are one line each until they are opened: together they would be ten times as long as the operation.
const foldedRefusals = ({ React }) => ({
  wrapComponents: {
    response: (Response) =>
      function FoldedResponse(props) {
        const [open, setOpen] = React.useState(false);
        const status = String(props.code);
        if (status.startsWith("2")) return React.createElement(Response, props);
        const examples = props.response?.getIn(["content", "application/json", "examples"]);
        const names = examples ? [...examples.keys()].join(", ") : props.response?.get("description");
        const toggle = React.createElement(
          "button",
          { type: "button", className: "fold", "aria-expanded": open, onClick: () => setOpen(!open) },
          names,
        );
        return React.createElement(
          React.Fragment,
          null,
          React.createElement(
            "tr",
            { className: "response folded", "data-code": status },
            React.createElement("td", { className: "response-col_status" }, status),
            React.createElement("td", { className: "response-col_description", colSpan: 2 }, toggle),
          ),
          open && React.createElement(Response, props),
        );
      },
  },
});

// Swagger UI puts a link into each button that opens an operation. The navigation has these links.
const plainPaths = ({ React }) => ({
  wrapComponents: {
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement("span", null, text),
  },
});

// Some of its controls have no name for screen readers, and its code and the tabs of the samples cannot be reached from
// the keyboard.
function completeControls(root) {
  for (const control of root.querySelectorAll(":is(input[type=file], textarea, select):not([aria-label])"))
    control.ariaLabel = control.closest("[data-property-name]")?.dataset.propertyName ?? "Example";
  for (const block of root.querySelectorAll("pre.microlight:not([tabindex])")) block.tabIndex = 0;
  for (const tab of root.querySelectorAll(".request-snippets div.btn:not([role])")) {
    tab.role = "button";
    tab.tabIndex = 0;
    tab.addEventListener("keydown", ({ key }) => key === "Enter" && tab.click());
  }
}

const root = document.querySelector("#reader");
root.replaceChildren();
new MutationObserver(() => completeControls(root)).observe(root, { childList: true, subtree: true });
const reader = SwaggerUIBundle({
  spec,
  dom_id: "#reader",
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [samples, foldedRefusals, plainPaths],
  requestSnippetsEnabled: true,
  requestSnippets: {
    defaultExpanded: true,
    generators: {
      curl: { title: "curl", syntax: "bash" },
      fetch: { title: "fetch", syntax: "javascript" },
      sdk: { title: "SDK", syntax: "javascript" },
      trpc: { title: "tRPC", syntax: "javascript" },
    },
    languages: ["curl", "fetch", "sdk", "trpc"],
  },
});

// The navigation. Swagger UI looks at the address only once, so it is told when a link changes it.
const contents = document.querySelector("#contents");
for (const { name } of spec.tags) {
  const operations = Object.values(spec.paths).flatMap((methods) => Object.values(methods));
  // Webhooks stand at the end of the page, under a heading of Swagger UI's own.
  if (!operations.some(({ tags }) => tags.includes(name))) continue;
  const heading = document.createElement("p");
  heading.textContent = name;
  const list = document.createElement("ul");
  for (const { operationId, summary, tags } of operations) {
    if (!tags.includes(name)) continue;
    const link = document.createElement("a");
    link.href = `#/${name}/${operationId}`;
    link.textContent = summary;
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  contents.append(heading, list);
}
addEventListener("hashchange", () => reader.getSystem().layoutActions.parseDeepLinkHash(location.hash));
