"use client";
import { ApplicationForm, InquiryForm, NewsletterForm } from "@submissions/client/react";
import { useState } from "react";

export function Forms({ endpoint }: { readonly endpoint: string }) {
  const [said, setSaid] = useState("nothing yet");
  return (
    <main>
      <output aria-label="Said">{said}</output>
      <InquiryForm
        endpoint={endpoint}
        packages={["de-AT", { id: "en-GB-scottish", title: "Scottish English" }]}
        values={{ company: "Vozes" }}
        onAccepted={({ inquiryId }) => setSaid(inquiryId)}
      />
      <NewsletterForm endpoint={endpoint} lang="de" />
      <ApplicationForm endpoint={endpoint} />
    </main>
  );
}
