// An identity provider on the loopback, with one person who signs in without being asked. A test says who that is.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Interaction, Provider } from "oidc-provider";
import { Listening } from "../listening.ts";

export const client = { id: "submissions", secret: "a-secret-of-this-test" };

interface Person {
  subject: string;
  email?: string;
  emailVerified?: boolean;
  name?: string;
  /** How the person has signed in, as the ID token says. */
  amr?: readonly string[];
  acr?: string;
}

export class IdentityProvider extends Listening {
  issuer = "";
  person: Person = { subject: "1" };
  /** What it answers when it is asked for its keys, in place of them. */
  jwks: object | null = null;

  /**
   * @param redirects the address of the service, once it is known
   * @param path of the issuer: empty, or one with a slash at both ends
   */
  static async open(redirects: () => string, path = ""): Promise<IdentityProvider> {
    const one = await new IdentityProvider(createServer()).listen();
    one.issuer = one.url + path;
    let handler: ReturnType<Provider["callback"]> | undefined;
    one.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // Made at the first request: it must know where the service is.
      handler ??= providerOf(one, redirects()).callback();
      const { url = "" } = request;
      if (one.jwks !== null && url === "/jwks") {
        response.setHeader("content-type", "application/jwk-set+json");
        response.end(JSON.stringify(one.jwks));
        return;
      }
      // The library takes what was cut off as the place where it is mounted.
      if (path !== "" && url.startsWith(path))
        Object.assign(request, { originalUrl: url, url: url.slice(path.length - 1) });
      void handler(request, response);
    });
    return one;
  }
}

function providerOf(one: IdentityProvider, redirect: string): Provider {
  const provider = new Provider(one.issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirect] }],
    claims: { openid: ["sub", "amr", "acr"], email: ["email", "email_verified"], profile: ["name"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["keys of this test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, interaction: Interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => {
        const { email, emailVerified, name } = one.person;
        const address = email === undefined ? {} : { email, email_verified: emailVerified ?? true };
        return { sub: accountId, ...address, ...(name !== undefined && { name }) };
      },
    }),
  });
  // Signs in and agrees to everything at once.
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) {
      await next();
      return;
    }
    const { prompt, params, session } = await provider.interactionDetails(context.req, context.res);
    if (prompt.name === "login") {
      const { subject: accountId, amr, acr } = one.person;
      const result = { login: { accountId, ...(amr && { amr: [...amr] }), ...(acr !== undefined && { acr }) } };
      await provider.interactionFinished(context.req, context.res, result);
    } else {
      const grant = new provider.Grant({ accountId: session!.accountId, clientId: params["client_id"] as string });
      grant.addOIDCScope("openid email profile");
      await provider.interactionFinished(context.req, context.res, { consent: { grantId: await grant.save() } });
    }
    context.respond = false;
  });
  return provider;
}
