// The typed client in a page, as a site would bundle it.
import { createSubmissionsClient } from "@submissions/client";

export type InAPage = typeof globalThis & { createSubmissionsClient: typeof createSubmissionsClient };

(globalThis as InAPage).createSubmissionsClient = createSubmissionsClient;
