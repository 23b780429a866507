// The one router. Composition only; both doors and the OpenAPI document are made from it.
import { applicationsRouter } from "./applications.ts";
import { marketplaceRouter } from "./marketplace.ts";
import { newsletterRouter } from "./newsletter.ts";
import { router } from "./trpc.ts";

export const appRouter = router({
  marketplace: marketplaceRouter,
  newsletter: newsletterRouter,
  applications: applicationsRouter,
});

/** What the typed client is typed by. */
export type AppRouter = typeof appRouter;
