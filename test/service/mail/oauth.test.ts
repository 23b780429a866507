// Mail servers that take tokens in place of passwords: a real token endpoint, a real SMTP server.
import { expect, test } from "vitest";
import { openMailer } from "../../../server/src/mail/transports.ts";
import { listening } from "../../support/listening.ts";
import { from, messageKey, oneOfEach } from "../../support/mail/examples.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";

const [mail] = oneOfEach();

/** Gives tokens 1, 2, … and fails where a test asks for it. */
async function openTokens() {
  const state = { asked: [] as Record<string, string>[], failure: null as [number, object] | null, seconds: 3_600 };
  const endpoint = await listening((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => {
      state.asked.push(Object.fromEntries(new URLSearchParams(body)));
      const token = { access_token: `token-${state.asked.length}`, expires_in: state.seconds, refresh_token: "next" };
      const [status, answer] = state.failure ?? [200, token];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  const oauth = {
    endpoint: `${endpoint.url}/token`,
    clientId: "desk",
    clientSecret: "s&cret",
    refreshToken: "first",
    scope: "mail.send",
  };
  return { state, endpoint, oauth, [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]() };
}

const open = (smtp: SmtpStandIn, oauth: Awaited<ReturnType<typeof openTokens>>["oauth"]) => {
  const url = `smtp://desk%40example.org@127.0.0.1:${smtp.port}?ignoreTLS=true`;
  return openMailer({ kind: "smtp", url, oauth }, from, messageKey);
};

test("a token is got once, used, and got anew when the server does not take it", async () => {
  await using tokens = await openTokens();
  await using smtp = await SmtpStandIn.open({
    user: "desk@example.org",
    token: () => `token-${tokens.state.asked.length}`,
  });
  await using mailer = await open(smtp, tokens.oauth);
  expect(await mailer.check?.()).toBeNull();
  expect(await mailer.send([mail])).toMatchObject([{ result: "taken" }]);
  expect(await mailer.send([mail])).toMatchObject([{ result: "taken" }]);
  expect(tokens.state.asked).toStrictEqual([
    {
      grant_type: "refresh_token",
      refresh_token: "first",
      client_id: "desk",
      client_secret: "s&cret",
      scope: "mail.send",
    },
  ]);
  // Revoked: the endpoint gives another one.
  smtp.dropConnections();
  tokens.state.asked.push({});
  expect(await mailer.send([mail])).toMatchObject([{ result: "taken" }]);
  expect(tokens.state.asked).toHaveLength(3);
  expect(tokens.state.asked[2]).toMatchObject({ refresh_token: "next" });
});

test("a refresh token that was revoked is a fault of the configuration, an endpoint that is away is not", async () => {
  await using tokens = await openTokens();
  await using smtp = await SmtpStandIn.open({ user: "desk@example.org", token: () => "token-1" });
  tokens.state.failure = [400, { error: "invalid_grant", error_description: "token of desk@example.org" }];
  await using mailer = await open(smtp, tokens.oauth);
  const refused = { result: "later", cause: "configuration", error: "smtp: OAUTH_INVALID_GRANT" };
  expect(await mailer.send([mail])).toStrictEqual([refused]);
  expect(await mailer.check?.()).toBe(refused.error);
  tokens.state.failure = [503, {}];
  const away = { result: "later", cause: "provider", error: "smtp: OAUTH_UNAVAILABLE" };
  expect(await mailer.send([mail])).toStrictEqual([away]);
  await tokens.endpoint.goAway();
  expect(await mailer.send([mail])).toStrictEqual([away]);
  expect(smtp.received).toStrictEqual([]);
});
