// What an administrator does with a new installation, in place of an empty list.
import { formNames } from "@submissions/shared/forms/form-fields";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { trpc } from "../calls.ts";
import { Waiting } from "../parts/states.tsx";
import { CopyButton } from "../parts/boxes.tsx";
import { Icon } from "../parts/icons.tsx";
import { plural } from "../words.ts";
import { Link } from "../router.tsx";

const [first, ...others] = formNames.map((name) => `${name}-form`);
const senders = { postmark: "Mails go out by Postmark.", smtp: "Mails go out by SMTP." };

export function FirstSteps() {
  const setup = useQuery(trpc.overview.setup.queryOptions());
  if (!setup.data) return <Waiting query={setup} rows={4} />;
  const { url, hasFrontPage, mail, operators } = setup.data;
  const snippet = `<script type="module" src="${url}/forms.js"></script>\n<${first}></${first}>`;
  return (
    <ol className="first-steps">
      <Step title="Put a form into your page">
        <p>
          There are also{" "}
          {others.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && " and "}
              <code>{name}</code>
            </Fragment>
          ))}
          . The setting <code>CORS_ORIGINS</code> must name the page&apos;s origin.
        </p>
        <pre tabIndex={0}>{snippet}</pre>
        <CopyButton text={snippet} />
      </Step>
      <Step title="Send a test">
        <p>
          {hasFrontPage ? (
            <>
              Fill in a form on{" "}
              <a href={`${url}/`} target="_blank">
                the front page
              </a>
              .
            </>
          ) : (
            "Fill in your form."
          )}{" "}
          What you send appears here by itself.
        </p>
      </Step>
      <Step title="Invite your colleagues" done={operators > 1}>
        <p>
          {operators > 1 && `${plural(operators, "operator")} so far. `}
          <Link to="/settings">Invite an operator</Link> under Settings.
        </p>
      </Step>
      <Step title="Connect mail" done={mail !== "mailbox"}>
        <p>
          {mail === "mailbox" ? (
            <>
              Mails are only written into a folder until <code>MAIL_TRANSPORT</code> says <code>postmark</code> or{" "}
              <code>smtp</code>.
            </>
          ) : (
            senders[mail]
          )}
        </p>
      </Step>
    </ol>
  );
}

interface StepProps {
  readonly title: string;
  readonly done?: boolean;
  readonly children: ReactNode;
}

const Step = ({ title, done = false, children }: StepProps) => (
  <li className={done ? "done" : undefined}>
    <h3>
      {title}
      {done && (
        <>
          {" "}
          <Icon name="check" size={16} />
          <span className="unseen">done</span>
        </>
      )}
    </h3>
    {children}
  </li>
);
