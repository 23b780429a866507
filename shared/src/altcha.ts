// Proof of work: where challenges come from, and the field of a solution. It is no field of any submission; no schema
// names it, and it is not part of an idempotency fingerprint.

/** Name of the field with the solution of a challenge: base64 of JSON with both, as ALTCHA's widget sends it. */
export const altchaField = "altcha";

/** Path of fresh challenges; 404 where the service asks for no proofs of work. */
export const altchaChallengePath = "/altcha/challenge";
