// More than the process can carry is refused at once, with the bodies unread, and taken again as soon as there is room.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, type Door } from "../../support/doors.ts";
import { someOf } from "../../support/many-or-few.ts";
import { startService, type Service } from "../../support/service.ts";

/** A request whose body does not come. */
async function stuck(service: Service, door: Door, type: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const path = door.path("applications.submit");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\n\r\n`);
  return socket;
}

const uploadsInFlight = async (service: Service) =>
  Number(/^uploads_in_flight (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]);

describe.each(someOf(doors))("on the $name door", (door) => {
  test("one upload too many is refused 503 without being read, and others go on", async () => {
    await using service = await startService({ limits: { uploadsMax: 2 } });
    const held = [
      await stuck(service, door, "multipart/form-data; boundary=b"),
      await stuck(service, door, "Multipart/Form-Data; boundary=b"),
    ];
    await expect.poll(() => uploadsInFlight(service)).toBe(2);
    const third = await stuck(service, door, "multipart/form-data; boundary=b");
    const [answer] = (await once(third, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
    const apply = () => door.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }));
    const refused = await apply();
    expect(refused.status).toBe(503);
    const message = "We are very busy right now. Please try again in a moment.";
    expect(refused.fault).toMatchObject({ code: "SERVICE_UNAVAILABLE", message });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await door.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
    const series = `submissions_total{procedure="applications.submit",door="${door.name}",code="SERVICE_UNAVAILABLE"} 2`;
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    await expect.poll(metrics).toContain(series);

    for (const socket of [...held, third]) socket.destroy();
    await expect.poll(() => uploadsInFlight(service)).toBe(0);
    expect((await apply()).status).toBe(200);
    expect((await service.stored()).applications).toHaveLength(1);
    expect(await service.files("resumes")).toHaveLength(1);
  });

  test("one request too many is refused 503, probes are answered, and the limit of the caller is not used up", async () => {
    await using service = await startService({ limits: { requestsMax: 1 }, env: { RATE_LIMIT_MAX: "3" } });
    const held = await stuck(service, door, "application/json");
    const inquire = () => door.send(service, "marketplace.inquiry", json(buyer));
    await expect.poll(async () => (await inquire()).status).toBe(503);
    expect((await inquire()).fault?.code).toBe("SERVICE_UNAVAILABLE");
    for (const path of ["/healthz", "/healthz?from=balancer", "/readyz", "/metrics"]) {
      expect((await fetch(service.url + path)).status, path).toBe(200);
    }
    held.destroy();
    await expect.poll(async () => (await inquire()).status).not.toBe(503);
    expect((await inquire()).headers.get("ratelimit-limit")).toBe("3");
  });
});

test("a connection too many is closed unanswered, and taken once there is room", async () => {
  await using service = await startService({ limits: { connectionsMax: 1 } });
  const held = await stuck(service, rest, "application/json");
  const tooMany = await stuck(service, rest, "application/json");
  // Not `once`, which would reject a reset.
  tooMany.on("error", () => {});
  let answer = "";
  tooMany.on("data", (chunk) => (answer += chunk.toString()));
  await new Promise((resolve) => tooMany.on("close", resolve));
  expect(answer).toBe("");
  held.destroy();
  const health = () =>
    fetch(`${service.url}/healthz`).then(
      ({ status }) => status,
      () => "closed",
    );
  await expect.poll(health).toBe(200);
});
