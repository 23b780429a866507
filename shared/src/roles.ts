// The roles of operators. What a role sees of submissions stands in the rows of the kinds (kinds.ts).

/** `admin` sees everything, `marketing` subscribers; the others see the kinds of submissions whose row names them. */
export const roles = ["admin", "sales", "recruiting", "marketing"] as const;
export type Role = (typeof roles)[number];
