// The same by hand with Hono and zod. Hono comes with this folder's own package.json, so that an install of the project
// does not bring it. Environment: PORT, and that of peer-store.ts.
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { readApplication, readInquiry, readSubscription } from "./inputs.ts";
import { keepFile } from "./keep-file.ts";
import { openPeerStore, type Submission } from "./peer-store.ts";

/** What is used of Hono; its own types are there only where it is installed. */
interface Context {
  readonly req: { json(): Promise<unknown>; parseBody(): Promise<Readonly<Record<string, string | File>>> };
  json(value: object, status?: number): Response;
  text(text: string): Response;
}
interface App {
  readonly fetch: unknown;
  get(path: string, handler: (context: Context) => Response): void;
  post(path: string, handler: (context: Context) => Promise<Response>): void;
}

const load = createRequire(new URL("../package.json", import.meta.url));
const { Hono } = load("hono") as { Hono: new () => App };
const { serve } = load("@hono/node-server") as { serve(options: object): void };

const store = await openPeerStore();
const app = new Hono();

async function submit(context: Context, submission: Submission | null): Promise<Response> {
  if (submission === null) return context.json({ message: "Please check the fields." }, 400);
  return context.json({ message: "Thank you.", id: await store.submit(submission) });
}

app.post("/api/marketplace/inquiry", async (context) => submit(context, readInquiry(await context.req.json())));
app.post("/api/newsletter/subscribe", async (context) => submit(context, readSubscription(await context.req.json())));
app.post("/api/applications/submit", async (context) => {
  const { resumeFile, ...fields } = await context.req.parseBody();
  const sha256 = resumeFile instanceof File ? await keepFile(Readable.from(resumeFile.stream())) : "";
  return submit(context, readApplication(fields, sha256));
});
app.get("/readyz", (context) => context.text("ready"));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"]) });
