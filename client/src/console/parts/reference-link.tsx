// A link to a submission, by its reference.
import { Link } from "@tanstack/react-router";
import { submissionPath } from "../words.ts";

export const ReferenceLink = ({ reference }: { readonly reference: string }) => (
  <Link to={submissionPath(reference)} params={{ reference }} className="reference">
    {reference}
  </Link>
);
