// The honeypot: a hidden field that only programs fill in. It is no field of any submission; no schema names it.

/** Name of the field that a form hides from people. */
export const honeypotField = "website";
