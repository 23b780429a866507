// The specification of the storage port: every promise of `server/src/storage/store.ts` as a test named by its
// guarantee, run on every engine.
import { describe } from "vitest";
import { accessGuarantees } from "./guarantees/access.ts";
import { addedSubscriberGuarantees } from "./guarantees/added-subscribers.ts";
import { assignmentGuarantees } from "./guarantees/assignments.ts";
import { capGuarantees } from "./guarantees/caps.ts";
import { clockGuarantees } from "./guarantees/clocks.ts";
import { deskChangeGuarantees } from "./guarantees/desk-changes.ts";
import { deskEraseGuarantees } from "./guarantees/desk-erase.ts";
import { deskListGuarantees } from "./guarantees/desk-lists.ts";
import { digestGuarantees } from "./guarantees/digest.ts";
import { idempotencyGuarantees } from "./guarantees/idempotency.ts";
import { operationGuarantees } from "./guarantees/operation.ts";
import { deliveryGuarantees } from "./guarantees/outbox-delivery.ts";
import { oversightGuarantees } from "./guarantees/outbox-oversight.ts";
import { readingGuarantees } from "./guarantees/reading.ts";
import { replyGuarantees } from "./guarantees/replies.ts";
import { resumeGuarantees } from "./guarantees/resumes.ts";
import { retentionGuarantees } from "./guarantees/retention.ts";
import { spamGuarantees } from "./guarantees/spam.ts";
import { submissionGuarantees } from "./guarantees/submissions.ts";
import { subscriptionLinkGuarantees } from "./guarantees/subscription-links.ts";
import { subscriptionGuarantees } from "./guarantees/subscriptions.ts";
import { suppressionGuarantees } from "./guarantees/suppression.ts";
import { tagGuarantees } from "./guarantees/tags.ts";
import { webhookGuarantees } from "./guarantees/webhooks.ts";
import { emptied, type OpenStoreUnderTest, storeTest } from "./store-under-test.ts";

/** Runs the contract on an engine. */
export function describeStore(name: string, openOne: OpenStoreUnderTest): void {
  describe(`${name} store`, () => {
    const test = storeTest(emptied(openOne));
    describe("submissions and their references", () => submissionGuarantees(test));
    describe("resumes", () => resumeGuarantees(test));
    describe("subscriptions", () => subscriptionGuarantees(test));
    describe("subscribers that operators add and unsubscribe", () => addedSubscriberGuarantees(test));
    describe("links", () => subscriptionLinkGuarantees(test));
    describe("suppression", () => suppressionGuarantees(test));
    describe("caps on automatic mail", () => capGuarantees(test));
    describe("idempotency keys and challenges", () => idempotencyGuarantees(test));
    describe("spam", () => spamGuarantees(test));
    describe("outbox, delivery", () => deliveryGuarantees(test));
    describe("outbox, oversight", () => oversightGuarantees(test));
    describe("digest", () => digestGuarantees(test));
    describe("mails of assignments", () => assignmentGuarantees(test));
    describe("reading", () => readingGuarantees(test));
    describe("retention", () => retentionGuarantees(test));
    describe("desk, lists", () => deskListGuarantees(test));
    describe("desk, changes", () => deskChangeGuarantees(test));
    describe("desk, erasing", () => deskEraseGuarantees(test));
    describe("replies", () => replyGuarantees(test));
    describe("clocks", () => clockGuarantees(test));
    describe("webhooks", () => webhookGuarantees(test));
    describe("tags, filters and news of changes", () => tagGuarantees(test));
    describe("access", () => accessGuarantees(test));
    describe("operation", () => operationGuarantees(test));
  });
}
