import { expect, test } from "vitest";
import { type Staged, restaged } from "./triage.ts";

const received: Staged = { stage: "received", status: "new", declineReason: null, decidedAt: null };
const declined: Staged = { stage: "declined", status: "done", declineReason: "Too far", decidedAt: 5 };
const open = { status: "open", declineReason: null, decidedAt: null };

test.each([
  ["a stage after the first opens", received, "screening", { stage: "screening", ...open }],
  [
    "one of the last three ends",
    received,
    "hired",
    { stage: "hired", status: "done", declineReason: null, decidedAt: 9 },
  ],
  ["a decline has its reason", received, "declined", { ...declined, declineReason: "Seats", decidedAt: 9 }],
  ["the reason goes with the decline", declined, "interview", { stage: "interview", ...open }],
  [
    "the decision is the latest one",
    declined,
    "withdrawn",
    { ...declined, stage: "withdrawn", declineReason: null, decidedAt: 9 },
  ],
  ["what had ended is open at the beginning", declined, "received", { stage: "received", ...open }],
  [
    "the first stage leaves another status",
    { ...received, stage: "offer", status: "done" },
    "received",
    { ...received, status: "done" },
  ],
  ["the same stage changes nothing", { ...received, stage: "offer" }, "offer", { ...received, stage: "offer" }],
  [
    "declined again for another reason, it keeps its day and its status",
    { ...declined, status: "open" },
    "declined",
    { ...declined, status: "open", declineReason: "Seats" },
  ],
  ["spam stays spam", { ...received, status: "spam" }, "offer", { ...received, stage: "offer", status: "spam" }],
] as const)("%s", (_name, before, stage, after) => {
  expect(restaged(before, stage, "Seats", 9)).toEqual(after);
});
