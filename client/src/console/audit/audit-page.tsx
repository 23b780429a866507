// The audit log. It cannot be changed from here, or from anywhere.
import { calls, trpc } from "../calls.ts";
import { AuditSentence } from "../parts/audit-sentence.tsx";
import { PageFrame } from "../parts/page.tsx";
import { ReferenceLink } from "../parts/reference-link.tsx";
import { Empty } from "../parts/states.tsx";
import { exactTime } from "../words.ts";
import { ExportMenu } from "../parts/export-menu.tsx";
import { TableList } from "../parts/table-list.tsx";

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
      columns={["Time", "What was done"]}
      keyOf={({ id }) => id}
      cells={(row) => [
        <time dateTime={new Date(row.at).toISOString()}>{exactTime(row.at)}</time>,
        <span>
          <AuditSentence entry={row} about={<Subject subject={row.subject} />} />
        </span>,
      ]}
      empty={<Empty icon="audit" title="No entries" text="What operators do is listed here." />}
    />
  </PageFrame>
);

function Subject({ subject }: { readonly subject: string }) {
  return /^(?:INQ|APP)-/.test(subject) ? <ReferenceLink reference={subject} /> : subject;
}
