// All texts of the forms in English, but for those of the tables: of fields and of single forms.
import type { FieldWords, FormWords } from "../field-table.ts";
import { forms, type FieldName, type FormName } from "./form-fields.ts";

/** What the tables say. Fields of one name have the same words in all forms. */
const ofTables = {
  fields: Object.fromEntries(
    Object.values(forms).flatMap(({ fields }) => Object.entries(fields).map(([name, field]) => [name, field.en])),
  ) as Readonly<Record<FieldName, FieldWords>>,
  forms: Object.fromEntries(Object.entries(forms).map(([name, { words }]) => [name, words.en])) as Readonly<
    Record<FormName, FormWords>
  >,
};

const messages: Readonly<Record<string, string>> = {
  "Enter a telephone number.": "Enter a number like +44 20 7946 0018, or leave the field empty.",
  "Enter a web address that starts with http:// or https://.":
    "Enter an address like https://example.org, or leave the field empty.",
};

/** The English texts. `{…}` is a slot that is filled in. */
export const english = {
  /** The language of these texts, as in HTML's `lang`. */
  lang: "en",
  ...ofTables,
  groups: { person: "About you", work: "About the work", documents: "Resume and letter" },
  /** Label of the letter in an inquiry. */
  message: "Message",
  /** The first line of a list to choose from. */
  choose: "Please choose",
  /** The last line of the positions, and the field for what it means. */
  other: "Other",
  otherPosition: "Which position?",
  /** Stands behind the label of an optional field. */
  optional: "optional",
  /** Heading above one problem, and above the list of several. */
  problems: "There is 1 thing to fix",
  problemsMany: "There are {count} things to fix",
  /** Label of the honeypot, which people do not see. */
  trap: "Leave this field empty",
  /** Hint of the packages where any identifier may be typed. */
  packagesTyped: "Package identifiers, one on each line",
  /** The line above the button where there is a privacy notice. `{notice}` is the link to it, whose text comes next. */
  privacy: "By sending this form, you agree that we use what you enter as our {notice} says.",
  privacyNotice: "privacy notice",
  packagesLoading: "Loading the packages…",
  packagesFailed: "The list of packages could not be loaded.",
  reference: "Your reference",
  referenceHint: "Please quote it when you write to us.",
  /** The button that copies the reference, and what it says afterwards. */
  copy: "Copy",
  copied: "Copied",
  /** Where the mail to a buyer or an applicant goes. */
  writeTo: "We write to {email}.",
  /** Where a subscription's mail went, the same where its link must be opened, and what for. */
  sentTo: "We wrote to {email}. Wrong address?",
  linkSentTo: "We sent a link to {email}. Wrong address?",
  openLink: "Open the link to confirm your subscription.",
  /** The button that leads back to the address. */
  changeAddress: "Change it",
  /** A button that takes a likely spelling of a mistyped address. */
  suggestion: "Did you mean {email}?",
  /** Length of the cover letter. */
  length: "{count} of {max} characters",
  /** In the place where a file may be dropped. */
  fileChoose: "Choose a file",
  fileDrop: "or drop it here",
  fileRemove: "Remove {name}",
  fileEmpty: "This file is empty.",
  fileTooLarge: "This file is {size}; at most 5 MB can be sent.",
  fileKind: "The resume must be a PDF, DOC or DOCX file.",
  /** A name whose extension says something else than the bytes. */
  fileExtension: "The name of this file ends in .{extension}, but it is a {kind} file.",
  fileUnreadable: "This file could not be read. Please choose it again.",
  filesMany: "Only one file can be sent.",
  sending: "Sending…",
  /** A challenge is being solved. */
  checking: "Checking that you are human…",
  /** All of a resume is uploaded. */
  uploaded: "Sent. Waiting for the answer…",
  /** While there is no connection. The form is sent as soon as there is one. */
  offline: "You are offline. The form is sent as soon as you are connected again.",
  cancel: "Cancel",
  cancelled: "Cancelled. If it had already arrived, sending it again does not send it twice.",
  retry: "Try again",
  /** Headings of a failure: certainly not sent, or unknown. */
  notSent: "Your form was not sent",
  unconfirmed: "We could not confirm that your form was sent",
  /** What happened… */
  unreachable: "We could not be reached.",
  busy: "Too many submissions are coming in right now.",
  unavailable: "We cannot take submissions right now.",
  failed: "Something went wrong on our side.",
  /** … what that means where it was not sent, or where that is unknown… */
  kept: "Everything you entered is still here.",
  uncertain: "Everything you entered is still here, and trying again cannot send it twice.",
  /** … and what to do. `{wait}` is `soon` or a time like "in 42 seconds". */
  again: "Please try again {wait}.",
  soon: "in a moment",
  /** `{id}` is the id of the request in the log. */
  requestId: "If you ask us about this, please quote {id}.",
  /**
   * Messages of the service and of the rules by their English text. `#` stands for a number and `“…”` for a quotation.
   * A message that is not in the list is shown as it comes.
   */
  messages,
};

/** All texts of the forms in one language. */
export type FormStrings = Readonly<typeof english>;
