// orval's schemas for zod, around a form that is sent by hand.
import { SubmitApplicationBody, SubmitApplicationResponse } from "./orval-zod/api";
import { applicant, resume, say, url } from "./applicant.mts";

const body = new FormData();
const fields = SubmitApplicationBody.parse({ ...applicant, resumeFile: resume });
for (const [name, value] of Object.entries(fields)) body.append(name, value);
const response = await fetch(`${url}/api/applications/submit`, { method: "POST", body });
const answer: unknown = await response.json();
say(response.ok ? SubmitApplicationResponse.parse(answer).applicationId : undefined, answer);
