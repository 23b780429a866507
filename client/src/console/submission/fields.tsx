// The fields of a submission as people read them.
import { applicationFields } from "@submissions/shared/application-fields";
import type { SubmissionDetail, SubmissionKind, WithPerson } from "@submissions/shared/console";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import type { Field, FieldKind, FieldTable } from "@submissions/shared/field-table";
import { inquiryFields } from "@submissions/shared/inquiry-fields";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Box } from "../parts/boxes.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact } from "../parts/states.tsx";
import { languageWords } from "../words.ts";

const tables: Readonly<Record<SubmissionKind, FieldTable>> = { inquiry: inquiryFields, application: applicationFields };

/** What comes beside the fields of the table. */
const otherLabels: Readonly<Record<string, string>> = {
  language: "Language",
  consentText: "Privacy notice",
  consentPage: "Shown on",
};

export function Fields({ detail }: { readonly detail: WithPerson<SubmissionDetail> }) {
  const table = tables[detail.kind];
  return (
    <dl className="fields">
      {Object.entries(detail.fields).map(([name, value]) => {
        const { kind, label = otherLabels[name] ?? name }: Partial<Field> = table[name] ?? {};
        if (value === null || kind === "paragraphs") return null;
        return (
          <Fact key={name} label={label}>
            {name === "language" ? languageWords[String(value)] : shownValue(kind, label, value, detail)}
          </Fact>
        );
      })}
    </dl>
  );
}

function shownValue(
  kind: FieldKind | undefined,
  label: string,
  value: string | readonly string[],
  detail: WithPerson<SubmissionDetail>,
): ReactNode {
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
  if (kind === "email") return <EmailValue email={value} detail={detail} />;
  const tel = kind === "tel" ? telOf(value) : undefined;
  if (tel !== undefined) return <a href={tel}>{value}</a>;
  if (kind === "url") return <WebAddress url={value} name={label} />;
  return value;
}

interface EmailProps {
  readonly email: string;
  readonly detail: WithPerson<SubmissionDetail>;
}

const EmailValue = ({ email, detail: { disposable, personId } }: EmailProps) => (
  <>
    <a href={mailtoOf(email)}>{email}</a>
    {disposable && <span className="disposable">throw-away</span>}
    <Link to="/people/$person" params={{ person: personId }} className="aside">
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

/** What was written in paragraphs, with its line breaks. */
export const Letter = ({ detail: { kind, fields } }: { readonly detail: SubmissionDetail }) =>
  Object.entries(tables[kind]).map(
    ([name, field]) =>
      field.kind === "paragraphs" &&
      fields[name] && (
        <Box key={name} title={field.label}>
          <p className="letter">{fields[name]}</p>
        </Box>
      ),
  );
