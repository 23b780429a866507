// Inquiries as records and as rows, the same for every engine. Every row of a table has the same keys in the same order, so
// that an engine may compile its insert once. Knows no SQL.
import type { InquiryRecord, StoredInquiry } from "../records.ts";
import type { InquiryTable } from "../schema.ts";

export function inquiryRow(inquiry: InquiryRecord): InquiryTable {
  return {
    reference: inquiry.reference,
    received_at: inquiry.receivedAt,
    door: inquiry.origin.door,
    request_id: inquiry.origin.requestId,
    email_disposable: Number(inquiry.emailDisposable ?? false),
    status: inquiry.status ?? "new",
    name: inquiry.name,
    company: inquiry.company,
    email: inquiry.email,
    selected_package_ids: JSON.stringify(inquiry.selectedPackageIds),
  };
}

export function storedInquiry(row: InquiryTable): StoredInquiry {
  return {
    reference: row.reference,
    receivedAt: row.received_at,
    origin: { door: row.door, requestId: row.request_id },
    emailDisposable: row.email_disposable === 1,
    status: row.status,
    name: row.name,
    company: row.company,
    email: row.email,
    selectedPackageIds: JSON.parse(row.selected_package_ids) as string[],
  };
}
