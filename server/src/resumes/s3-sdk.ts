// Brings in the AWS SDK, which only those install who keep resumes in an object store, and makes its client. The one place
// that knows the SDK's settings; credentials are found by the SDK itself, wherever it looks for them.
import type { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { S3Limits } from "./s3-limits.ts";
import { SettingUnusable } from "./vault.ts";

/** Where the bucket is. */
export interface S3Place {
  readonly bucket: string;
  /** What the names of our objects begin with: empty, or ending in a slash. */
  readonly prefix: string;
  /** Base address of a store that is not Amazon's; null: Amazon's. */
  readonly endpoint: string | null;
  /** Null: what the SDK finds. */
  readonly region: string | null;
}

/** The two packages. */
export type S3Sdk = typeof import("@aws-sdk/client-s3") & typeof import("@aws-sdk/s3-request-presigner");

const install = "npm install --no-save --omit=dev @aws-sdk/client-s3@3.1162.0 @aws-sdk/s3-request-presigner@3.1162.0";

/** @throws SettingUnusable when the packages are not installed */
export const loadS3Sdk = async (): Promise<S3Sdk> => {
  try {
    return { ...(await import("@aws-sdk/client-s3")), ...(await import("@aws-sdk/s3-request-presigner")) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new SettingUnusable("RESUME_STORE", `needs two packages that are not installed: ${install}`);
  }
};

/** @throws SettingUnusable when nobody says which region */
export const createS3Client = async (sdk: S3Sdk, place: S3Place, limits: S3Limits): Promise<S3Client> => {
  const agent = { keepAlive: true, maxSockets: limits.socketsMax };
  const client = new sdk.S3Client({
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    ...(place.region === null ? {} : { region: place.region }),
    // A bucket of another's store is seldom a host name.
    forcePathStyle: place.endpoint !== null,
    // By default the SDK wraps streams into chunks with a checksum behind them, which many stores refuse with 501. What
    // is sent carries its checksum all the same; see the vault.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // The SDK does not repeat streams; S3Calls repeats everything alike.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: limits.attemptMs,
      socketTimeout: limits.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // It would write to standard error, past our log.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await client.config.region().catch(() => {
    // It was not set, and is nowhere where the SDK looks.
    throw new SettingUnusable("S3_REGION", "is required, because no other setting names the region of RESUME_STORE.");
  });
  return client;
};

/** Answers, once the command was sent, what time it was for the store; NaN when it did not say. */
export const watchDate = (command: ListObjectsV2Command): (() => number) => {
  let date = Number.NaN;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = Date.parse((result.response as { headers: Record<string, string> }).headers["date"] ?? "");
      return result;
    },
    { step: "deserialize", name: "dateOfAnswer" },
  );
  return () => date;
};
