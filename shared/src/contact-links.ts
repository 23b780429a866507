// Links that write to or call a person, in notices and in the console alike.

/** The link that writes to an e-mail address. */
export const mailtoOf = (email: string): string => `mailto:${encodeURIComponent(email).replace("%40", "@")}`;

/**
 * The link that calls a telephone number; undefined when the text is not one number to dial. Such a link has no place for
 * digits of other scripts and for extensions.
 */
export function telOf(phone: string): string | undefined {
  if (!/^[\d\s()./+-]+$/.test(phone)) return undefined;
  const dialled = phone.replace(/^(\+.*)\(0\)/, "$1").replaceAll(/[^\d+]/g, "");
  return /^\+?\d{3,}$/.test(dialled) ? `tel:${dialled}` : undefined;
}
