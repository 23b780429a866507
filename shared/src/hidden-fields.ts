// The fields that a form sends beside a submission's own, and that people do not see. No schema names them, and they are
// not part of an idempotency fingerprint.

/** Honeypot: only programs fill it in. */
export const honeypotField = "website";

/**
 * Where a form without script comes back to after success: a path, or an address of an origin in `CORS_ORIGINS`. Anything
 * else is as if it were not there.
 */
export const nextField = "next";

/** What the list of openings sends where none of them is meant; what is meant then stands in the other field. */
export const otherPosition = "*";
export const otherPositionField = "otherPosition";

/** Proof of work: the solution of a challenge, base64 of JSON with both, as ALTCHA's widget sends it. */
export const altchaField = "altcha";

/** Path of fresh challenges; 404 where the service asks for no proofs of work. */
export const altchaChallengePath = "/altcha/challenge";

/**
 * Version of the privacy notice that the form showed: `2026-11`, at most 100 code points. No value of it or of
 * {@link consentPageField} is ever refused, because the person who sends the form did not write them (docs/adr/0025).
 */
export const consentTextField = "consentText";

/** Address of the page that showed the notice. */
export const consentPageField = "consentPage";
