// The one table of faults: every refusal that a caller can meet, with its status, code and message.
// Both doors, the OpenAPI document and docs/errors.md are made from it.

interface FaultEntry {
  /** HTTP status. */
  readonly status: number;
  readonly code: string;
  /** Safe to show to a person. It never quotes the caller or the system. */
  readonly message: string;
  /** When it happens, for the documentation. */
  readonly when: string;
}

/** Every fault by name. docs/errors.md is written from it. */
export const faults = {
  fieldsInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "Please check the highlighted fields.",
    when: "A field is missing, malformed, too long or sent twice, a file stands where text belongs or text where the file belongs, or the resume is empty. `issues` names each problem.",
  },
  bodyNotObject: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The body must be an object with the documented fields.",
    when: "The JSON text is no object.",
  },
  proofOfWorkInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "We could not verify that you are human. Please try again.",
    when: "A proof of work (ALTCHA) is asked for, and its solution is missing, wrong, expired or used. `issues` names `altcha`.",
  },
  idempotencyKeyInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "Send one Idempotency-Key of 1 to 255 printable ASCII characters, for one call.",
    when: "The header is empty, too long, holds other characters, comes more than once, or stands on a typed RPC batch of several calls.",
  },
  batchTooLarge: {
    status: 400,
    code: "BAD_REQUEST",
    message: "Too many calls in one batch.",
    when: "A typed RPC batch has more than 50 calls, or one of the console more than 10.",
  },
  invitationInvalid: {
    status: 400,
    code: "BAD_REQUEST",
    message: "This link was used or has expired. Please ask an administrator for a new one.",
    when: "A link of the console, of an invitation or a sign-in.",
  },
  oidcFailed: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The sign-in could not be completed. Please try again.",
    when: "The identity provider refused a sign-in to the console, or its answer does not fit the sign-in that this browser began.",
  },
  requestMalformed: {
    status: 400,
    code: "BAD_REQUEST",
    message: "The request is not valid HTTP.",
    when: "The message, its method, target or Host header is wrong. The connection is closed.",
  },
  bodyMalformed: {
    status: 400,
    code: "PARSE_ERROR",
    message: "The body could not be read.",
    when: "The JSON, UTF-8, form or multipart body is malformed or ends too early.",
  },
  boundaryMissing: {
    status: 400,
    code: "PARSE_ERROR",
    message:
      "The multipart boundary is missing. Do not set Content-Type yourself: the client sets it, with the boundary.",
    when: "A `multipart/form-data` body has no boundary in its content type, because the caller set that header by hand.",
  },
  bodyEmpty: {
    status: 400,
    code: "PARSE_ERROR",
    message: "The body is empty.",
    when: "The path expects a body and the request has none.",
  },
  unauthorised: {
    status: 401,
    code: "UNAUTHORIZED",
    message: "This address needs a valid user name and password, or a token.",
    when: "The webhook was called without its user name and password or with wrong ones, or `/metrics` without its token. `WWW-Authenticate` names the scheme.",
  },
  signedOut: {
    status: 401,
    code: "UNAUTHORIZED",
    message: "Please sign in.",
    when: "A call or download of the console has no session or token, or one that has ended.",
  },
  signInFailed: {
    status: 401,
    code: "UNAUTHORIZED",
    message: "The e-mail address or the password is wrong.",
    when: "A sign-in to the console failed; unknown addresses too.",
  },
  crossSiteForbidden: {
    status: 403,
    code: "FORBIDDEN",
    message: "Submissions from pages of other websites are not accepted.",
    when: "A browser sends from a page of another site that `CORS_ORIGINS` does not name: `Sec-Fetch-Site` is `cross-site`, or without that header `Origin` is not that of `PUBLIC_URL`. A request without both is never refused for this.",
  },
  consoleOnly: {
    status: 403,
    code: "FORBIDDEN",
    message: "This request did not come from the console.",
    when: "The console's pages did not send it: `Sec-Fetch-Site` is not `same-origin`, or without that header `Origin` is not that of `PUBLIC_URL`. Tokens are exempt.",
  },
  passwordsOff: {
    status: 403,
    code: "FORBIDDEN",
    message: "Passwords are switched off here. Please sign in with your provider.",
    when: "The console has `CONSOLE_PASSWORDS=off`.",
  },
  secondFactorRequired: {
    status: 403,
    code: "FORBIDDEN",
    message: "Please set up a second factor first.",
    when: "The console has `CONSOLE_TOTP=required`, and the administrator has no second factor.",
  },
  tokenReadsOnly: {
    status: 403,
    code: "FORBIDDEN",
    message: "A token can only read.",
    when: "It was used for a change or a session of the console.",
  },
  oidcRefused: {
    status: 403,
    code: "FORBIDDEN",
    message: "Your account is not known here. Please ask an administrator to invite you.",
    when: "The provider's address is no operator's, or its operator signs in with another account.",
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
    message: "This address does not support that method.",
    when: "The path is known and the method is not. `Allow` names the methods of the path.",
  },
  requestTimedOut: {
    status: 408,
    code: "TIMEOUT",
    message: "The request took too long to arrive.",
    when: "The headers or the body came too slowly. The connection is closed.",
  },
  idempotencyConflict: {
    status: 409,
    code: "CONFLICT",
    message: "This submission is still being processed. Please wait for its answer.",
    when: "Another request with the same Idempotency-Key is still running.",
  },
  lastAdmin: {
    status: 409,
    code: "CONFLICT",
    message: "There must be one administrator.",
    when: "The last one of the console cannot go or get another role.",
  },
  notSpam: {
    status: 409,
    code: "CONFLICT",
    message: "This submission is not spam any more.",
    when: "An operator releases it.",
  },
  mailNotSendable: {
    status: 409,
    code: "CONFLICT",
    message: "This mail cannot be sent again.",
    when: "An operator sends a welcome mail again that was sent: its links are no longer known.",
  },
  mailSuppressed: {
    status: 409,
    code: "CONFLICT",
    message: "This address gets no mail from us: it bounced, complained or unsubscribed.",
    when: "An operator sends a receipt, a reply or a newsletter mail to a suppressed address. `issues` says why a reply was refused.",
  },
  mailCapped: {
    status: 409,
    code: "CONFLICT",
    message: "This address has had 3 such mails within 24 hours. Try again later.",
    when: "An operator sends a receipt or newsletter mail again.",
  },
  subscriberLeftOut: {
    status: 409,
    code: "CONFLICT",
    message: "This address cannot be added.",
    when: "An operator adds an address that is subscribed already or gets no mail. `issues` says why.",
  },
  submissionChanged: {
    status: 409,
    code: "CONFLICT",
    message: "This submission was changed meanwhile. Please look at it and try again.",
    when: "An operator's reply marks a submission as done that another one has changed.",
  },
  replyOnItsWay: {
    status: 409,
    code: "CONFLICT",
    message: "This reply is on its way already.",
    when: "An operator takes it back.",
  },
  resumeInfected: {
    status: 409,
    code: "CONFLICT",
    message: "The virus scanner found this resume infected.",
    when: "An operator opens it.",
  },
  resumeUnscanned: {
    status: 409,
    code: "CONFLICT",
    message: "The virus scanner has not judged this resume yet. Please try again in a moment.",
    when: "An operator opens it.",
  },
  bodyTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "The request is too large.",
    when: "JSON is over 64 KiB (an application and a batch: 256 KiB; the mail provider's webhook: 1 MiB; a file of subscribers: 5 MiB), a URL-encoded form or the text of a multipart form over 256 KiB, the form of a newsletter link over 4 KiB.",
  },
  fieldTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "A field of the form is too large.",
    when: "A text field of a form is over 100,000 bytes, or the form has too many fields. `issues` names the field if it is a documented one.",
  },
  resumeTooLarge: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    message: "The resume is larger than 5 MiB.",
    when: "The resume is over 5,242,880 bytes, or the form with it more than 256 KiB larger. `issues` names `resumeFile`; an API call learns nothing of the other fields, because what comes behind the file is not read.",
  },
  contentTypeUnsupported: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "This content type is not accepted here.",
    when: "The path does not accept the content type, charset or content encoding of the request.",
  },
  resumeKindUnsupported: {
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "The resume must be a PDF, DOC or DOCX file.",
    when: "The bytes of the resume are not PDF, DOC or DOCX, or the extension of its name disagrees with them. `issues` names `resumeFile`.",
  },
  idempotencyKeyReused: {
    status: 422,
    code: "UNPROCESSABLE_CONTENT",
    message: "This Idempotency-Key was used for another submission.",
    when: "The Idempotency-Key was used in the last 24 hours for the same procedure with other content.",
  },
  rateLimited: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Too many submissions. Please try again in a moment.",
    when: "The client sent more submissions than the limit allows; refused ones count too. `RateLimit-Reset` also says when to try again.",
  },
  tooManyAttempts: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Too many failed attempts. Please try again in a minute.",
    when: "An address sent more than 10 wrong passwords in a minute to the webhook, or wrong tokens to `/metrics`.",
  },
  signInThrottled: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Too many failed attempts. Please try again later.",
    when: "[Too many sign-ins](console.md#signing-in) failed.",
  },
  signInBusy: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Many people are signing in. Please try again in a moment.",
    when: "More passwords are being checked than the process, or one network, may have at once.",
  },
  repliesLimited: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "You have sent 60 replies within an hour. Please try again later.",
    when: "An operator's replies that were taken back count. Several at once are refused as a whole.",
  },
  tooManyRequests: {
    status: 429,
    code: "TOO_MANY_REQUESTS",
    message: "Too many requests. Please try again in a moment.",
    when: "A client address sent more requests to the console, or an operator or token more calls, than 20 times `RATE_LIMIT_MAX` in a window; or too much of theirs waits already or has waited for 15 s (4 reads and 2 exports at once).",
  },
  headersTooLarge: {
    status: 431,
    code: "BAD_REQUEST",
    message: "The request headers are too large.",
    when: "The headers are over 16 KiB, or some 1,000 lines. The connection is closed.",
  },
  internal: {
    status: 500,
    code: "INTERNAL_SERVER_ERROR",
    message: "Something went wrong on our side. Please try again.",
    when: "An error in the service. The log has the details under the request id.",
  },
  storageUnavailable: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We cannot take submissions right now. Please try again in a moment.",
    when: "The storage is unusable, or less than 1 GiB of disk is left for a resume. Nothing was stored, unless the connection to the database broke during the commit; with the same `Idempotency-Key` the submission is stored once in any case.",
  },
  referencesExhausted: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We cannot take more submissions of this kind today. Please try again tomorrow.",
    when: "All 1,000,000 references of this kind and day are taken. `Retry-After` names the next UTC day.",
  },
  draining: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "The service is restarting. Please try again in a moment.",
    when: "The process is shutting down.",
  },
  overloaded: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "We are very busy right now. Please try again in a moment.",
    when: "The process, the client address or the connection has more requests or uploads at once than it may have.",
  },
  readTooSlow: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "This search took too long. Please narrow it and try again.",
    when: "What an operator asked for took the database more than 5 seconds.",
  },
  oidcUnavailable: {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "The identity provider cannot be reached. Please try again in a moment.",
    when: "A sign-in to the console needs the provider at `OIDC_ISSUER`, and it does not answer.",
  },
} as const satisfies Record<string, FaultEntry>;

