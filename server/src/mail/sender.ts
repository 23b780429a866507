// Who the mails come from.

/** The sender of every mail. */
export interface Sender {
  /** The display name, or null when there is none. */
  readonly name: string | null;
  /** One e-mail address. */
  readonly address: string;
}

/** The sender as a header without encoding: for providers that are handed text and write the header themselves. */
export const formatSender = ({ name, address }: Sender): string =>
  name === null ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
