// Says what became of a submission that was not taken: what happened, what is left of it, and what to do.
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { filled, translated } from "@submissions/shared/forms/issue-words";
import type { SubmissionError } from "../sdk/submission-error.ts";

/** The words for a failure. */
export function failureWords(error: SubmissionError, strings: FormStrings): string {
  const { code, mayHaveArrived, retryAfterSeconds, requestId, status } = error;
  if (code === "NETWORK" && !navigator.onLine) return [strings.offline, fate(), strings.againOnline].join(" ");
  const passing = status === 429 || status === 503;
  const said = passing || code === "NETWORK" || code === "UNEXPECTED_RESPONSE" || status === 500;
  return [
    said ? ownWords() : translated(error.message, strings),
    fate(),
    passing && filled(strings.again, { wait: waitIn(strings, retryAfterSeconds) }),
    status === 500 && requestId !== undefined && filled(strings.requestId, { id: requestId }),
  ]
    .filter(Boolean)
    .join(" ");

  function fate(): string {
    return mayHaveArrived ? strings.uncertain : strings.kept;
  }

  function ownWords(): string {
    if (code === "NETWORK") return strings.unreachable;
    return status === 429 ? strings.busy : status === 503 ? strings.unavailable : strings.failed;
  }
}

/** "in 42 seconds", "in 3 minutes". */
function waitIn({ lang, soon }: FormStrings, seconds: number | undefined): string {
  if (seconds === undefined || seconds < 5) return soon;
  const format = new Intl.RelativeTimeFormat(lang);
  if (seconds <= 90) return format.format(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? format.format(minutes, "minute") : format.format(Math.ceil(minutes / 60), "hour");
}
