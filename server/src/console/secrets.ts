// Secrets that are given out once: ids of sessions, invitations and tokens. Only their hashes are stored.
import { createHash, randomBytes } from "node:crypto";

/** 256 random bits, fit for links, cookies and headers. */
export const drawSecret = (): string => randomBytes(32).toString("base64url");

/** SHA-256 in lower-case hexadecimal. A slow hash is only needed for what people choose. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
