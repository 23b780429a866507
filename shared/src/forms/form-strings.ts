// All texts of the forms in English. Another language is an object of the same shape.
import type { FieldName, FormName } from "./form-fields.ts";

/** The texts of a field. */
export interface FieldStrings {
  readonly label: string;
  readonly hint?: string;
  /** The problem of a required field that is empty. */
  readonly missing?: string;
}

/** The texts of one form. */
export interface OneFormStrings {
  readonly submit: string;
  /** Heading of the receipt. */
  readonly accepted: string;
  /** The button that brings back an empty form. */
  readonly again: string;
}

/** All texts. `{…}` is a slot that is filled in. */
export interface FormStrings {
  /** The language of these texts, as in HTML's `lang`. */
  readonly lang: string;
  readonly fields: Readonly<Record<FieldName, FieldStrings>>;
  readonly groups: Readonly<Record<"person" | "work" | "documents", string>>;
  readonly forms: Readonly<Record<FormName, OneFormStrings>>;
  /** Stands behind the label of an optional field. */
  readonly optional: string;
  /** Heading above the list of problems. */
  readonly problems: string;
  /** Label of the honeypot, which people do not see. */
  readonly trap: string;
  /** Hint of the packages where any identifier may be typed. */
  readonly packagesTyped: string;
  /** The line above the button where there is a privacy notice. `{notice}` is the link to it, whose text comes next. */
  readonly privacy: string;
  readonly privacyNotice: string;
  readonly packagesLoading: string;
  readonly packagesFailed: string;
  readonly reference: string;
  readonly referenceHint: string;
  /** The button that copies the reference, and what it says afterwards. */
  readonly copy: string;
  readonly copied: string;
  /** Where a subscription's mail went, the same where its link must be opened, and what for. */
  readonly sentTo: string;
  readonly linkSentTo: string;
  readonly openLink: string;
  /** The button that leads back to the address. */
  readonly changeAddress: string;
  /** A button that takes a likely spelling of a mistyped address. */
  readonly suggestion: string;
  /** Length of the cover letter. */
  readonly length: string;
  /** In the place where a file may be dropped. */
  readonly fileChoose: string;
  readonly fileDrop: string;
  readonly fileRemove: string;
  readonly fileEmpty: string;
  readonly fileTooLarge: string;
  readonly fileKind: string;
  /** A name whose extension says something else than the bytes. */
  readonly fileExtension: string;
  readonly fileUnreadable: string;
  readonly filesMany: string;
  readonly sending: string;
  /** A challenge is being solved. */
  readonly checking: string;
  /** All of a resume is uploaded. */
  readonly uploaded: string;
  /** While there is no connection. The form is sent as soon as there is one. */
  readonly offline: string;
  readonly cancel: string;
  readonly cancelled: string;
  readonly retry: string;
  /** Headings of a failure: certainly not sent, or unknown. */
  readonly notSent: string;
  readonly unconfirmed: string;
  /** What happened… */
  readonly unreachable: string;
  readonly busy: string;
  readonly unavailable: string;
  readonly failed: string;
  /** … what that means where it was not sent, or where that is unknown… */
  readonly kept: string;
  readonly uncertain: string;
  /** … and what to do. `{wait}` is `soon` or a time like "in 42 seconds". */
  readonly again: string;
  readonly soon: string;
  /** `{id}` is the id of the request in the log. */
  readonly requestId: string;
  /**
   * Messages of the service and of the rules by their English text. `#` stands for a number and `“…”` for a quotation.
   * A message that is not in the list is shown as it comes.
   */
  readonly messages: Readonly<Record<string, string>>;
}

export const english: FormStrings = {
  lang: "en",
  fields: {
    name: { label: "Your name", missing: "Enter your name." },
    fullName: { label: "Full name", missing: "Enter your full name." },
    email: { label: "E-mail address", missing: "Enter your e-mail address." },
    company: { label: "Company" },
    selectedPackageIds: { label: "Packages you are interested in", missing: "Select at least one package." },
    position: { label: "Position you apply for", missing: "Enter the position you apply for." },
    phone: { label: "Telephone" },
    availability: { label: "Availability", hint: "From when, and hours a week" },
    accent: { label: "Accent or variety", hint: "For example Scottish English" },
    portfolioUrl: { label: "Portfolio", hint: "For example https://example.org/ana" },
    resumeUrl: { label: "Link to your resume", hint: "For example https://example.org/cv" },
    coverLetter: { label: "Cover letter" },
    resumeFile: { label: "Resume", hint: "PDF, DOC or DOCX, at most 5 MB" },
  },
  groups: { person: "About you", work: "About the work", documents: "Resume and letter" },
  forms: {
    inquiry: { submit: "Send inquiry", accepted: "Your inquiry has been sent", again: "Send another inquiry" },
    newsletter: {
      submit: "Subscribe",
      accepted: "Check your inbox",
      again: "Subscribe another address",
    },
    application: {
      submit: "Send application",
      accepted: "Your application has been sent",
      again: "Send another application",
    },
  },
  optional: "optional",
  problems: "There is a problem",
  trap: "Leave this field empty",
  packagesTyped: "Package identifiers, one on each line",
  privacy: "By sending this form, you agree that we use what you enter as our {notice} says.",
  privacyNotice: "privacy notice",
  packagesLoading: "Loading the packages…",
  packagesFailed: "The list of packages could not be loaded.",
  reference: "Your reference",
  referenceHint: "Please quote it when you write to us.",
  copy: "Copy",
  copied: "Copied",
  sentTo: "We wrote to {email}. Wrong address?",
  linkSentTo: "We sent a link to {email}. Wrong address?",
  openLink: "Open the link to confirm your subscription.",
  changeAddress: "Change it",
  suggestion: "Did you mean {email}?",
  length: "{count} of {max} characters",
  fileChoose: "Choose a file",
  fileDrop: "or drop it here",
  fileRemove: "Remove {name}",
  fileEmpty: "This file is empty.",
  fileTooLarge: "This file is {size}; at most 5 MB can be sent.",
  fileKind: "The resume must be a PDF, DOC or DOCX file.",
  fileExtension: "The name of this file ends in .{extension}, but it is a {kind} file.",
  fileUnreadable: "This file could not be read. Please choose it again.",
  filesMany: "Only one file can be sent.",
  sending: "Sending…",
  checking: "Checking that you are human…",
  uploaded: "Sent. Waiting for the answer…",
  offline: "You are offline. The form is sent as soon as you are connected again.",
  cancel: "Cancel",
  cancelled: "Cancelled. If it had already arrived, sending it again does not send it twice.",
  retry: "Try again",
  notSent: "Your form was not sent",
  unconfirmed: "We could not confirm that your form was sent",
  unreachable: "We could not be reached.",
  busy: "Too many submissions are coming in right now.",
  unavailable: "We cannot take submissions right now.",
  failed: "Something went wrong on our side.",
  kept: "Everything you entered is still here.",
  uncertain: "Everything you entered is still here, and trying again cannot send it twice.",
  again: "Please try again {wait}.",
  soon: "in a moment",
  requestId: "If you ask us about this, please quote {id}.",
  messages: {
    "Enter a telephone number.": "Enter a number like +44 20 7946 0018, or leave the field empty.",
    "Enter a web address that starts with http:// or https://.":
      "Enter an address like https://example.org, or leave the field empty.",
  },
};
