// A service that traces nothing does not load what traces.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buyer, json, rest } from "../../support/doors.ts";
import { startProcess } from "../../support/service-process.ts";

const preload = [fileURLToPath(new URL("../../support/process/preload/tell-loaded.ts", import.meta.url))];

async function loadedBy(env: Readonly<Record<string, string>>): Promise<number> {
  await using service = await startProcess(env, { preload });
  expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  return service.log.filter((line) => line.includes('"loaded"') && /\/observe\/(traces|otlp-exporter)\./.test(line))
    .length;
}

test("what traces is loaded only where a collector is set", async () => {
  expect(await loadedBy({})).toBe(0);
  // Nothing listens there, and the process ends all the same.
  expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toBe(1);
});
