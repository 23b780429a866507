// The stages that a submission of some kinds goes through. Which kinds have them says their row in `kinds.ts`.

/** In their order. The first is what a submission comes in with; the names are stored, so none is ever changed. */
export const stages = ["received", "screening", "interview", "offer", "hired", "declined", "withdrawn"] as const;
export type Stage = (typeof stages)[number];

/** The stages that end it. */
const finalStages: readonly Stage[] = ["hired", "declined", "withdrawn"];

export const isFinal = (stage: Stage): boolean => finalStages.includes(stage);

/** Submissions that one confirmation declines. */
export const declinesMax = 50;

/** When the mail of a decline may go out: so many days later. */
export const declineDays = [0, 2, 7] as const;
export type DeclineDays = (typeof declineDays)[number];

/** Characters of the reason of a decline. It is never mailed. */
export const declineReasonLengthMax = 200;
