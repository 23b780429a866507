// A site of others: another origin, with pages of its own that embed the forms. It knows nothing of the service.
import { listening } from "./listening.ts";

export interface HostPage {
  readonly body: string;
  readonly lang?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function openHostSite() {
  let shown: HostPage = { body: "" };
  const site = await listening((request, response) => {
    if (!/^\/(?:\?|$)/.test(request.url ?? "")) {
      response.writeHead(404).end();
      return;
    }
    const { body, lang = "en", headers } = shown;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(`<!doctype html><html lang="${lang}"><head><title>A site</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"></head><body>${body}</body></html>`);
  });
  return Object.assign(site, { show: (page: HostPage) => void (shown = page) });
}
