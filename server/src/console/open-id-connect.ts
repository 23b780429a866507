// Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. It signs in operators who exist. An account is
// bound to an operator once: with the invitation or the password. The library is loaded when the console is first opened.
import { setTimeout as pause } from "node:timers/promises";
import { email as emailRule, emailKey } from "@submissions/shared/addresses";
import { readText } from "@submissions/shared/text";
import type { Clock } from "../clock.ts";
import { Fault } from "../fault.ts";
import { signedJson, signJson } from "../secrets.ts";
import { keepAnswer } from "../share-answer.ts";
import type { AccessStore, OidcIdentity, StoredOperator } from "../storage/access-store.ts";
import { displayName } from "./inputs.ts";
import { namesFactor } from "./second-factor.ts";

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
  /** Hash of the invitation that is accepted with the account; null: none. */
  readonly invitation: string | null;
}

/** A person whom the provider vouches for. */
export interface Vouched extends Pick<Pending, "former" | "invitation"> {
  readonly identity: OidcIdentity;
  /** As the rule of addresses reads it. Null: it vouches for none that can be an operator's. */
  readonly email: string | null;
  /** What the provider calls the person, if an operator can be called that. */
  readonly name: string | null;
  /** Whether it names a second factor. */
  readonly isStrong: boolean;
}

const providerSecondsMax = 10;
/** A sign-in at the provider that is older is not enough: it asks for its password again. A session here idles as long. */
const signInAgeSecondsMax = 12 * 60 * 60;
const bindingMs = 10 * 60 * 1000;
/** How long a page of the console, and a sign-out, wait for the provider. */
const waitMs = 1_000;

interface OpenIdConnectDeps {
  readonly access: AccessStore;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  /** Told why a sign-in failed, in one word of the library or the provider, for the log. */
  readonly refused: (code: string) => void;
}

