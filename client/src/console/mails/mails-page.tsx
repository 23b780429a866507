// Mails: what failed or may have been sent, and why.
import { calls, trpc } from "../calls.ts";
import { PageFrame } from "../parts/page.tsx";
import { Empty, Mark } from "../parts/states.tsx";
import { ReferenceLink } from "../parts/boxes.tsx";
import { MailWhen, SendAgain } from "../submission/timeline.tsx";
import { mailWord, word } from "../words.ts";
import { TableList } from "../parts/table-list.tsx";
import { Link, useSearch } from "../router.tsx";

const tabs = ["failed", "in-doubt", "queued", "sent", "all"] as const;

const explanations: Readonly<Record<(typeof tabs)[number], string>> = {
  failed: "The provider refused these mails, or could not be reached for 72 hours.",
  "in-doubt": "The provider may have sent these mails: its answer was lost. Sending again may send them twice.",
  queued: "These mails are sent as soon as the provider takes them.",
  sent: "The provider took these mails. They are forgotten after 90 days.",
  all: "All mails of the last 90 days.",
};

export function MailsPage() {
  const { status = "failed" } = useSearch("/mails");
  const filter = status === "all" ? {} : { status };
  return (
    <PageFrame title="Mails" lead={explanations[status]}>
      <nav className="tabs" aria-label="By state">
        {tabs.map((tab) => (
          <Link
            key={tab}
            to="/mails"
            search={{ status: tab }}
            className="tab"
            {...(tab === status && { "aria-current": "true" as const })}
          >
            {word(tab)}
          </Link>
        ))}
      </nav>
      <TableList
        label="Mails"
        queryKey={[...trpc.mails.list.pathKey(), filter]}
        load={(page, signal) => calls.mails.list.query({ ...filter, page }, { signal })}
        columns={["Mail", "To", "About", "State", ""]}
        keyOf={({ id }) => id}
        cells={(mail) => [
          mailWord(mail.kind),
          mail.personId === null ? (
            <span className="quiet">{toOperators.has(mail.kind) ? "an operator" : "the team"}</span>
          ) : (
            <Link to="/people/$person" params={{ person: mail.personId }}>
              {mail.email}
            </Link>
          ),
          mail.reference === null ? (
            <span className="quiet">{abouts[mail.kind] ?? "newsletter"}</span>
          ) : (
            <ReferenceLink reference={mail.reference} />
          ),
          <>
            <Mark of="mail" state={mail.status} />
            <MailWhen mail={mail} isAlone />
          </>,
          <SendAgain mail={mail} />,
        ]}
        empty={
          <Empty
            icon="check"
            title={status === "failed" || status === "in-doubt" ? "All is well" : "No mails"}
            text={
              status === "failed"
                ? "No mail has failed."
                : status === "in-doubt"
                  ? "Of every mail it is known whether it was sent."
                  : "There are none at the moment."
            }
          />
        }
      />
    </PageFrame>
  );
}

/** What mails are about that are of no one submission. */
const abouts: Readonly<Record<string, string>> = {
  digest: "what waits",
  assignment: "assignments",
  invitation: "a password",
};

const toOperators: ReadonlySet<string> = new Set(["assignment", "invitation", "answer"]);
