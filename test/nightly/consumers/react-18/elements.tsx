import type {} from "@submissions/client/react";

export const Ask = () => <inquiry-form endpoint="https://submissions.example.org" lang="de" packages='["de-AT"]' />;

export const Subscribe = () => <newsletter-form source="footer" />;

// @ts-expect-error -- the attribute is misspelt
export const Misspelt = () => <newsletter-form sauce="footer" />;
