// Adds one subscriber, or those of a file, and reports which were left out.
import { useMutation, useQuery } from "@tanstack/react-query";
import { importBytesMax, importRowsMax, type ImportReport } from "@submissions/shared/console";
import { useState } from "react";
import { calls, Refused, isRefusal, queryClient, trpc } from "../calls.ts";
import { FormButton, FormDialog } from "../parts/dialogs.tsx";
import { Field, LongText } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { Table } from "../parts/table-list.tsx";
import { count, plural } from "../words.ts";

/** Adds one subscriber, with a proof of consent or without. */
export const AddSubscriber = () => (
  <FormButton
    word="Add subscriber"
    className="primary"
    title="Add a subscriber"
    yes="Add"
    procedure={trpc.subscribers.add}
    input={(text) => ({
      email: text("email").trim(),
      source: text("source").trim(),
      consentText: text("consentText").trim(),
      consentAt: text("consentAt"),
    })}
    said={({ status }, { email }) =>
      status === "active" ? `${email} is subscribed.` : `${email} gets a mail to confirm the subscription.`
    }
    reads={[trpc.subscribers]}
  >
    <Field label="E-mail address" name="email" type="email" required maxLength={254} autoFocus />
    <Field label="Source" isOptional name="source" maxLength={64} placeholder="trade fair 2026" />
    <label>
      Proof of consent <span className="quiet">(optional)</span>
      <LongText
        aria-label="Proof of consent (optional)"
        name="consentText"
        rows={2}
        lengthMax={2_000}
        placeholder="What the person agreed to"
      />
    </label>
    <Field label="Given on" isOptional name="consentAt" type="date" />
    <p className="quiet small">
      With text and day of the consent, the address is subscribed at once. Without, it gets a mail to confirm.
    </p>
  </FormButton>
);

async function importFile(file: File): Promise<ImportReport> {
  if (file.size > importBytesMax) throw new Refused("The file is larger than 4 MiB. Divide it.");
  const bytes = await file.arrayBuffer();
  let csv: string;
  try {
    csv = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // TypeError: another encoding, which would garble names of sources and consents.
    throw new Refused("The file is not UTF-8 text. Save it as CSV UTF-8.");
  }
  const before = await calls.subscribers.importProgress.query();
  try {
    return await calls.subscribers.import.mutate({ csv });
  } catch (error) {
    if (isRefusal(error)) throw error;
    const report = await reportAfter(before?.startedAt);
    if (report === null) throw error;
    return report;
  }
}

const askEveryMs = 1_000;

/** The report of an import whose answer was lost, once it is over; null: there was no import after that one. */
async function reportAfter(startedAt: number | undefined): Promise<ImportReport | null> {
  for (;;) {
    const progress = await calls.subscribers.importProgress.query();
    if (progress === null || progress.startedAt === startedAt) return null;
    if (progress.report !== null) return progress.report;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const run = useMutation({
    mutationFn: importFile,
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.subscribers.pathKey() }),
  });
  // It goes on where its page was left, and can be followed and read again.
  const { data, isFetchedAfterMount } = useQuery(
    trpc.subscribers.importProgress.queryOptions(undefined, { refetchInterval: askEveryMs, staleTime: 0 }),
  );
  const last = isFetchedAfterMount ? data : undefined;
  const [asked, setAsked] = useState(false);
  const isOther = !run.isPending && last?.report === null;
  if (isOther && !asked) setAsked(true);
  const report = run.data ?? (asked && !run.isPending ? last?.report : undefined);
  if (report) return <Report report={report} onClose={onClose} />;
  return (
    <FormDialog
      title="Import subscribers"
      word={run.isPending || isOther ? "Importing…" : "Import"}
      call={{ error: run.error, isPending: run.isPending || isOther }}
      onSubmit={(_, form) => run.mutate(form.get("file") as File)}
      onClose={run.isPending ? undefined : onClose}
    >
      <Field label="CSV file" name="file" type="file" accept=".csv,text/csv" required autoFocus />
      <p className="quiet small" role="status">
        {/* Until the file has arrived, it is that of an earlier one. */}
        {last?.report === null && `${count(last.done)} of ${plural(last.rows, "row")}`}
      </p>
      {last?.report && !run.isPending && (
        <button type="button" className="link small" onClick={() => setAsked(true)}>
          Show the last report
        </button>
      )}
      <p className="quiet small">
        The first row names the columns: <code>email</code>, and as you have them <code>source</code>,{" "}
        <code>consentText</code>, <code>consentPage</code> and <code>consentAt</code>. At most {count(importRowsMax)}{" "}
        rows.
      </p>
      <p className="quiet small">
        Rows with <code>consentText</code> and <code>consentAt</code> state a proof of consent: these addresses are
        subscribed at once. All others get a mail to confirm, three a second.
      </p>
    </FormDialog>
  );
}

interface ReportProps {
  readonly report: ImportReport;
  readonly onClose: () => void;
}

const Report = ({ report: { active, pending, leftOut, unread }, onClose }: ReportProps) => (
  <Modal title="Import" onClose={onClose} wide>
    <p role="status">
      {plural(active + pending, "address", "addresses")} added: {count(active)} with a proof of consent,{" "}
      {count(pending)} to confirm by mail. {count(leftOut.length)} left out.
    </p>
    {unread.length > 0 && <p className="quiet small">Columns that were not read: {unread.join(", ")}.</p>}
    {leftOut.length > 0 && (
      <Table
        label="Left out"
        columns={["Row", "Address", "Why"]}
        rows={leftOut}
        keyOf={({ row }) => row}
        cells={({ row, email, reason }) => [row, email, reason]}
      />
    )}
    <div className="dialog-foot">
      <button className="primary" onClick={onClose} autoFocus>
        Close
      </button>
    </div>
  </Modal>
);
