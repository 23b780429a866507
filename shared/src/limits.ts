// Every bound that a caller can meet, in one place, with the reason for its size. Operational limits that callers
// never see (leases, time-outs, batch sizes) stand beside the code that they guard.

/** Longest text of each field, in Unicode code points. */
export const textLengthMax = {
  /** Fits every personal name that registers of births accept, and a company's full legal name. */
  name: 200,
  company: 200,
  position: 200,
  accent: 200,
  /** RFC 5321 4.5.3.1.3: a path is at most 256 octets, two of which are the angle brackets. */
  email: 254,
  /** ITU-T E.164 allows 15 digits; the rest is punctuation and an extension as people write them. */
  phone: 40,
  availability: 500,
  /** The length that browsers and proxies have long agreed to carry. */
  url: 2_048,
  /** Some ten printed pages. */
  coverLetter: 20_000,
  packageId: 100,
  /** What is stored of a newsletter source; longer ones are cut, never refused. */
  source: 64,
  /** What is read of a newsletter source at all; the JSON limit is reached first. */
  sourceRead: 65_536,
} as const;

/** Packages that one inquiry may name. */
export const packageIdsMax = 50;

/** Bodies, in bytes. */
export const bytesMax = {
  /** All request headers together: what Node and most proxies take. */
  headers: 16 * 1024,
  /** A JSON body: all fields of the largest honest request, twice over. */
  json: 64 * 1024,
  /** 5 MiB: a resume of exactly this size is still accepted. */
  resume: 5 * 1024 * 1024,
  /** One text field of a form: 20,000 code points at four bytes each, and the carriage returns a browser adds. */
  formField: 100_000,
  /** A URL-encoded form: every field at its limit, percent-encoded (three bytes for one). */
  urlencodedForm: 256 * 1024,
  /** All text fields of a multipart form together: the same, so that both kinds of form hold the same text. */
  formText: 256 * 1024,
  /** A multipart form as a whole: the resume, all fields, and what surrounds the parts. */
  multipartForm: 5 * 1024 * 1024 + 256 * 1024,
} as const;

/** Calls in one batch of typed RPC. A batch is one HTTP request, so this bounds the work of one. */
export const batchCallsMax = 10;
