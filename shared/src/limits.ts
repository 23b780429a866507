// Every limit that a caller can meet, with the reason for its size. Operational limits that callers never see (leases,
// time-outs, batch sizes) stand beside the code that they guard.

/**
 * Longest texts in code points, beside those that stand in the tables of fields. Before it is read, a raw text may have four times as many UTF-16 code units
 * (`rawLengthFactor` in text.ts).
 */
export const textLengthMax = {
  /** Longer than the personal names that registers of births accept. */
  name: 200,
  /** RFC 5321 4.5.3.1.3: a path is at most 256 octets, two of which are the angle brackets. */
  email: 254,
  /** ITU-T E.164 allows 15 digits; the rest is punctuation and an extension as people write them. */
  phone: 40,
  /** What browsers and proxies carry. */
  url: 2_048,
  packageId: 100,
  /** Name and value of a field that the service does not document: what a form builder calls its fields, and a message. */
  furtherName: 64,
  furtherValue: 2_000,
  /** A version of a privacy notice: a date, a number or a hash. */
  consentText: 100,
  /** What is stored of a newsletter source. A longer label is cut, never refused. */
  source: 64,
  /** The longest newsletter source that is read, in code units: a URL of the length above and as much again. */
  sourceRead: 4_096,
} as const;

/** Identifiers in one inquiry, before repeats are dropped. */
export const packageIdsMax = 50;

/** Fields beside the documented ones that are kept with a submission. Forms of ours have none; long ones of others have ten. */
export const furtherFieldsMax = 20;

/** Names in one body: far more than any form has. Each costs work before a field of it is looked at. */
export const namesMax = 300;

/** Largest headers and bodies, in bytes. */
export const bytesMax = {
  /** All request headers together: what Node and most proxies take. */
  headers: 16 * 1024,
  /** A JSON body: all fields of the largest honest request, twice over. */
  json: 64 * 1024,
  /** That of an application: 20,000 code points, each written as two escapes of six bytes (`\ud83d\ude00`). */
  jsonOfApplication: 256 * 1024,
  /** That of a batch, whose calls have the limits above. */
  jsonOfBatch: 256 * 1024,
  /** 5 MiB: a resume of exactly this size is still accepted. */
  resume: 5 * 1024 * 1024,
  /** One text field of a form: 20,000 code points at four bytes each, and the carriage returns a browser adds. */
  formField: 100_000,
  /**
   * A URL-encoded form: every field at its limit, percent-encoded (three bytes for one). And all text fields of a multipart
   * form together, so that both kinds of form hold the same text.
   */
  urlencodedForm: 256 * 1024,
  /** A multipart form as a whole: the resume, all fields, and what surrounds the parts. */
  multipartForm: 5 * 1024 * 1024 + 256 * 1024,
} as const;

/** Calls in one batch of typed RPC. A batch is one HTTP request, so this bounds the work of one. */
export const batchCallsMax = 50;
