// How long keys and links are good for, and how many mails one address gets. Anyone can name any address as the submitter,
// so the mail that our forms cause to one address is limited. The team's notices are not.

/** How long an idempotency key is kept. */
export const idempotencyMs = 24 * 60 * 60 * 1000;

/** A confirm link works for seven days. Unsubscribe links do not expire. */
export const confirmMs = 7 * 24 * 60 * 60 * 1000;

/** A pending subscriber gets at most one welcome mail in this time. */
export const welcomeIntervalMs = 10 * 60 * 1000;

/** Receipts to one address in {@link capMs}. Counted by `submission.receipt_at`. */
export const receiptsMax = 3;

/**
 * Newsletter mails to one address in {@link capMs}. Counted apart from receipts: the answer to an inquiry says whether its
 * receipt went out, and must not show who has subscribed.
 */
export const newsletterMailsMax = 3;

/** How often a reply or a notice that was sent is sent again in {@link capMs}. */
export const againMax = 3;

/**
 * The time over which these are counted. A mail that is exactly this old counts no more, and neither does one that was stored
 * by a clock that was so far ahead.
 */
export const capMs = 24 * 60 * 60 * 1000;
