// What persons write back, through a mailbox: from the server's socket to the timeline.
import { expect, test } from "vitest";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { passes, rawMail } from "../../support/answers/mails.ts";
import { operator } from "../../support/console/operator.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { ImapStandIn } from "../../support/imap-stand-in.ts";
import { listening } from "../../support/listening.ts";
import { startService } from "../../support/service.ts";

test("an answer comes in once, with a token in place of a password", async () => {
  await using server = await ImapStandIn.open();
  server.token = "token";
  const refused = { isRefused: true };
  await using tokens = await listening((_request, response) => {
    const answer = refused.isRefused ? { error: "invalid_grant" } : { access_token: "token", expires_in: 3_600 };
    response.writeHead(refused.isRefused ? 400 : 200).end(JSON.stringify(answer));
  });
  const env = {
    INBOUND_ADDRESS: "answers@desk.example",
    INBOUND_AUTHSERV_ID: "mx.desk.example",
    IMAP_URL: server.url.replace(":secret", ""),
    IMAP_OAUTH: `${tokens.url.replace("//", "//client:secret@")}/token?refresh_token=first`,
  };
  await using service = await startService({ env });
  const metric = async (result: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`imap_events_total\\{result="${result}"\\} (\\d+)`).exec(text)?.[1]);
  };
  await expect.poll(() => metric("refused")).toBeGreaterThan(0);
  expect(server.connections).toBe(0);
  const failing = await runCommand(["doctor"], { ...env, ...service.sameData, PUBLIC_URL: service.url });
  expect(failing.stdout).toMatch(/^failed +imap: .*invalid_grant/m);
  refused.isRefused = false;
  await expect.poll(() => server.commands.at(-1)).toBe("IDLE");

  const { receipt } = await rest.send(service, "marketplace.inquiry", json({ ...buyer, email: "ann@example.org" }));
  const reference = receipt!["inquiryId"] as string;
  const sent = await service.mails();
  const to = sent.find(({ to: [first] = [] }) => first?.address === "ann@example.org")!.replyTo![0]!.address!;
  const answer = rawMail({
    from: "ann@example.org",
    to,
    text: "Gladly.\r\n\r\n> When?\r\n> Now?",
    headers: [passes("example.org")],
  });
  server.add(answer);
  server.add(answer);
  server.add(rawMail({ to: "answers@desk.example", text: "About nothing" }));
  await expect.poll(() => metric("taken")).toBe(3);
  const admin = await operator(service, "root@example.org", "admin");
  const { answers } = (await admin.call("submission.get", { reference })).data as SubmissionDetail;
  expect(answers).toMatchObject([{ sender: "person" }]);
  expect(server.mails).toHaveLength(3);

  const found = await runCommand(["doctor"], { ...env, ...service.sameData, PUBLIC_URL: service.url });
  expect(found.stdout).toMatch(/^ok +imap: 127\.0\.0\.1 knows us, and Answers holds 3 mails$/m);
});
