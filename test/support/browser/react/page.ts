// A React page with the forms as components, and a form with inputs of its own. Servers and browsers render it.
import { createSubmissionsClient } from "@submissions/client";
import { ApplicationForm, InquiryForm, NewsletterForm, useSubmission } from "@submissions/client/react";
import { inquiryInput } from "@submissions/shared/inquiry";
import { createElement as h, useEffect, useState, type ReactElement } from "react";

export interface PageProps {
  readonly endpoint: string;
}

export function Page({ endpoint }: PageProps): ReactElement {
  const [count, setCount] = useState(0);
  const [said, setSaid] = useState("nothing yet");
  useEffect(() => void (document.documentElement.dataset["alive"] = "yes"), []);
  return h(
    "main",
    null,
    h("button", { onClick: () => setCount(count + 1) }, `Count ${count}`),
    h("output", { "aria-label": "Said" }, said),
    h(
      InquiryForm,
      {
        endpoint,
        packages: ["de-AT", { id: "en-GB-scottish", title: "Scottish English" }],
        values: { company: "Vozes" },
        strings: { fields: { name: { label: "Name of the buyer" } } },
        // A handler that was not renewed would say an old count.
        onAccepted: ({ inquiryId }) => setSaid(`${inquiryId} at ${count}`),
        onRefused: ({ issues }) => setSaid(`${issues.length} problems at ${count}`),
      },
      h("a", { href: "/privacy" }, "Privacy"),
    ),
    h(NewsletterForm, { endpoint, source: "footer", lang: "de" }),
    h(ApplicationForm, { endpoint, privacy: "/privacy", consent: "2026-11" }),
    h(OwnInquiry, { endpoint }),
    h(OwnApplication, { endpoint }),
  );
}

function OwnInquiry({ endpoint }: PageProps): ReactElement {
  const [client] = useState(() => createSubmissionsClient({ url: endpoint }));
  const [proof, setProof] = useState("");
  const { field, errors, message, status, receipt, submit, reset, set } = useSubmission("marketplace.inquiry", {
    client,
    altcha: proof,
    further: { message: "From a hook" },
    schema: inquiryInput,
    defaultValues: { selectedPackageIds: ["de-AT"] },
  });
  return h(
    "form",
    {
      "aria-label": "Own inquiry",
      noValidate: true,
      onSubmit: (event: SubmitEvent) => {
        event.preventDefault();
        void submit();
      },
    },
    h("label", null, "Own name", h("input", field("name"))),
    h("p", { className: "own-name-error" }, errors.name?.message),
    h("label", null, "Own address", h("input", { type: "email", ...field("email") })),
    h("p", { className: "own-email-error" }, errors.email?.message),
    h("p", { className: "own-packages-error" }, errors.selectedPackageIds?.message),
    h(
      "label",
      null,
      "Own proof",
      h("input", { value: proof, onChange: ({ currentTarget }) => setProof(currentTarget.value) }),
    ),
    h("button", { type: "button", onClick: () => set({ selectedPackageIds: ["nothing"] }) }, "Ask for nothing"),
    h("button", { type: "button", onClick: reset }, "Begin anew"),
    h("button", { type: "submit" }, "Ask"),
    h("output", { "aria-label": "Own status" }, `${status} ${receipt?.inquiryId ?? message ?? ""}`),
  );
}

function OwnApplication({ endpoint }: PageProps): ReactElement {
  const [client] = useState(() => createSubmissionsClient({ url: endpoint }));
  const { field, status, progress, receipt, submit, cancel } = useSubmission("applications.submit", {
    client,
    defaultValues: { fullName: "Ana Souza", email: "ana@example.org", position: "Annotator" },
  });
  return h(
    "section",
    { "aria-label": "Own application" },
    h("label", null, "Own resume", h("input", { type: "file", ...field("resumeFile") })),
    h("button", { onClick: () => void submit() }, "Apply"),
    h("button", { onClick: cancel }, "Stop"),
    h("output", { "aria-label": "Application status" }, `${status} ${progress ?? "-"} ${receipt?.applicationId ?? ""}`),
  );
}
