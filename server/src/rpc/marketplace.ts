// `marketplace.inquiry`: a buyer's inquiry.
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { acceptInquiry } from "../intake/inquiry.ts";
import { procedure, router } from "./trpc.ts";

export const marketplaceRouter = router({
  inquiry: procedure
    .meta({
      openapi: {
        method: "POST",
        path: "/api/marketplace/inquiry",
        operationId: "submitInquiry",
        tags: ["Submissions"],
        summary: "Ask about dataset packages",
        description: "Stores a buyer's inquiry, mails a receipt to the buyer and a notice to the sales team.",
        protect: false,
        contentTypes: ["application/json"],
      },
    })
    .input(inquiryInput)
    .output(inquiryReceipt)
    .mutation(({ ctx, input }) => acceptInquiry(ctx.deps, input, ctx.call)),
});
