// Mails that came in and fit no submission: an administrator files or deletes them.
import type { UnmatchedRow } from "@submissions/shared/console";
import { calls, trpc } from "../calls.ts";
import { FormButton } from "../parts/dialogs.tsx";
import { Field } from "../parts/form.tsx";
import { PageFrame } from "../parts/page.tsx";
import { Age, Empty } from "../parts/states.tsx";
import { TableList } from "../parts/table-list.tsx";
import { MailText } from "../submission/answer.tsx";

export const UnmatchedPage = () => (
  <PageFrame title="Unmatched" lead="Mails that came in and fit no submission. They are forgotten after 30 days.">
    <TableList
      label="Unmatched mails"
      queryKey={trpc.unmatched.list.pathKey()}
      load={(page, signal) => calls.unmatched.list.query({ page }, { signal })}
      columns={["From", "Mail", "Came", ""]}
      keyOf={({ id }) => id}
      cells={(mail) => [
        <>
          {mail.senderName} <div className="quiet small">{mail.senderAddress}</div>
        </>,
        <>
          <strong>{mail.subject || "(no subject)"}</strong>{" "}
          {mail.automatic && <span className="quiet small">Automatic</span>}
          <MailText mail={mail} />
          {mail.fileNames.length > 0 && <p className="quiet small">Files, not kept: {mail.fileNames.join(", ")}</p>}
        </>,
        <Age at={mail.at} ago />,
        <Buttons mail={mail} />,
      ]}
      empty={<Empty icon="check" title="Nothing is left over" text="Every mail that came in fits a submission." />}
    />
  </PageFrame>
);

const reads = [trpc.unmatched.list];

const Buttons = ({ mail: { id, subject } }: { readonly mail: UnmatchedRow }) => (
  <div className="choice-line">
    <FormButton
      word="File under"
      about={subject}
      className="small-button"
      title="File this mail under a submission"
      said="The mail is filed."
      reads={[...reads, trpc.submission.get]}
      procedure={trpc.unmatched.file}
      input={(text) => ({ id, reference: text("reference").trim().toUpperCase() })}
    >
      <Field label="Reference" name="reference" required placeholder="INQ-20261121-042137" />
    </FormButton>
    <FormButton
      word="Delete"
      about={subject}
      className="small-button"
      title="Delete this mail?"
      asks="danger solid"
      said="The mail is deleted."
      reads={reads}
      procedure={trpc.unmatched.remove}
      input={() => ({ id })}
    >
      <p>It cannot be brought back.</p>
    </FormButton>
  </div>
);
