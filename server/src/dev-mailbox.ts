// The local mailbox as pages, for `npm run dev`: the list, and each mail as HTML, as text and with its headers. On a port
// of its own, because mails hold what strangers typed, and no page of the service should share its origin with them.
import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { html, type Fill, type Markup } from "@submissions/shared/html";
import PostalMime, { type Email } from "postal-mime";
import { createServer } from "./node-http.ts";

/** The latest; the folder has all. */
const listedMax = 200;

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --line: light-dark(#dfe2e8, #343a42); --quiet: light-dark(#566071, #adb4bd); }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.375rem; } h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
table { width: 100%; border-collapse: collapse; } th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--quiet); font-weight: 500; white-space: nowrap; } .quiet { color: var(--quiet); }
iframe { box-sizing: border-box; width: 100%; height: 46rem; border: 1px solid var(--line); border-radius: 8px; background: light-dark(#fff, #121417); }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: 8px; font-size: .875rem; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  table, tbody, tr, th, td { display: block; } th, td { padding: 0; border: 0; } tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tr:has(th + th) { display: none; }
}
`;

/**
 * Serves the mailbox in a folder.
 *
 * @param port the one to try first; any free one, if it is taken
 */
export async function serveMailbox(
  folder: string,
  port: number,
): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((request, response) => {
    // A page of another site could have its own name lead here (DNS rebinding), and then read every mail.
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "")) {
      return send(
        response,
        page("This is not the address of the mailbox", html`<p>Use the one that was printed.</p>`),
        403,
      );
    }
    const [path = "/"] = (request.url ?? "/").split("?");
    answer(folder, path, response).catch((error: unknown) => {
      // The mail was deleted meanwhile, or the file is none of ours.
      send(response, page("This mail cannot be read", html`<p>${String(error)}</p>`), 404);
    });
  });
  await listen(server, port).catch(() => listen(server, 0));
  const { port: found } = server.address() as { readonly port: number };
  return {
    address: `http://127.0.0.1:${found}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  // Rejects with the server's error.
  await once(server.listen(port, "127.0.0.1"), "listening");
}

async function answer(folder: string, path: string, response: ServerResponse): Promise<void> {
  if (path === "/") return send(response, listPage(await newestFirst(folder)));
  // Names of our mails hold nothing that leads out of the folder.
  const [, name = "", part] = /^\/([\w-]+)(\/html)?$/.exec(path) ?? [];
  const mail = await readMail(folder, `${name}.eml`);
  if (part === undefined) return send(response, mailPage(name, mail));
  // Links open in a tab of their own; nothing in the mail runs or loads.
  const shown = (mail.html ?? "").replace("<head>", '<head><base target="_blank" />');
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox";
  send(response, shown, 200, policy);
}

const readMail = async (folder: string, name: string): Promise<Email> =>
  PostalMime.parse(await readFile(join(folder, name)));

async function newestFirst(folder: string): Promise<(readonly [name: string, mail: Email])[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".eml"));
  // Ids begin with a number that ascends.
  const newest = names.toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
  return Promise.all(
    newest
      .slice(0, listedMax)
      .map(async (name) => [name.slice(0, -".eml".length), await readMail(folder, name)] as const),
  );
}

const listPage = (mails: readonly (readonly [name: string, mail: Email])[]): string =>
  page(
    "Mailbox",
    mails.length === 0
      ? html`<p>No mails yet.</p>`
      : html`<table>
          <tr>
            <th>Sent</th>
            <th>To</th>
            <th>Subject</th>
          </tr>
          ${mails.map(
            ([name, { date, to, subject }]) =>
              html`<tr>
                <td class="quiet">${date?.slice(0, 19).replace("T", " ")}</td>
                <td>${to?.map(({ address }) => address).join(", ")}</td>
                <td><a href="/${name}">${subject}</a></td>
              </tr>`,
          )}
        </table>`,
  );

const shownFirst = new Set(["from", "to", "reply-to", "date"]);

function mailPage(name: string, { headers, subject, text }: Email): string {
  const rows = (first: boolean): Fill =>
    headers
      .filter(({ key }) => shownFirst.has(key) === first)
      .map(
        ({ originalKey, value }) =>
          html`<tr>
            <th>${originalKey}</th>
            <td>${value}</td>
          </tr>`,
      );
  return page(
    subject ?? name,
    html`<p><a href="/">All mails</a></p>
      <table>
        ${rows(true)}
      </table>
      <h2>HTML</h2>
      <iframe src="/${name}/html" title="The mail as HTML"></iframe>
      <h2>Text</h2>
      <pre>${text}</pre>
      <h2>Other headers</h2>
      <table>
        ${rows(false)}
      </table>`,
  );
}

const page = (title: string, content: Markup): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`.text;

const ownPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'";

function send(response: ServerResponse, text: string, status = 200, policy = ownPolicy): void {
  response
    .writeHead(status, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
    .end(text);
}
