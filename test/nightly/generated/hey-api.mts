// hey-api's client, made of functions.
import { client } from "./hey-api/client.gen";
import { submitApplication } from "./hey-api/sdk.gen";
import { applicant, resume, say, url } from "./applicant.mts";

client.setConfig({ baseUrl: url });
const { data, error } = await submitApplication({
  headers: { "Idempotency-Key": "hey-api" },
  body: { ...applicant, resumeFile: resume },
});
say(data?.applicationId, error);