/** The name of a fault in the table. */
export type FaultName = keyof typeof faults;

/** Machine-readable codes. Each is a tRPC error code, so typed and REST callers read the same word. */
export type FaultCode = (typeof faults)[FaultName]["code"];

/** One problem of a request: where it is, and what to do about it. */
export interface Issue {
  /** Field names and list positions, outermost first: `["selectedPackageIds", 0]`. */
  readonly path: readonly (string | number)[];
  /** Safe to show beside the field. */
  readonly message: string;
}

/** The body of every refusal on REST, and `error.data` (with `message` beside it) on typed RPC. */
export interface FaultBody {
  readonly message: string;
  readonly code: FaultCode;
  /** The id of the request in the log and in the `X-Request-Id` header. Quote it when asking for help. */
  readonly requestId: string;
  readonly issues?: readonly Issue[];
}

/** `error.data` of a refusal on typed RPC. Its message is `error.message`. */
export interface ErrorData {
  readonly code: FaultCode;
  readonly httpStatus: number;
  /** The procedure, as the address names it; absent when a batch is refused as a whole in one object. */
  readonly path?: string;
  readonly requestId: string;
  readonly issues?: readonly Issue[];
  /** The `Retry-After` of this call, in seconds: a call within a batch has no headers of its own. */
  readonly retryAfterSeconds?: number;
}
