// Access tokens for mail servers that take no passwords (XOAUTH2), got with a refresh token (RFC 6749 6).
import { OperatorError } from "./operator-error.ts";

export interface OAuthSettings {
  readonly endpoint: string;
  readonly clientId: string;
  /** Empty: a public client, which has none. */
  readonly clientSecret: string;
  readonly refreshToken: string;
  readonly scope: string | null;
}

/** The endpoint refuses our credentials. An operator has to give it new ones. */
class TokenRefused extends OperatorError {
  readonly code: string;
  readonly isConfiguration = true;

  /** @param error its word for it: `invalid_grant` for a token that was revoked */
  constructor(error: string) {
    super(`The token endpoint refuses us: ${error}.`);
    this.code = `OAUTH_${error.toUpperCase()}`;
  }
}

/** The endpoint gives no answer that says anything. */
export class TokenUnavailable extends OperatorError {
  readonly code = "OAUTH_UNAVAILABLE";
}

/** Gives an access token; a new one where the last one ends soon, or did not serve (`renew`). */
export type AccessTokens = (renew?: boolean) => Promise<string>;

const askMs = 10_000;
/** A token that ends sooner is not used any more. */
const spareMs = 60_000;

export function accessTokens({ endpoint, clientId, clientSecret, scope, ...first }: OAuthSettings): AccessTokens {
  let { refreshToken } = first;
  let kept = { token: "", until: 0 };
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken, client_id: clientId });
    if (clientSecret !== "") body.set("client_secret", clientSecret);
    if (scope !== null) body.set("scope", scope);
    const signal = AbortSignal.timeout(askMs);
    const response = await fetch(endpoint, { method: "POST", body, redirect: "error", signal }).catch(
      (cause: unknown) => {
        throw new TokenUnavailable("The token endpoint cannot be reached.", { cause });
      },
    );
    // What else answers there may be anything.
    const answer = ((await response.json().catch(() => null)) ?? {}) as Record<string, unknown>;
    const { access_token: token, refresh_token: next, expires_in: seconds, error } = answer;
    if (response.ok && typeof token === "string") {
      // Some endpoints change it at each use. A restart begins with the one of the setting again.
      if (typeof next === "string") refreshToken = next;
      kept = { token, until: performance.now() + Number(seconds ?? 0) * 1000 - spareMs };
      return token;
    }
    const isRefusal = (response.status === 400 || response.status === 401) && typeof error === "string";
    if (isRefusal) throw new TokenRefused(/^[a-z_]{1,40}$/.test(error) ? error : "error");
    throw new TokenUnavailable(`The token endpoint answers with HTTP ${response.status}.`);
  }

  return async (renew = false) => {
    if (!renew && performance.now() < kept.until) return kept.token;
    return (asking ??= ask().finally(() => (asking = undefined)));
  };
}
