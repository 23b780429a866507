// The one table of everything that can go wrong as far as a caller can tell: status, code and default message.
// Both doors, the OpenAPI document and docs/errors.md are made from it or tested against it.

/** Machine-readable codes; each is a tRPC error code, so that typed and REST callers read the same word. */
export type FaultCode =
  | "BAD_REQUEST"
  | "PARSE_ERROR"
  | "UNAUTHORIZED"
  | "NOT_FOUND"
  | "METHOD_NOT_SUPPORTED"
  | "TIMEOUT"
  | "CONFLICT"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "UNPROCESSABLE_CONTENT"
  | "TOO_MANY_REQUESTS"
  | "INTERNAL_SERVER_ERROR"
  | "SERVICE_UNAVAILABLE";

interface FaultEntry {
  /** HTTP status. */
  readonly status: number;
  readonly code: FaultCode;
  /** Safe to show to a person; never holds anything that the caller or the system said. */
  readonly message: string;
  /** When it happens, for the documentation. */
  readonly when: string;
}

/** Every fault by name. Add one here and to docs/errors.md; a test holds the two together. */
export const faults = {
  fieldsInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "Please check the highlighted fields.",
    when: "A field is missing, malformed, too long, sent twice, or a file stands where none belongs; `issues` names each one.",
  },
  bodyNotObject: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The body must be an object with the documented fields.",
    when: "The JSON text is valid but not an object.",
  },
  proofOfWorkInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The check that you are no program did not succeed. Please try again.",
    when: "The service asks for a proof of work (ALTCHA), and its solution is missing, wrong, expired or was used before; `issues` names `altcha`.",
  },
  idempotencyKeyInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The Idempotency-Key must be 1 to 255 printable ASCII characters, for one call.",
    when: "The header is empty, too long or holds other characters, or stands on a typed RPC batch of several calls.",
  },
  batchTooLarge: {
    status: 400,
    code: "BAD_REQUEST",
    message: "Too many calls in one batch.",
    when: "A typed RPC batch holds more than 10 calls.",
  },
  requestMalformed: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The request is not valid HTTP.",
    when: "The HTTP message itself cannot be understood; the connection is closed.",
  },
  bodyMalformed: {
    status: 400,
    code: "PARSE_ERROR",
    message: "The body could not be read.",
    when: "The JSON, UTF-8, form or multipart body is malformed or ends too early.",
  },
  bodyEmpty: {
    status: 400,
    code: "PARSE_ERROR",
    message: "The body is empty.",
    when: "A body was expected and none came.",
  },
  unauthorised: {
    status: 401,
    code: "UNAUTHORIZED",
    message: "Credentials are needed here.",
    when: "The webhook was called without its user name and password, or with wrong ones; `WWW-Authenticate` names the scheme.",
  },
  notFound: {
    status: 404,
    code: "NOT_FOUND",
    message: "There is nothing at this address.",
    when: "The path or the procedure is unknown.",
  },
  methodNotSupported: {
    status: 405,
    code: "METHOD_NOT_SUPPORTED",
    message: "This address does not take that method.",
    when: "The path is known and the method is not; `Allow` names those that are.",
  },
  requestTimedOut: {
    status: 408,
    code: "TIMEOUT",
    message: "The request took too long to arrive.",
    when: "Headers or body came too slowly; the connection is closed.",
  },
  idempotencyConflict: {
    status: 409,
    code: "CONFLICT",
    message: "This submission is already being worked on. Please wait for its answer.",
    when: "Another request with the same Idempotency-Key is under way. `Retry-After` says when to try again.",
  },
  bodyTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "The request is too large.",
    when: "JSON over 64 KiB (of the mail provider's webhook over 1 MiB), a URL-encoded form over 256 KiB, or the form of a newsletter link over 4 KiB.",
  },
  fieldTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "A field of the form is too large.",
    when: "One text field of a form over 100,000 bytes, or too many fields; `issues` names the field if it is one of ours.",
  },
  resumeTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "The resume is larger than 5 MiB.",
    when: "The resume holds more than 5,242,880 bytes, or the form with it more than 256 KiB beyond; `issues` names `resumeFile`.",
  },
  contentTypeUnsupported: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "This content type is not accepted here.",
    when: "The content type, its charset or the content encoding of the request is not one that the path takes.",
  },
  resumeKindUnsupported: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "The resume must be a PDF, DOC or DOCX file.",
    when: "The bytes of the resume are not PDF, DOC or DOCX, or its name ends otherwise; `issues` names `resumeFile`.",
  },
  idempotencyKeyReused: {
    status: 422,
    code: "UNPROCESSABLE_CONTENT",
    message: "This Idempotency-Key was used for another submission.",
    when: "The Idempotency-Key was used within the last 24 hours for the same procedure with other content.",
  },
  rateLimited: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Too many submissions. Please try again in a moment.",
    when: "The client sent more submissions than the limit allows, accepted or not. `Retry-After` and `RateLimit-Reset` say when to try again.",
  },
  headersTooLarge: {
    status: 431,
    code: "BAD_REQUEST",
    message: "The request headers are too large.",
    when: "More than 16 KiB of headers; the connection is closed.",
  },
  internal: {
    status: 500,
    code: "INTERNAL_SERVER_ERROR",
    message: "Something went wrong on our side. Please try again.",
    when: "A fault of ours; the log has the details under the request id.",
  },
  storageUnavailable: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We cannot take submissions right now. Please try again in a moment.",
    when: "The storage is unusable; nothing was stored, unless the connection to the database broke at the very moment of storing. `Retry-After` says when to try again; under the same `Idempotency-Key` it is one submission in any case.",
  },
  referencesExhausted: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We cannot take more submissions of this kind today. Please try again tomorrow.",
    when: "All 1,000,000 references of the day and kind are taken. `Retry-After` names the next UTC day.",
  },
  draining: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "The service is restarting. Please try again in a moment.",
    when: "The process is shutting down. `Retry-After` says when to try again.",
  },
  overloaded: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We are very busy right now. Please try again in a moment.",
    when: "More requests or uploads at once than the process can carry. `Retry-After` says when to try again.",
  },
} as const satisfies Record<string, FaultEntry>;

/** The name of a fault in the table. */
export type FaultName = keyof typeof faults;

/** One problem of a request: where it is and what to do about it, in words for a person. */
export interface Issue {
  /** Field names and list positions, outermost first: `["selectedPackageIds", 0]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The body of every refusal on REST, and `error.data` (with `message` beside it) on typed RPC. */
export interface FaultBody {
  readonly message: string;
  readonly code: FaultCode;
  /** Quote it when asking for help; the log has it too. */
  readonly requestId: string;
  readonly issues?: readonly Issue[];
}
