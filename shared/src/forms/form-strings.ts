// Every word that the forms show, in English. Another language, or another voice, is an object of the same shape.
import type { FieldName, FormName } from "./form-fields.ts";

/** The words of a field. */
export interface FieldStrings {
  readonly label: string;
  readonly hint?: string;
  /** Said when a required field is empty. */
  readonly missing?: string;
}

/** The words of one form. */
export interface OneFormStrings {
  readonly submit: string;
  /** Heading of what stands in the form's place once it was accepted. */
  readonly accepted: string;
  /** The button that brings an empty form back. */
  readonly again: string;
}

/** All words. `{…}` is filled in. */
export interface FormStrings {
  /** The language of these words, as in HTML's `lang`. */
  readonly lang: string;
  readonly fields: Readonly<Record<FieldName, FieldStrings>>;
  readonly groups: Readonly<Record<"person" | "work" | "documents", string>>;
  readonly forms: Readonly<Record<FormName, OneFormStrings>>;
  /** Stands after the label of a field that may stay empty. */
  readonly optional: string;
  /** Heading above the list of problems. */
  readonly problems: string;
  /** The label of the trap for programs; people do not meet it. */
  readonly trap: string;
  /** Hint of the packages where any identifier may be typed. */
  readonly packagesTyped: string;
  readonly packagesLoading: string;
  readonly packagesFailed: string;
  readonly reference: string;
  readonly referenceHint: string;
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
  readonly checking: string;
  readonly uploading: string;
  readonly uploaded: string;
  readonly cancel: string;
  readonly cancelled: string;
  readonly retry: string;
  /** What happened… */
  readonly offline: string;
  readonly unreachable: string;
  readonly busy: string;
  readonly unavailable: string;
  readonly failed: string;
  /** … what has become of the submission: certainly nothing, or nobody knows… */
  readonly kept: string;
  readonly uncertain: string;
  /** … and what to do. `{wait}` is `soon` or a time, such as "in 42 seconds". */
  readonly againOnline: string;
  readonly again: string;
  readonly soon: string;
  /** Said when the connection is back. */
  readonly online: string;
  /** `{id}` is what finds the failure in the log. */
  readonly requestId: string;
  /**
   * What the service and the rules say, in English, and how it is said here. `#` stands for a number and `“…”` for
   * something quoted. What is not in the list is shown as it comes.
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
    accent: { label: "Accent or variety", hint: "Such as Scottish English" },
    portfolioUrl: { label: "Portfolio", hint: "Starts with https://" },
    resumeUrl: { label: "Link to your resume", hint: "Starts with https://" },
    coverLetter: { label: "Cover letter" },
    resumeFile: { label: "Resume", hint: "PDF, DOC or DOCX, at most 5 MB" },
  },
  groups: { person: "About you", work: "About the work", documents: "Resume and letter" },
  forms: {
    inquiry: { submit: "Send inquiry", accepted: "Your inquiry has been sent", again: "Send another inquiry" },
    newsletter: {
      submit: "Subscribe",
      accepted: "Your subscription has been sent",
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
  packagesTyped: "Package identifiers, one to a line",
  packagesLoading: "Loading the packages…",
  packagesFailed: "The list of packages could not be loaded.",
  reference: "Your reference",
  referenceHint: "Please quote it when you write to us.",
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
  checking: "A short check that no program is sending this…",
  uploading: "Sending, {percent}%",
  uploaded: "Sent. Waiting for the answer…",
  cancel: "Cancel",
  cancelled: "Cancelled, unless it had arrived already. Everything you entered is still here.",
  retry: "Try again",
  offline: "You are offline.",
  unreachable: "We could not be reached.",
  busy: "Too many submissions are coming in right now.",
  unavailable: "We cannot take this right now.",
  failed: "Something went wrong on our side.",
  kept: "Nothing was sent; everything you entered is still here.",
  uncertain:
    "It is not certain whether this was sent. Everything you entered is still here, and trying again cannot send it twice.",
  againOnline: "Please try again once you are connected.",
  again: "Please try again {wait}.",
  soon: "in a moment",
  online: "You are connected again. You can send the form now.",
  requestId: "If you ask us about this, please quote {id}.",
  messages: {},
};
