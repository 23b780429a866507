import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { expect, test } from "vitest";
import { ProofOfWork } from "./proof-of-work.ts";

const settings = { hmacKey: "0123456789abcdef0123456789abcdef", cost: 100 };

async function solution(work: ProofOfWork, now: number): Promise<string> {
  const challenge = await work.challenge(now);
  return btoa(JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }));
}

test("takes what ALTCHA's own library solves, in every process with the same key", async () => {
  const now = Date.now();
  const sent = await solution(new ProofOfWork(settings), now);
  const checked = await new ProofOfWork(settings).check(sent, now);
  expect(checked.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(checked.expiresAt).toBeGreaterThan(now + 9 * 60 * 1000);
  expect(await new ProofOfWork({ ...settings, cost: 200 }).check(sent, now)).toEqual(checked);
});

test("gives challenges that take ten minutes to expire, and hashes that tell them apart", async () => {
  const work = new ProofOfWork(settings);
  const now = Date.now();
  const sent = [await solution(work, now), await solution(work, now)];
  const [first, second] = await Promise.all(sent.map((one) => work.check(one, now)));
  expect(first?.hash).not.toBe(second?.hash);
  await expect(work.check(sent[0] ?? "", (first?.expiresAt ?? 0) - 1)).resolves.toEqual(first);
  await expect(work.check(sent[0] ?? "", first?.expiresAt ?? 0)).rejects.toMatchObject({ fault: "proofOfWorkInvalid" });
});
