// Stands in for server/src/failpoint.ts: when the step that FAILPOINT names is reached, the process is killed, or an
// error is thrown that no code catches. `before-commit`, `before-commit:kill`, `after-commit:throw`, `after-commit:reject`;
// `before-commit:kill:3`: when it is reached for the third time.

/** What the service calls its steps. */
export type Step =
  | "body-read"
  | "staged"
  | "resume-synced"
  | "resume-kept"
  | "row-written"
  | "before-commit"
  | "after-commit"
  | "before-answer"
  | "mail-claimed"
  | "mail-in-hand"
  | "mail-taken"
  | "mail-settled"
  | "answer-files-kept"
  | "answer-filed"
  | "rows-copied"
  | "backup-written";

export type Failure = "kill" | "throw" | "reject";
export type Failpoint = Step | `${Step}:${Failure}` | `${Step}:${Failure}:${number}`;

const [wanted = "", failure = "kill", times = "1"] = (process.env["FAILPOINT"] ?? "").split(":");

const failures: Readonly<Record<string, () => void>> = {
  kill: () => process.kill(process.pid, "SIGKILL"),
  // In a turn of their own, where no caller is left to catch them.
  throw: () =>
    void setImmediate(() => {
      throw new Error("thrown by a failpoint");
    }),
  reject: () => void Promise.reject(new Error("rejected by a failpoint")),
};

let left = Number(times);

export function reached(step: Step): void {
  if (step === wanted && (left -= 1) === 0) failures[failure]?.();
}
