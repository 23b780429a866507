// The one table of faults: every refusal that a caller can meet, with its status, code and message.
// Both doors, the OpenAPI document and docs/errors.md are made from it.
import { filesTooLarge } from "./console.ts";

/** What is said of a fault. */
interface Said {
  /** Safe to show to a person. It never quotes the caller or the system. */
  readonly message: string;
  /** When it happens, or what else is to be known, for the documentation. */
  readonly when?: string;
}

export interface FaultEntry extends Said {
  /** HTTP status. */
  readonly status: number;
  readonly code: string;
  /** Whether only operators meet it, in the console. */
  readonly console?: true;
}

/** Faults of one status and code, by name. */
const faultsOf = <const Code extends string, Name extends string>(
  status: number,
  code: Code,
  said: Readonly<Record<Name, Said>>,
) =>
  Object.fromEntries(Object.entries<Said>(said).map(([name, one]) => [name, { status, code, ...one }])) as Readonly<
    Record<Name, FaultEntry & { readonly code: Code }>
  >;

/** What callers meet. */
const ofCallers = {
  ...faultsOf(400, "BAD_REQUEST", {
    fieldsInvalid: {
      message: "Please check the highlighted fields.",
      when: "A field is missing, malformed, too long or sent twice, a file stands where text belongs or text where the file belongs, or the resume is empty.",
    },
    bodyNotObject: {
      message: "The body must be an object with the documented fields.",
      when: "The JSON text is no object.",
    },
    namesTooMany: {
      message: "The body has too many fields.",
      when: "It has more than 300 names. A form's text counts each time that it is sent, but the 1,000 that a list may have.",
    },
    proofOfWorkInvalid: {
      message: "We could not verify that you are human. Please try again.",
      when: "The proof of work (ALTCHA) is missing, wrong, expired or used. `issues` names `altcha`.",
    },
    idempotencyKeyInvalid: {
      message: "Send one Idempotency-Key of 1 to 255 printable ASCII characters, for one call.",
      when: "The header is malformed, repeated, or sent with a typed RPC batch of several calls.",
    },
    batchTooLarge: {
      message: "Too many calls in one batch.",
      when: "A typed RPC batch has more than 50 calls, or one of the console more than 10.",
    },
    requestMalformed: {
      message: "The request is not valid HTTP.",
      when: "Its method, target, Host or Transfer-Encoding header is wrong. The connection is closed.",
    },
  }),
  ...faultsOf(400, "PARSE_ERROR", {
    bodyMalformed: {
      message: "The body could not be read.",
      when: "The JSON, UTF-8, form or multipart body is malformed or ends too early.",
    },
    boundaryMissing: {
      message:
        "The multipart boundary is missing. Do not set Content-Type yourself: the client sets it, with the boundary.",
      when: "The content type of a `multipart/form-data` body has no boundary.",
    },
    bodyEmpty: {
      message: "The body is empty.",
      when: "The path expects a body.",
    },
  }),
  ...faultsOf(401, "UNAUTHORIZED", {
    unauthorised: {
      message: "This address needs a valid user name and password, or a token.",
      when: "Those of the webhook, or the token of `/metrics`, are missing or wrong. `WWW-Authenticate` names the scheme.",
    },
  }),
  ...faultsOf(403, "FORBIDDEN", {
    crossSiteForbidden: {
      message: "Submissions from pages of other websites are not accepted.",
      when: "`CORS_ORIGINS` does not name the page's site: `Sec-Fetch-Site` is `cross-site`, or without it `Origin` is neither that of `PUBLIC_URL` nor of the host that was asked for (`Host`, behind a trusted proxy `X-Forwarded-Host`). A request without both is never refused for this, nor one to unsubscribe.",
    },
  }),
  ...faultsOf(404, "NOT_FOUND", {
    notFound: {
      message: "There is nothing at this address.",
      when: "The path or the procedure is unknown.",
    },
  }),
  ...faultsOf(405, "METHOD_NOT_SUPPORTED", {
    methodNotSupported: {
      message: "This address does not support that method.",
      when: "`Allow` names the methods of the path.",
    },
  }),
  ...faultsOf(408, "TIMEOUT", {
    requestTimedOut: {
      message: "The request took too long to arrive.",
      when: "The headers took longer than 10 s, or the body came slower than 8 KB/s over 10 s. The connection is closed.",
    },
  }),
  ...faultsOf(409, "CONFLICT", {
    idempotencyConflict: {
      message: "This submission is still being processed. Please wait for its answer.",
      when: "A request with the same Idempotency-Key is still running.",
    },
  }),
  ...faultsOf(413, "PAYLOAD_TOO_LARGE", {
    bodyTooLarge: {
      message: "The request is too large.",
      when: "JSON is over 64 KiB (an application and a batch: 256 KiB; the mail provider's webhook: 1 MiB; a file of subscribers: 5 MiB), a URL-encoded form or the text of a multipart form over 256 KiB, the form of a newsletter link over 4 KiB.",
    },
    fieldTooLarge: {
      message: "A field of the form is too large.",
      when: "A documented text field of a form is over 100,000 bytes. `issues` names it.",
    },
    resumeTooLarge: {
      message: "The resume is larger than 5 MiB.",
      when: "The resume is over 5,242,880 bytes, or the form with it more than 256 KiB larger. `issues` names `resumeFile`, to an API call nothing else: what comes behind the file is not read.",
    },
  }),
  ...faultsOf(415, "UNSUPPORTED_MEDIA_TYPE", {
    contentTypeUnsupported: {
      message: "This content type is not accepted here.",
      when: "The content type, charset or content encoding of the request. The message and `Accept` name what is accepted.",
    },
    resumeKindUnsupported: {
      message: "The resume must be a PDF, DOC or DOCX file.",
      when: "Its bytes are of another kind, or the extension of its name disagrees with them. `issues` names `resumeFile`.",
    },
  }),
  ...faultsOf(422, "UNPROCESSABLE_CONTENT", {
    idempotencyKeyReused: {
      message: "This Idempotency-Key was used for another submission.",
      when: "In the last 24 hours, for the same procedure with other content.",
    },
  }),
  ...faultsOf(429, "TOO_MANY_REQUESTS", {
    rateLimited: {
      message: "Too many submissions. Please try again in a moment.",
      when: "The client sent more than the limit allows; refused ones count too. `RateLimit-Reset` also says when to try again.",
    },
    tooManyAttempts: {
      message: "Too many failed attempts. Please try again in a minute.",
      when: "More than 10 wrong passwords of an address in a minute to the webhook, or wrong tokens to `/metrics`.",
    },
  }),
  ...faultsOf(421, "FORBIDDEN", {
    hostUnknown: {
      message: "There is nothing to read here under this name of the server.",
      when: "`/metrics` without `METRICS_TOKEN`, and `Host` is neither an IP address, nor a name without a dot, nor that of `PUBLIC_URL`.",
    },
  }),
  ...faultsOf(431, "BAD_REQUEST", {
    headersTooLarge: {
      message: "The request headers are too large.",
      when: "The headers are over 16 KiB, or some 1,000 lines. The connection is closed.",
    },
  }),
  ...faultsOf(500, "INTERNAL_SERVER_ERROR", {
    internal: {
      message: "Something went wrong on our side. Please try again.",
      when: "The log has the details under the request id.",
    },
  }),
  ...faultsOf(503, "SERVICE_UNAVAILABLE", {
    storageUnavailable: {
      message: "We cannot take submissions right now. Please try again in a moment.",
      when: "The storage is unusable, or less than 1 GiB of disk is left for a resume. Nothing was stored, unless the connection to the database broke during the commit; repeated with the same `Idempotency-Key`, the submission is stored once in any case.",
    },
    referencesExhausted: {
      message: "We cannot take more submissions of this kind today. Please try again tomorrow.",
      when: "All 1,000,000 references of the day are taken. `Retry-After` names the next UTC day.",
    },
    draining: {
      message: "The service is restarting. Please try again in a moment.",
      when: "The process is shutting down.",
    },
    overloaded: {
      message: "We are very busy right now. Please try again in a moment.",
      when: "The process, the client address or the connection has more requests or uploads at once than it may have.",
    },
  }),
};

