// orval's client for fetch, with the address of the service from its configuration.
import { submitApplication } from "./orval/api";
import { applicant, resume, say } from "./applicant.mts";

const answer = await submitApplication(
  { ...applicant, resumeFile: resume },
  { headers: { "Idempotency-Key": "orval" } },
);
say(answer.status === 200 ? answer.data.applicationId : undefined, answer.data);
