// The audit log. It cannot be changed from here, or from anywhere.
import type { AuditRow } from "@submissions/shared/console";
import { calls, trpc } from "../calls.ts";
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
      columns={["Time", "Operator", "Action", "About", "Details"]}
      keyOf={({ id }) => id}
      cells={(row) => [
        <time dateTime={new Date(row.at).toISOString()}>{exactTime(row.at)}</time>,
        row.operator,
        <code>{row.action}</code>,
        <Subject subject={row.subject} />,
        <Details detail={row.detail} />,
      ]}
      empty={<Empty icon="audit" title="No entries" text="What operators do is listed here." />}
    />
  </PageFrame>
);

function Subject({ subject }: { readonly subject: string }) {
  if (/^(?:INQ|APP)-/.test(subject)) return <ReferenceLink reference={subject} />;
  return subject === "" ? <span className="quiet">–</span> : subject;
}

const wordOf = (name: string, value: unknown): string => {
  if (value === null) return "none";
  if (typeof value === "number" && /(?:At|^since)$/.test(name)) return exactTime(value);
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
};

const Details = ({ detail }: Pick<AuditRow, "detail">) => (
  <span className="quiet small">
    {Object.entries(detail)
      .map(([name, value]) => `${name}: ${wordOf(name, value)}`)
      .join(", ")}
  </span>
);
