// openapi-zod-client's client, which is Zodios with schemas for zod.
import { createApiClient } from "./openapi-zod-client-api";
import { applicant, resume, say, url } from "./applicant.mts";

const { applicationId } = await createApiClient(url).submitApplication({ ...applicant, resumeFile: resume });
say(applicationId, undefined);
