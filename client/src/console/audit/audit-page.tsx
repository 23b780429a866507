// The audit log. It cannot be changed from here, or from anywhere.
import type { AuditRow } from "@submissions/shared/console";
import { calls, trpc } from "../calls.ts";
import { AuditSentence } from "../parts/audit-sentence.tsx";
import { PageFrame } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { ReferenceLink } from "../parts/boxes.tsx";
import { exactTime } from "../words.ts";
import { ExportMenu } from "../parts/downloads.tsx";
import { TableList } from "../parts/table-list.tsx";
import { callWords } from "./call-words.ts";

export const AuditPage = () => (
  <PageFrame
    title="Audit log"
    lead="Every view of a resume, export, change, erasure and sign-in. Entries cannot be changed or removed."
    actions={<ExportMenu list="audit" />}
  >
    <TableList
      label="Audit log"
      queryKey={trpc.audit.list.pathKey()}
      load={(page, signal) => calls.audit.list.query({ page }, { signal })}
      columns={["Time", "Entry"]}
      keyOf={({ id }) => id}
      cells={(row) => [
        <time dateTime={new Date(row.at).toISOString()}>{exactTime(row.at)}</time>,
        <span>
          <AuditSentence entry={row} about={<Subject of={row} />} />
        </span>,
      ]}
      empty={<Empty icon="audit" title="No entries" text="What operators do is listed here." />}
    />
  </PageFrame>
);

function Subject({ of: { action, subject } }: { readonly of: AuditRow }) {
  if (/^(?:INQ|APP)-/.test(subject)) return <ReferenceLink reference={subject} />;
  return action === "refused" || action === "read" ? callWords(subject) : subject;
}
