// What can become of a mail that came in.

/**
 * `own`: a mail of ours, which is dropped. `undelivered`: a report of a mail about no submission. `left-out`: the submission
 * has as many of this day as it may. `gone`: it was erased at this moment.
 */
export const receivedResults = ["filed", "repeated", "left-out", "gone", "unmatched", "undelivered", "own"] as const;

export type ReceivedResult = (typeof receivedResults)[number];
