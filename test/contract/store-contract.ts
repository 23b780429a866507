// The specification of the storage port: every promise of `server/src/storage/store.ts` as a test named by its
// guarantee, run on every engine.
import { describe } from "vitest";
import { accessGuarantees } from "./guarantees/access.ts";
import { capGuarantees } from "./guarantees/caps.ts";
import { challengeGuarantees } from "./guarantees/challenges.ts";
import { deskChangeGuarantees } from "./guarantees/desk-changes.ts";
import { deskEraseGuarantees } from "./guarantees/desk-erase.ts";
import { deskListGuarantees } from "./guarantees/desk-lists.ts";
import { digestGuarantees } from "./guarantees/digest.ts";
import { idempotencyGuarantees } from "./guarantees/idempotency.ts";
import { operationGuarantees } from "./guarantees/operation.ts";
import { deliveryGuarantees } from "./guarantees/outbox-delivery.ts";
import { oversightGuarantees } from "./guarantees/outbox-oversight.ts";
import { readingGuarantees } from "./guarantees/reading.ts";
import { referenceGuarantees } from "./guarantees/references.ts";
import { resumeGuarantees } from "./guarantees/resumes.ts";
import { retentionGuarantees } from "./guarantees/retention.ts";
import { spamGuarantees } from "./guarantees/spam.ts";
import { submissionGuarantees } from "./guarantees/submissions.ts";
import { subscriptionLinkGuarantees } from "./guarantees/subscription-links.ts";
import { subscriptionGuarantees } from "./guarantees/subscriptions.ts";
import { suppressionGuarantees } from "./guarantees/suppression.ts";
import { webhookGuarantees } from "./guarantees/webhooks.ts";
import type { OpenStoreUnderTest } from "./store-under-test.ts";

/** Runs the contract on an engine. `open` gives every test a store of its own. */
export function describeStore(name: string, open: OpenStoreUnderTest): void {
  describe(`${name} store`, () => {
    describe("submissions", () => submissionGuarantees(open));
    describe("resumes", () => resumeGuarantees(open));
    describe("subscriptions", () => subscriptionGuarantees(open));
    describe("links", () => subscriptionLinkGuarantees(open));
    describe("suppression", () => suppressionGuarantees(open));
    describe("caps on automatic mail", () => capGuarantees(open));
    describe("idempotency keys", () => idempotencyGuarantees(open));
    describe("challenges", () => challengeGuarantees(open));
    describe("references", () => referenceGuarantees(open));
    describe("spam", () => spamGuarantees(open));
    describe("outbox, delivery", () => deliveryGuarantees(open));
    describe("outbox, oversight", () => oversightGuarantees(open));
    describe("digest", () => digestGuarantees(open));
    describe("reading", () => readingGuarantees(open));
    describe("retention", () => retentionGuarantees(open));
    describe("desk, lists", () => deskListGuarantees(open));
    describe("desk, changes", () => deskChangeGuarantees(open));
    describe("desk, erasing", () => deskEraseGuarantees(open));
    describe("webhooks", () => webhookGuarantees(open));
    describe("access", () => accessGuarantees(open));
    describe("operation", () => operationGuarantees(open));
  });
}
