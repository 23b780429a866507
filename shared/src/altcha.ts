// Proof of work as forms see it: where challenges come from, and the field that a solution is sent in. It is no field of
// any submission: no schema names it, and two submissions that differ in it ask for the same thing.

/** Holds the solution of a challenge, as ALTCHA's widget sends it: base64 of JSON with the challenge and its solution. */
export const altchaField = "altcha";

/** Answers a fresh challenge where the service asks for proofs of work, and 404 where it does not. */
export const altchaChallengePath = "/altcha/challenge";
