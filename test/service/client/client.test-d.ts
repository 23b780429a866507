// The client's types are the router's: what callers may send, and what they get.
import {
  createSubmissionsClient,
  SubmissionError,
  type Application,
  type ApplicationReceipt,
  type FaultCode,
  type Inquiry,
  type InquiryReceipt,
  type Issue,
  type CallOptions,
  type RetryOptions,
  type SubmissionsClientOptions,
  type Subscription,
  type SubscribeReceipt,
  type UploadProgress,
} from "@submissions/client";
import type { Submission, SubmissionName, SubmissionOptions } from "@submissions/client/react";
import type { AppRouter } from "@submissions/server/router";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expectTypeOf, test } from "vitest";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

/** What callers may send: null for an absent optional field, and lists that they do not change. */
type Sent<Fields> = {
  readonly [Name in keyof Fields]: undefined extends Fields[Name]
    ? Fields[Name] | null
    : Fields[Name] extends string[]
      ? readonly string[]
      : Fields[Name];
};

const submissions = createSubmissionsClient({ url: "http://service.test" });
const { marketplace, newsletter, applications } = submissions;
const inquiry: Inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
const application: Application = { fullName: "Ana", email: "ana@example.org", position: "Annotator" };

test("each procedure has a method, which the hook of React calls", () => {
  type Paths = { [Group in keyof Inputs]: `${Group}.${keyof Inputs[Group] & string}` }[keyof Inputs];
  expectTypeOf<SubmissionName>().toEqualTypeOf<Paths>();
  expectTypeOf<Submission<"marketplace.inquiry">["receipt"]>().toEqualTypeOf<InquiryReceipt | undefined>();
  expectTypeOf<Submission<"applications.submit">["submit"]>().toEqualTypeOf<
    (values?: Application) => Promise<ApplicationReceipt | undefined>
  >();
});

test("inputs are what the router accepts", () => {
  expectTypeOf<Inquiry>().toEqualTypeOf<Sent<Inputs["marketplace"]["inquiry"]>>();
  expectTypeOf<Subscription>().toEqualTypeOf<Sent<Inputs["newsletter"]["subscribe"]>>();
  expectTypeOf<Omit<Application, "resumeFile">>().toEqualTypeOf<
    Sent<Omit<Exclude<Inputs["applications"]["submit"], { append(name: string, value: string): void }>, "resumeFile">>
  >();
  expectTypeOf(marketplace.inquiry).parameter(0).toEqualTypeOf<Inquiry>();
  expectTypeOf(newsletter.subscribe).parameter(0).toEqualTypeOf<Subscription>();
  expectTypeOf(applications.submit).parameter(0).toEqualTypeOf<Application | FormData>();
});

test("inputs are types of their own, not any", () => {
  expectTypeOf<Inquiry>().toEqualTypeOf<{
    readonly name: string;
    readonly email: string;
    readonly company?: string | null | undefined;
    readonly selectedPackageIds: readonly string[];
  }>();
  expectTypeOf<Subscription>().toEqualTypeOf<{ readonly email: string; readonly source?: string | null | undefined }>();
  expectTypeOf<Application["fullName"]>().toEqualTypeOf<string>();
  expectTypeOf<Application["coverLetter"]>().toEqualTypeOf<string | null | undefined>();
});

test("further fields have a place of their own, so that a misspelt field is an error of the compiler", () => {
  const further = { message: "Hello", budget: "large" };
  expectTypeOf(marketplace.inquiry).toBeCallableWith(inquiry, { further });
  expectTypeOf<SubmissionOptions<"marketplace.inquiry">["further"]>().toEqualTypeOf<CallOptions["further"]>();
  // @ts-expect-error misspelt
  void marketplace.inquiry({ ...inquiry, compnay: "Example Speech" });
  // @ts-expect-error not a field of its own
  void applications.submit({ ...application, message: "Hello" });
});

test("a resume may be a file, a blob or missing", () => {
  expectTypeOf<Application["resumeFile"]>().toEqualTypeOf<Blob | null | undefined>();
  expectTypeOf<File>().toExtend<Application["resumeFile"]>();
  expectTypeOf(applications.submit).toBeCallableWith({ ...application, resumeFile: undefined });
  expectTypeOf(applications.submit).toBeCallableWith(application, { resumeFilename: "ana.pdf" });
});

