// Words for a submission that was not accepted: whether it was sent, why not, and what to do.
import type { FormStrings } from "@submissions/shared/forms/form-strings";
import { filled, translated } from "@submissions/shared/forms/issue-words";
import type { SubmissionError } from "../sdk/submission-error.ts";

export function failureWords(error: SubmissionError, strings: FormStrings) {
  const { mayHaveArrived, retryAfterSeconds, requestId, status } = error;
  const mayPass = status === 429 || status === 503;
  const sentences = [
    reason(error, strings),
    mayHaveArrived ? strings.uncertain : strings.kept,
    mayPass && filled(strings.again, { wait: waitIn(strings, retryAfterSeconds) }),
    status === 500 && requestId !== undefined && filled(strings.requestId, { id: requestId }),
  ];
  return {
    title: mayHaveArrived ? strings.unconfirmed : strings.notSent,
    message: sentences.filter(Boolean).join(" "),
  };
}

function reason({ code, status, message }: SubmissionError, strings: FormStrings): string {
  if (code === "NETWORK") return strings.unreachable;
  if (status === 429) return strings.busy;
  if (status === 503) return strings.unavailable;
  return code === "UNEXPECTED_RESPONSE" || status === 500 ? strings.failed : translated(message, strings);
}

/** "in 42 seconds", "in 3 minutes". */
function waitIn({ lang, soon }: FormStrings, seconds: number | undefined): string {
  if (seconds === undefined || seconds < 5) return soon;
  const format = new Intl.RelativeTimeFormat(lang);
  if (seconds <= 90) return format.format(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? format.format(minutes, "minute") : format.format(Math.ceil(minutes / 60), "hour");
}
