// Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. It signs in operators who exist and makes
// none. The library is loaded, and the provider asked for its addresses, at the first sign-in.
import type { Configuration } from "openid-client";
import { Fault } from "../fault.ts";
import type { AccessStore, OidcIdentity, StoredOperator } from "../storage/access-store.ts";

export interface OpenIdConnectSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the browser keeps while it is at the provider. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Hash of the session that the browser had; null: none. Its own cookie does not come back from another site. */
  readonly former: string | null;
}

/** Whom the provider vouches for. */
export interface Vouched {
  /** Hash of the session that the browser had when it began; null: none. */
  readonly former: string | null;
  readonly identity: OidcIdentity;
  /** Null: it vouches for no address. */
  readonly email: string | null;
}

const providerSecondsMax = 10;

/** @param refused told why a sign-in failed, in one word of the library or the provider, for the log */
export function openIdConnect(
  { issuer, clientId, clientSecret }: OpenIdConnectSettings,
  publicUrl: () => string,
  refused: (code: string) => void,
) {
  const callback = () => `${publicUrl()}/console/oidc/callback`;
  let discovering: Promise<Configuration> | undefined;

  async function discovered(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await import("openid-client");
    const url = new URL(issuer);
    // By itself the library trusts the connection to the provider, and does not check signatures of ID tokens.
    const execute = [enableNonRepudiationChecks];
    // The configuration takes plain http on this machine only.
    if (url.protocol === "http:") execute.push(allowInsecureRequests);
    discovering ??= discovery(url, clientId, clientSecret, undefined, { execute, timeout: providerSecondsMax });
    try {
      return await discovering;
    } catch (error) {
      discovering = undefined;
      // The provider may have answered with another name or with a document that cannot be read.
      refused(reasonOf(error));
      throw new Fault("oidcUnavailable", { cause: error, retryAfterSeconds: 5 });
    }
  }

  return {
    /**
     * Begins a sign-in.
     *
     * @param former hash of the session that the browser has now
     * @returns where to send the browser, and what it is to keep meanwhile
     * @throws Fault `oidcUnavailable`
     */
    async start(former: string | null): Promise<{ readonly location: string; readonly pending: string }> {
      const oidc = await import("openid-client");
      const configuration = await discovered();
      const pending: Pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        former,
      };
      const location = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: callback(),
        scope: "openid email",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      });
      return { location: location.href, pending: Buffer.from(JSON.stringify(pending)).toString("base64url") };
    },

    /**
     * Ends a sign-in.
     *
     * @param query of the address that the provider sent the browser to
     * @param kept what the browser kept
     * @throws Fault `oidcFailed`, `oidcUnavailable`
     */
    async finish(query: string, kept: string): Promise<Vouched> {
      const oidc = await import("openid-client");
      const configuration = await discovered();
      const { state, nonce, verifier, former } = readPending(kept);
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${callback()}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error("The provider sent no ID token.");
        const person = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        const email = person.email_verified === true ? (person.email ?? null) : null;
        return { identity: { issuer: claims.iss, subject: claims.sub }, email, former };
      } catch (error) {
        // The library throws errors of many kinds: wrong answers, refusals of the provider, answers that do not come.
        refused(reasonOf(error));
        throw new Fault("oidcFailed", { cause: error });
      }
    },
  };
}

/** Why a call failed, in one word: the error's code, or else its class. */
const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).name;

function readPending(kept: string): Pending {
  try {
    const { state, nonce, verifier, former } = JSON.parse(
      Buffer.from(kept, "base64url").toString(),
    ) as Partial<Pending>;
    if (state && nonce && verifier) return { state, nonce, verifier, former: former ?? null };
  } catch (error) {
    // Not what this service wrote.
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Fault("oidcFailed");
}

/**
 * The operator of a sign-in: the one it is bound to, or else the one with the verified address, to whom it is bound now.
 *
 * @throws Fault `oidcRefused`
 */
export async function operatorOf(
  access: AccessStore,
  { identity, email }: Pick<Vouched, "identity" | "email">,
  now: number,
): Promise<StoredOperator> {
  const bound = await access.findOidcOperator(identity);
  if (bound !== null) return bound;
  const known = email === null ? null : await access.findOperator(email);
  const isBound = known !== null && (await access.bindOidc(known.email, identity, { operator: known.email, at: now }));
  const operator = isBound ? await access.findOidcOperator(identity) : null;
  if (operator === null) throw new Fault("oidcRefused");
  return operator;
}
