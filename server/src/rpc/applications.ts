// `applications.submit`: a job application, with a resume when it comes as a multipart form.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import { acceptApplication } from "../intake/application.ts";
import { procedure, router } from "./trpc.ts";

export const applicationsRouter = router({
  submit: procedure
    .meta({
      openapi: {
        method: "POST",
        path: "/api/applications/submit",
        operationId: "submitApplication",
        tags: ["Submissions"],
        summary: "Apply for a job",
        description:
          "Stores an application and its resume, mails a receipt to the applicant and a notice to the recruiting team. " +
          "A resume needs multipart/form-data; without one, JSON and URL-encoded forms are taken too.",
        protect: false,
        contentTypes: ["multipart/form-data", "application/json", "application/x-www-form-urlencoded"],
      },
    })
    .input(applicationInput)
    .output(applicationReceipt)
    .mutation(({ ctx, input }) => acceptApplication(ctx.deps, input, ctx.call)),
});
