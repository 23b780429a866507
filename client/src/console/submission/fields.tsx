// The fields of a submission as people read them.
import type { SubmissionDetail } from "@submissions/shared/console";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact } from "../parts/states.tsx";
import { languageWords } from "../words.ts";

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  fullName: "Full name",
  email: "E-mail",
  company: "Company",
  position: "Position",
  phone: "Telephone",
  availability: "Availability",
  accent: "Accent",
  portfolioUrl: "Portfolio",
  resumeUrl: "Resume elsewhere",
  selectedPackageIds: "Packages",
  language: "Language",
  consentText: "Privacy notice",
  consentPage: "Shown on",
};

// Shown in a place of their own.
const elsewhere = new Set(["coverLetter", "resumeFile"]);

/** `portfolioUrl` of a field that the console does not know yet becomes `Portfolio url`. */
const labelOf = (name: string) =>
  labels[name] ??
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

export function Fields({ detail }: { readonly detail: SubmissionDetail }) {
  const fields = Object.entries(detail.fields).filter(([name, value]) => value !== null && !elsewhere.has(name));
  return (
    <dl className="fields">
      {fields.map(([name, value]) => (
        <Fact key={name} label={labelOf(name)}>
          {valueOf(name, value ?? "", detail)}
        </Fact>
      ))}
    </dl>
  );
}

function valueOf(name: string, value: string | readonly string[], detail: SubmissionDetail): ReactNode {
  if (typeof value !== "string") {
    return (
      <ul className="packages">
        {value.map((one) => (
          <li key={one}>
            {detail.packageTitles[one] ?? one}
            {detail.packageTitles[one] !== undefined && <span className="quiet small"> {one}</span>}
          </li>
        ))}
      </ul>
    );
  }
  if (name === "email") return <EmailValue email={value} disposable={detail.disposable} />;
  const tel = name === "phone" ? telOf(value) : undefined;
  if (tel !== undefined) return <a href={tel}>{value}</a>;
  if (name === "language") return languageWords[value] ?? value;
  if (name.endsWith("Url")) return <WebAddress url={value} name={labelOf(name)} />;
  return value;
}

const EmailValue = ({ email, disposable }: { readonly email: string; readonly disposable: boolean }) => (
  <>
    <a href={mailtoOf(email)}>{email}</a>
    {disposable && <span className="disposable">throw-away</span>}
    <Link to="/people/$email" params={{ email }} className="aside">
      All from this address
    </Link>
  </>
);

/** A stranger's address is text, never a link: it is opened on purpose only, and not by a slip within the console. */
const WebAddress = ({ url, name }: { readonly url: string; readonly name: string }) => (
  <>
    {url}{" "}
    <CopyButton text={url} className="link small">
      Copy<span className="unseen"> the address of {name}</span>
    </CopyButton>
  </>
);

/** A letter with its line breaks. */
export const Letter = ({ text }: { readonly text: string | readonly string[] | null | undefined }) =>
  typeof text === "string" && text !== "" ? (
    <section className="box">
      <h2>Letter</h2>
      <p className="letter">{text}</p>
    </section>
  ) : null;
