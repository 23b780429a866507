// `newsletter.subscribe`: a newsletter subscription.
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import { acceptSubscription } from "../intake/subscription.ts";
import { procedure, router } from "./trpc.ts";

export const newsletterRouter = router({
  subscribe: procedure
    .meta({
      openapi: {
        method: "POST",
        path: "/api/newsletter/subscribe",
        operationId: "subscribeToNewsletter",
        tags: ["Submissions"],
        summary: "Subscribe to the newsletter",
        description: "Stores a subscription and sends a welcome mail. Every address is answered alike, known or not.",
        protect: false,
        contentTypes: ["application/json"],
      },
    })
    .input(subscribeInput)
    .output(subscribeReceipt)
    .mutation(({ ctx, input }) => acceptSubscription(ctx.deps, input, ctx.call)),
});
