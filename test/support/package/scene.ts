// What the examples of the client take for granted. It is compiled with them, outside the repository.
import type * as client from "@submissions/client";

declare global {
  const createSubmissionsClient: typeof client.createSubmissionsClient;
  const SubmissionError: typeof client.SubmissionError;
  type SubmissionsClient = client.SubmissionsClient;
  type SubmissionErrorCode = client.SubmissionErrorCode;
  type RetryOptions = client.RetryOptions;
  type UploadProgress = client.UploadProgress;
  type Inquiry = client.Inquiry;
  type InquiryReceipt = client.InquiryReceipt;
  type Subscription = client.Subscription;
  type SubscribeReceipt = client.SubscribeReceipt;
  type Application = client.Application;
  type ApplicationReceipt = client.ApplicationReceipt;

  const submissions: client.SubmissionsClient;
  const inquiry: client.Inquiry;
  const subscription: client.Subscription;
  const application: client.Application;
  const error: client.SubmissionError;

  /** Aborted when the person leaves the page. */
  const leaving: AbortController;
  const url: string;
  const email: string;
  const fullName: string;
  const position: string;
  const resume: File;
  const form: HTMLFormElement;
  const formElement: HTMLFormElement;
  const input: HTMLInputElement;
  const fileInput: HTMLInputElement;
  const progressBar: HTMLProgressElement;
  const cancelButton: HTMLButtonElement;
  const retryButton: HTMLButtonElement;
  const emailHint: HTMLElement;
  const banner: HTMLElement;
  function show(text: string): void;
}
