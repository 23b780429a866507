// The local mailbox as a page, for `npm run dev`: each mail as HTML, as text and with its headers. On a port of its own,
// because mails hold what strangers typed, and no page of the service should share its origin with them.
import { once } from "node:events";
import type { Server } from "node:http";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { html, type Markup } from "@submissions/shared/html";
import PostalMime from "postal-mime";
import { createServer } from "../src/node-http.ts";

/** The latest; the folder has all. */
const shownMax = 100;

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --line: light-dark(#dfe2e8, #343a42); }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; overflow-wrap: anywhere; }
summary { padding: .5rem 0; border-bottom: 1px solid var(--line); cursor: pointer; }
iframe, pre { box-sizing: border-box; width: 100%; border: 1px solid var(--line); border-radius: 8px; }
iframe { height: 46rem; background: light-dark(#fff, #121417); } pre { padding: 1rem; font-size: .875rem; white-space: pre-wrap; }
`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  // It holds for the frames of the mails, too: nothing in them runs or loads.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

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
    const isOwn = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "");
    const isPage = /^\/(?:\?|$)/.test(request.url ?? "");
    if (!isOwn || !isPage) response.writeHead(isOwn ? 404 : 403).end();
    else
      pageOf(folder).then(
        (page) => response.writeHead(200, headers).end(page),
        // A mail was deleted meanwhile, or a file is none of ours.
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
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

async function pageOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".eml"));
  // Ids begin with a number that ascends.
  const newest = names.toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
  const mails = await Promise.all(newest.slice(0, shownMax).map((name) => mailIn(join(folder, name))));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Mailbox</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <h1>Mailbox</h1>
        ${mails.length === 0 ? html`<p>No mails yet.</p>` : mails}
      </body>
    </html>`.text;
}

async function mailIn(file: string): Promise<Markup> {
  const bytes = await readFile(file);
  const { date, to = [], subject, html: content = "", text } = await PostalMime.parse(bytes);
  const title = [date?.slice(0, 19).replace("T", " "), to.map(({ address }) => address).join(", "), subject];
  // Links open in a tab of their own.
  const shown = content.replace("<head>", '<head><base target="_blank" />');
  return html`<details>
    <summary>${title.join(" · ")}</summary>
    <iframe sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${shown}" title="The mail as HTML"></iframe>
    <pre>${text}</pre>
    <pre>${bytes.toString().split("\r\n\r\n", 1)}</pre>
  </details>`;
}
