// The fields of a submission as people read them.
import type { SubmissionDetail, WithPerson } from "@submissions/shared/console";
import { kindOf } from "@submissions/shared/kinds";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import type { Field, FieldKind } from "@submissions/shared/field-table";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Box, CopyButton } from "../parts/boxes.tsx";
import { Fact } from "../parts/states.tsx";
import { languageName } from "../words.ts";

/** What comes beside the fields of the table. */
const otherLabels: Readonly<Record<string, string>> = {
  opening: "Opening",
  language: "Language",
  consentText: "Privacy notice",
  consentPage: "Shown on",
};

export function Fields({ detail }: { readonly detail: WithPerson<SubmissionDetail> }) {
  const table = kindOf(detail.kind).fields;
  return (
    <dl className="fields">
      {Object.entries(detail.fields).map(([name, value]) => {
        const { kind, label = otherLabels[name] ?? name }: Partial<Field> = table[name] ?? {};
        if (value === null || kind === "paragraphs") return null;
        return (
          <Fact key={name} label={label}>
            {name === "language" ? languageName(String(value)) : shownValue(kind, label, value, detail)}
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
  if (kind === "email") {
    return (
      <>
        <a href={mailtoOf(value)}>{value}</a>
        {detail.disposable && <span className="disposable">throw-away</span>}
        <Link to="/people/$person" params={{ person: detail.personId }} className="aside">
          All from this address
        </Link>
      </>
    );
  }
  const tel = kind === "tel" ? telOf(value) : undefined;
  if (tel !== undefined) return <a href={tel}>{value}</a>;
  if (kind !== "url") return value;
  // A stranger's address is text, never a link: it is opened on purpose only, and not by a slip within the console.
  return (
    <>
      {value}{" "}
      <CopyButton text={value} className="link small">
        Copy<span className="unseen"> the address of {label}</span>
      </CopyButton>
    </>
  );
}

/** What was written in paragraphs, with its line breaks. */
export const Letter = ({ detail: { kind, fields } }: { readonly detail: SubmissionDetail }) =>
  Object.entries(kindOf(kind).fields).map(
    ([name, field]) =>
      field.kind === "paragraphs" &&
      fields[name] && (
        <Box key={name} title={field.label}>
          <p className="letter">{fields[name]}</p>
        </Box>
      ),
  );

/** Longer texts have the whole width, below their name. In UTF-16 units. */
const besideLengthMax = 80;

/** What a form sent beside the documented fields: names and texts are a stranger's. */
export const MoreFields = ({ detail: { more } }: { readonly detail: SubmissionDetail }) =>
  more && (
    <Box title="Further fields">
      <dl className="fields">
        {Object.entries(more).map(([name, text]) => (
          <Fact key={name} label={name}>
            {text.length > besideLengthMax ? (
              <p className="letter">{text}</p>
            ) : (
              <span className="note-text">{text}</span>
            )}
          </Fact>
        ))}
      </dl>
    </Box>
  );