test("receipts are what the router answers", () => {
  expectTypeOf(marketplace.inquiry).returns.resolves.toEqualTypeOf<InquiryReceipt>();
  expectTypeOf(newsletter.subscribe).returns.resolves.toEqualTypeOf<SubscribeReceipt>();
  expectTypeOf(applications.submit).returns.resolves.toEqualTypeOf<ApplicationReceipt>();
  expectTypeOf<InquiryReceipt>().toEqualTypeOf<Outputs["marketplace"]["inquiry"]>();
  expectTypeOf<SubscribeReceipt>().toEqualTypeOf<Outputs["newsletter"]["subscribe"]>();
  expectTypeOf<ApplicationReceipt>().toEqualTypeOf<Outputs["applications"]["submit"]>();
  expectTypeOf<SubscribeReceipt>().toEqualTypeOf<{ message: string }>();
});

test("the solution of a challenge goes beside the fields of each kind", () => {
  expectTypeOf<CallOptions["altcha"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf(marketplace.inquiry).parameter(1).toEqualTypeOf<CallOptions | undefined>();
  expectTypeOf(newsletter.subscribe).parameter(1).toEqualTypeOf<CallOptions | undefined>();
  expectTypeOf(applications.submit).parameter(1).exclude<undefined>().toExtend<CallOptions>();
});

test("errors are typed", () => {
  expectTypeOf<SubmissionError>().toExtend<Error>();
  expectTypeOf<SubmissionError["code"]>().toEqualTypeOf<FaultCode | "NETWORK" | "UNEXPECTED_RESPONSE">();
  expectTypeOf<SubmissionError["status"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<SubmissionError["requestId"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SubmissionError["retryAfterSeconds"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<SubmissionError["idempotencyKey"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SubmissionError["mayHaveArrived"]>().toEqualTypeOf<boolean>();
  expectTypeOf<SubmissionError["issues"]>().toEqualTypeOf<readonly Issue[]>();
  expectTypeOf<SubmissionError["issue"]>().toBeCallableWith("selectedPackageIds", 0);
  expectTypeOf<SubmissionError["issue"]>().returns.toEqualTypeOf<Issue | undefined>();
  expectTypeOf<SubmissionError["issue"]>().toBeCallableWith("coverLetter");
  expectTypeOf<SubmissionError["issue"]>().toBeCallableWith("altcha");
  // @ts-expect-error no such field
  void ((error: SubmissionError) => error.issue("emial"));
});

test("a call may have its own key and its own retries, and all of it may be undefined", () => {
  expectTypeOf<RetryOptions>().toEqualTypeOf<{
    readonly tries?: number | undefined;
    readonly firstWaitMs?: number | undefined;
    readonly longestWaitMs?: number | undefined;
    readonly giveUpAfterMs?: number | undefined;
  }>();
  expectTypeOf<SubmissionsClientOptions["retry"]>().toEqualTypeOf<RetryOptions | false | undefined>();
  expectTypeOf<CallOptions["retry"]>().toEqualTypeOf<RetryOptions | false | undefined>();
  expectTypeOf<CallOptions["idempotencyKey"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf(createSubmissionsClient).toBeCallableWith({ url: "/", retry: { tries: 2 } });
  expectTypeOf(marketplace.inquiry).toBeCallableWith(inquiry, { idempotencyKey: "k", retry: false });
  expectTypeOf(applications.submit).toBeCallableWith(application, { idempotencyKey: undefined, retry: undefined });
});

test("only an application reports the progress of its upload, in bytes", () => {
  expectTypeOf<UploadProgress>().toEqualTypeOf<{ readonly loaded: number; readonly total: number }>();
  expectTypeOf(applications.submit).toBeCallableWith(application, { onUploadProgress: undefined });
  const onUploadProgress = (progress: UploadProgress) => void progress;
  expectTypeOf(applications.submit).toBeCallableWith(application, { onUploadProgress });
  // @ts-expect-error an inquiry has none
  void marketplace.inquiry(inquiry, { onUploadProgress: () => {} });
});

test("the clock and the random numbers are not options", () => {
  expectTypeOf(createSubmissionsClient).parameters.toEqualTypeOf<[SubmissionsClientOptions]>();
  expectTypeOf<keyof SubmissionsClientOptions>().toEqualTypeOf<"url" | "fetch" | "headers" | "retry">();
});

test("a service has an address", () => {
  // @ts-expect-error it is missing
  createSubmissionsClient({});
});
