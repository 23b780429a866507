// The list of procedures. The router, both doors and the OpenAPI document are made from it.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import { application } from "../intake/application.ts";
import { inquiry, unknownRawPackages } from "../intake/inquiry.ts";
import { submit } from "../intake/submit.ts";
import { subscribe } from "../intake/subscription.ts";
import { procedure } from "./procedure.ts";

export const procedures = [
  procedure({
    path: "marketplace.inquiry",
    url: "/api/marketplace/inquiry",
    contentTypes: ["application/json"],
    operation: {
      operationId: "submitInquiry",
      summary: "Ask about dataset packages",
      description: "Stores a buyer's inquiry, mails a receipt to the buyer and a notice to the sales team.",
    },
    input: inquiryInput,
    output: inquiryReceipt,
    alsoWrong: unknownRawPackages,
    resolve: ({ intake, call }, input) => submit(intake, inquiry, input, call),
  }),
  procedure({
    path: "newsletter.subscribe",
    url: "/api/newsletter/subscribe",
    contentTypes: ["application/json"],
    operation: {
      operationId: "subscribeToNewsletter",
      summary: "Subscribe to the newsletter",
      description: "Stores a subscription and sends a welcome mail. Every address is answered alike, known or not.",
    },
    input: subscribeInput,
    output: subscribeReceipt,
    resolve: ({ intake, call }, input) => subscribe(intake, input, call),
  }),
  procedure({
    path: "applications.submit",
    url: "/api/applications/submit",
    contentTypes: ["multipart/form-data", "application/json", "application/x-www-form-urlencoded"],
    operation: {
      operationId: "submitApplication",
      summary: "Apply for a job",
      description:
        "Stores an application and its resume, mails a receipt to the applicant and a notice to the recruiting team. " +
        "A resume needs multipart/form-data; without one, JSON and URL-encoded forms are taken too.",
    },
    input: applicationInput,
    output: applicationReceipt,
    resolve: ({ intake, call }, input) => submit(intake, application, input, call),
  }),
];