/** What only operators meet, in the console. */
const ofOperators = {
  ...faultsOf(400, "BAD_REQUEST", {
    invitationInvalid: { message: "This link was used or has expired. Please ask an administrator for a new one." },
    oidcFailed: {
      message: "The sign-in could not be completed. Please try again.",
      when: "The provider refused it, or this browser did not begin it.",
    },
  }),
  ...faultsOf(401, "UNAUTHORIZED", {
    signedOut: { message: "Please sign in." },
    signInFailed: { message: "The e-mail address or the password is wrong." },
  }),
  ...faultsOf(403, "FORBIDDEN", {
    consoleOnly: {
      message: "This request did not come from the console.",
      when: "`Sec-Fetch-Site` is not `same-origin`, or without it `Origin` is not that of `PUBLIC_URL`. Tokens are exempt, and downloads by GET without either header.",
    },
    passwordsOff: { message: "Passwords are switched off here. Please sign in with your provider." },
    secondFactorRequired: { message: "Please set up a second factor first." },
    tokenReadsOnly: { message: "A token can only read." },
    oidcRefused: {
      message: "Your account is not known here. Please ask an administrator to invite you.",
      when: "The provider's address is no operator's, or its operator signs in with another account.",
    },
  }),
  ...faultsOf(409, "CONFLICT", {
    lastAdmin: { message: "There must be one administrator." },
    notSpam: { message: "This submission is not spam any more." },
    mailNotSendable: {
      message: "This mail cannot be sent again.",
      when: "A welcome mail that was sent: its links are no longer known.",
    },
    mailSuppressed: { message: "This address gets no mail from us: it bounced, complained or unsubscribed." },
    mailToOurselves: { message: "Mails to this address come in as answers, so it is never mailed." },
    mailCapped: {
      message: "3 such mails were sent within 24 hours. Try again later.",
      when: "Receipts and newsletter mails of an address, or one reply or notice.",
    },
    subscriberLeftOut: {
      message: "This address cannot be added.",
      when: "`issues` says why.",
    },
    submissionChanged: { message: "This submission was changed meanwhile. Please look at it and try again." },
    notesFull: { message: "This submission has 200 notes, which is as many as there may be." },
    replyOvertaken: {
      message: "A reply or an answer came that you have not seen. Please look at it, or send yours anyway.",
      when: "`issues` says who wrote, and when.",
    },
    replyOnItsWay: {
      message: "This reply is on its way already.",
      when: "A reply can be taken back for ten seconds, before any mail of it was tried.",
    },
    resumeInfected: { message: "The virus scanner found this resume infected." },
    resumeUnscanned: { message: "The virus scanner has not judged this resume yet. Please try again in a moment." },
  }),
  ...faultsOf(413, "PAYLOAD_TOO_LARGE", {
    filesTooLarge: { message: filesTooLarge },
  }),
  ...faultsOf(415, "UNSUPPORTED_MEDIA_TYPE", {
    fileIsProgram: {
      message: "Programs are not sent with a reply. Neither are ZIP files that hold one.",
      when: "By the extension of the name, also of a name in a ZIP file, or by the first bytes.",
    },
  }),
  ...faultsOf(429, "TOO_MANY_REQUESTS", {
    signInThrottled: {
      message: "Too many failed attempts. Please try again later.",
      when: "[Which attempts](console.md#signing-in).",
    },
    signInBusy: { message: "Many people are signing in. Please try again in a moment." },
    repliesLimited: { message: "You have sent 60 replies within an hour. Please try again later." },
    tooManyRequests: {
      message: "Too many requests. Please try again in a moment.",
      when: "[How many](console.md#how-much-one-operator-may-ask-for).",
    },
  }),
  ...faultsOf(503, "SERVICE_UNAVAILABLE", {
    readTooSlow: {
      message: "This search took too long. Please narrow it and try again.",
      when: "It took the database more than 5 seconds.",
    },
    fileUnscanned: {
      message: "The virus scanner does not answer, so that files cannot be attached. Please try again in a moment.",
    },
    oidcUnavailable: { message: "The identity provider cannot be reached. Please try again in a moment." },
  }),
};

const inConsole = <Table extends Readonly<Record<string, FaultEntry>>>(table: Table) =>
  Object.fromEntries(Object.entries(table).map(([name, one]) => [name, { ...one, console: true }])) as unknown as Table;

/** Every fault by name. docs/errors.md is written from it. */
export const faults = { ...ofCallers, ...inConsole(ofOperators) };

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
