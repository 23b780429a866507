// openapi-typescript's types with openapi-fetch. It calls a file a string, and leaves the writing of forms to its user.
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/api.ts";
import { applicant, resume, say, url } from "./applicant.mts";

const client = createClient<paths>({ baseUrl: url });
const { data, error } = await client.POST("/api/applications/submit", {
  params: { header: { "Idempotency-Key": "openapi-typescript" } },
  body: { ...applicant, resumeFile: resume as unknown as string },
  bodySerializer(fields) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value as string | Blob);
    return form;
  },
});
say(data?.applicationId, error);
