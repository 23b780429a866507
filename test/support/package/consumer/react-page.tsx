// A React page with the forms as components and with inputs of its own. It is compiled and bundled, and never run.
import { createSubmissionsClient, type InquiryReceipt } from "@submissions/client";
import { ApplicationForm, InquiryForm, NewsletterForm, useSubmission } from "@submissions/client/react";
import { inquiryInput } from "@submissions/client/schemas";
import { useState } from "react";

const endpoint = "https://submissions.example.org";
const client = createSubmissionsClient({ url: endpoint });

export function Page() {
  const [receipt, setReceipt] = useState<InquiryReceipt>();
  return (
    <main>
      <InquiryForm
        endpoint={endpoint}
        packages={["de-AT", { id: "en-GB-scottish", title: "Scottish English" }]}
        onAccepted={setReceipt}
        onRefused={({ issues, error }) => console.error(issues[0]?.path, error?.code)}
      >
        <a href="/privacy">Privacy</a>
      </InquiryForm>
      <NewsletterForm endpoint={endpoint} source="footer" lang="de" />
      <ApplicationForm endpoint={endpoint} values={{ position: "Annotator" }} strings={{ optional: "if you like" }} />
      {receipt?.inquiryId}
    </main>
  );
}

export const Elements = () => (
  <main>
    <inquiry-form
      class="wide"
      endpoint={endpoint}
      packages={["de-AT", { id: "en-GB-scottish", title: "Scottish English" }]}
      fields={[{ name: "budget", label: "Budget" }]}
      onsubmission-accepted={({ detail }) => console.log(detail.inquiryId)}
      onsubmission-refused={({ detail }) => console.error(detail.issues[0]?.path, detail.error?.code)}
    />
    <newsletter-form endpoint={endpoint} source="footer" lang="de" ref={(form) => form?.focus()} />
    <application-form endpoint={endpoint} values='{ "position": "Annotator" }' consent="2026-11" />
  </main>
);

export function OwnInputs() {
  const { field, errors, message, status, receipt, set, submit } = useSubmission("marketplace.inquiry", {
    client,
    schema: inquiryInput,
    defaultValues: { selectedPackageIds: ["de-AT"] },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input {...field("name")} /> {errors.name?.message}
      <input type="email" {...field("email")} /> {errors.email?.message}
      <button type="button" onClick={() => set({ selectedPackageIds: [] })}>
        None
      </button>
      <button disabled={status === "sending"}>Send</button>
      <p role="status">{receipt?.inquiryId ?? message}</p>
    </form>
  );
}

// A type that cannot be found silently becomes `any`, and would accept all of these.
// @ts-expect-error a package is no number
export const wrong = <InquiryForm endpoint={endpoint} packages={[1]} />;
// @ts-expect-error a component of the package needs an endpoint
export const nowhere = <NewsletterForm />;
// @ts-expect-error there is no such field
export const noField = <ApplicationForm endpoint={endpoint} strings={{ fields: { nom: { label: "Nom" } } }} />;
// @ts-expect-error a package of the element is no number either
export const wrongElement = <inquiry-form endpoint={endpoint} packages={[1]} />;
// @ts-expect-error an application comes from no source
export const noSource = <application-form endpoint={endpoint} source="footer" />;