export function openIdConnect(
  { issuer, clientId, clientSecret }: OpenIdConnectSettings,
  { access, clock, publicUrl, refused }: OpenIdConnectDeps,
) {
  const callback = () => `${publicUrl()}/console/oidc/callback`;
  const discover = keepAnswer(async () => {
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await import("openid-client");
    const url = new URL(issuer);
    // The library does not check signatures of ID tokens by itself. The configuration takes http on this machine only.
    const execute = [enableNonRepudiationChecks];
    if (url.protocol === "http:") execute.push(allowInsecureRequests);
    return discovery(url, clientId, clientSecret, undefined, { execute, timeout: providerSecondsMax });
  });
  const discovered = () =>
    discover().catch((error: unknown) => {
      // Of any kind: the provider may have answered with a document that cannot be read.
      refused(reasonOf(error));
      throw new Fault("oidcUnavailable", { cause: error, retryAfterSeconds: 5 });
    });
  /** Null: the provider does not answer, or not soon. */
  const metadata = () =>
    Promise.race([
      // It fails with `oidcUnavailable` only.
      discovered().then(
        (found) => found.serverMetadata(),
        () => null,
      ),
      pause(waitMs, null, { ref: false }),
    ]);

  const write = (purpose: string, kept: object): string => signJson(access.cookieKey, purpose, kept);
  /** What this service had a browser keep; null: it did not write that. */
  const read = (purpose: string, kept: string): unknown => signedJson(access.cookieKey, purpose, kept);

  return {
    /** Where the provider's own pages are, for the policy of the page that leads there; the issuer's while it does not answer. */
    async origin(): Promise<string> {
      return new URL((await metadata())?.authorization_endpoint ?? issuer).origin;
    },

    /** Where the provider's own session is ended; null: it has no such page, or does not answer. */
    async endOfSession(): Promise<string | null> {
      const { end_session_endpoint: page } = (await metadata()) ?? {};
      if (page === undefined) return null;
      const url = new URL(page);
      url.searchParams.set("client_id", clientId);
      return url.href;
    },

    /** Begins a sign-in: where to send the browser, and what it keeps ({@link Pending}). @throws Fault `oidcUnavailable` */
    async start(former: string | null, invitation: string | null) {
      const oidc = await import("openid-client");
      const configuration = await discovered();
      const pending: Pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        former,
        invitation,
      };
      const location = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: callback(),
        scope: "openid email profile",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
        max_age: String(signInAgeSecondsMax),
      });
      return { location: location.href, pending: write("sign-in", pending) };
    },

    /**
     * The operator of a sign-in: the one whom the account is bound to, or else the one whose invitation it was begun with,
     * to whom the account is bound now. Null: the operator has a password, which has to be given first ({@link bindingOf}).
     * @throws Fault `oidcRefused`
     */
    async operatorOf({ identity, email, name, invitation }: Vouched): Promise<StoredOperator | null> {
      const now = clock.now();
      const bound = await access.findBound(identity);
      if (bound !== null) return bound;
      const invited = invitation === null ? null : await access.findInvited(invitation, now);
      const known = email === null ? null : await access.findOperator(email);
      if (known === null) throw new Fault("oidcRefused");
      if (known.id === invited?.id) {
        const actor = { operator: known.email, at: now };
        if (await access.changeOperator(known.email, { oidc: identity }, actor)) {
          if (known.name === null && name !== null) await access.changeOperator(known.email, { name }, actor);
          return known;
        }
      } else if (known.password !== null) return null;
      throw new Fault("oidcRefused");
    },

    /** What a browser keeps of an account until the operator has given the password. */
    bindingOf: ({ identity, email }: Vouched) =>
      write("binding", { identity, email: emailKey(email ?? ""), until: clock.now() + bindingMs }),

    /** Binds the account that a browser kept to the operator who has just signed in with the password, if it is theirs. */
    async bind(kept: string, operator: StoredOperator): Promise<void> {
      const binding = read("binding", kept) as { identity: OidcIdentity; email: string; until: number } | null;
      const at = clock.now();
      if (binding === null || binding.until <= at || binding.email !== emailKey(operator.email)) return;
      await access.changeOperator(operator.email, { oidc: binding.identity }, { operator: operator.email, at });
    },

    /** What a browser keeps of an account until the operator has given the code of the second factor. */
    codeWaitOf: ({ identity }: Vouched) => write("code", { identity, until: clock.now() + bindingMs }),

    /** The operator of the account that a browser kept until the code is given; null: it kept none, or for too long. */
    async operatorAwaitingCode(kept: string): Promise<StoredOperator | null> {
      const waiting = read("code", kept) as { identity: OidcIdentity; until: number } | null;
      return waiting !== null && waiting.until > clock.now() ? access.findBound(waiting.identity) : null;
    },

    /** Ends a sign-in. @param query of the provider's redirect @throws Fault `oidcFailed`, `oidcUnavailable` */
    async finish(query: string, kept: string): Promise<Vouched> {
      const oidc = await import("openid-client");
      const configuration = await discovered();
      const pending = read("sign-in", kept) as Pending | null;
      if (pending === null) throw new Fault("oidcFailed");
      const { state, nonce, verifier, former, invitation } = pending;
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${callback()}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          maxAge: signInAgeSecondsMax,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error("The provider sent no ID token.");
        const person = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        const email = person.email_verified === true ? addressOf(person.email ?? "") : null;
        const name = displayName.safeParse(person.name).data ?? null;
        const identity = { issuer: claims.iss, subject: claims.sub };
        return { identity, email, name, isStrong: namesFactor(claims), former, invitation };
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

/** The address as ours are read, or null. Only ASCII: normalising would make `mike` of a name with the Kelvin sign. */
const addressOf = (vouched: string): string | null =>
  /^[\x21-\x7E]+@/.test(vouched) ? (readText(emailRule, vouched).value ?? null) : null;
