// The fields of a submission as people read them.
import type { SubmissionDetail, WithPerson } from "@submissions/shared/console";
import { kindOf } from "@submissions/shared/kinds";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import type { Field, FieldKind } from "@submissions/shared/field-table";
import { inReadingOrder, messageField } from "@submissions/shared/further-names";
import type { ReactNode } from "react";
import { Box, CopyButton } from "../parts/boxes.tsx";
import { Fact } from "../parts/states.tsx";
import { languageName } from "../words.ts";
import { Link } from "../router.tsx";

/** What comes beside the fields of the table. */
const otherLabels: Readonly<Record<string, string>> = {
  opening: "Opening",
  language: "Language",
  consentText: "Privacy notice",
  consentPage: "Shown on",
};

type Detail = WithPerson<SubmissionDetail>;

/** Who it is and what else was filled in: what the request shows is left out. */
export const Fields = ({ detail }: { readonly detail: Detail }) => (
  <dl className="fields">
    {Object.entries(detail.fields).map(([name, value]) => {
      const { kind, label } = fieldOf(detail, name);
      if (value === null || kind === "paragraphs" || kind === "packages" || name in detail.facts) return null;
      return (
        <Fact key={name} label={label}>
          {name === "language" ? languageName(String(value)) : shownValue(kind, label, String(value), detail)}
        </Fact>
      );
    })}
  </dl>
);

const fieldOf = ({ kind }: Detail, name: string): Pick<Field, "label"> & Partial<Field> => ({
  label: otherLabels[name] ?? name,
  ...kindOf(kind).fields[name],
});

function shownValue(kind: FieldKind | undefined, label: string, value: string, detail: Detail): ReactNode {
  if (kind === "email") {
    const at = value.lastIndexOf("@");
    return (
      <>
        <a href={mailtoOf(value)}>
          {value.slice(0, at)}
          <wbr />
          {value.slice(at)}
        </a>
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

/** What the person wants: packages or position, and the letter. */
export function Request({ detail }: { readonly detail: Detail }) {
  const { kind, fields, more, facts, packageTitles } = detail;
  const named = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value, ...fieldOf(detail, name) }],
  );
  const letters = named.flatMap((field) =>
    field.kind === "paragraphs" ? [[field.label, String(field.value)] as const] : [],
  );
  if (letters.length === 0 && more?.[messageField] !== undefined) letters.push(["Message", more[messageField]]);
  return (
    <section className="box request" aria-label="Request">
      {named.map(
        ({ name, value, kind: fieldKind, label }) =>
          fieldKind === "packages" &&
          typeof value !== "string" && (
            <ul key={name} className="wants" aria-label={label}>
              {value.map((id) => (
                <li key={id}>
                  <Link to="/" search={{ kind, package: id, status: "all" }} className="want" title={`All for ${id}`}>
                    {packageTitles[id] ?? id}
                  </Link>
                </li>
              ))}
            </ul>
          ),
      )}
      {Object.keys(facts).length > 0 && (
        <dl className="wanted">
          {named.map(
            ({ name, value, label }) =>
              name in facts && (
                <Fact key={name} label={label}>
                  {value}
                </Fact>
              ),
          )}
        </dl>
      )}
      {letters.map(([label, text]) => (
        <div key={label} className="letter-box">
          <h2>{label}</h2>
          <p className="letter">{text}</p>
        </div>
      ))}
      {letters.length === 0 && <p className="quiet">Without a letter.</p>}
    </section>
  );
}

/** Longer texts have the whole width, below their name. In UTF-16 units. */
const besideLengthMax = 80;

/** What a form sent beside the documented fields and the letter: names and texts are a stranger's. */
export function MoreFields({ detail: { kind, fields, more } }: { readonly detail: SubmissionDetail }) {
  const table = kindOf(kind).fields;
  const hasLetter = Object.keys(table).some((name) => table[name]?.kind === "paragraphs" && fields[name] !== null);
  const others = inReadingOrder(more).filter(([name]) => hasLetter || name !== messageField);
  if (others.length === 0) return null;
  return (
    <Box title="Further fields">
      <dl className="fields">
        {others.map(([name, text]) => (
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
}
