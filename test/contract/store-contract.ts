// The specification of the storage port: every promise of `server/src/storage/store.ts` as a test named by its
// guarantee, run on every engine. Knows no engine.
import { describe } from "vitest";
import { applicationGuarantees } from "./guarantees/applications.ts";
import { challengeGuarantees } from "./guarantees/challenges.ts";
import { exportGuarantees } from "./guarantees/export.ts";
import { idempotencyGuarantees } from "./guarantees/idempotency.ts";
import { marketplaceGuarantees } from "./guarantees/marketplace.ts";
import { newsletterGuarantees } from "./guarantees/newsletter.ts";
import { newsletterLinkGuarantees } from "./guarantees/newsletter-links.ts";
import { operationGuarantees } from "./guarantees/operation.ts";
import { deliveryGuarantees } from "./guarantees/outbox-delivery.ts";
import { oversightGuarantees } from "./guarantees/outbox-oversight.ts";
import { referenceGuarantees } from "./guarantees/references.ts";
import { releaseGuarantees } from "./guarantees/release.ts";
import { screeningGuarantees } from "./guarantees/screening.ts";
import { suppressionGuarantees } from "./guarantees/suppression.ts";
import type { OpenStoreUnderTest } from "./store-under-test.ts";

/** Runs the contract on an engine. `open` gives every test a store of its own. */
export function describeStore(name: string, open: OpenStoreUnderTest): void {
  describe(`${name} store`, () => {
    describe("inquiries", () => marketplaceGuarantees(open));
    describe("applications", () => applicationGuarantees(open));
    describe("subscriptions", () => newsletterGuarantees(open));
    describe("newsletter links", () => newsletterLinkGuarantees(open));
    describe("suppression", () => suppressionGuarantees(open));
    describe("idempotency and automatic mail", () => idempotencyGuarantees(open));
    describe("challenges", () => challengeGuarantees(open));
    describe("references", () => referenceGuarantees(open));
    describe("spam", () => releaseGuarantees(open));
    describe("throw-away addresses", () => screeningGuarantees(open));
    describe("outbox, delivery", () => deliveryGuarantees(open));
    describe("outbox, oversight", () => oversightGuarantees(open));
    describe("exports", () => exportGuarantees(open));
    describe("operation", () => operationGuarantees(open));
  });
}
