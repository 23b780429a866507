// What operators download: resumes, exports, everything of one person.
import { kindOf, kindOfPlural, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import type { Role } from "@submissions/shared/roles";
import type { FastifyReply } from "fastify";
import { type ExportFormat, exportFormats, exportSubjects, type ExportSubject } from "../desk/export.ts";
import { everyRole, type RoleRule, rolesOf, subscriberRoles } from "./role-rules.ts";
import type { DownloadCall } from "./send-downloads.ts";

/** How a download is sent, by functions that are loaded with the first one. */
type Send = (senders: typeof import("./send-downloads.ts"), call: DownloadCall) => Promise<FastifyReply>;

export interface ConsoleDownload {
  /** `POST`: with what must not stand in an address. */
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly rule: RoleRule;
  /** Whether it reads the store for as long as it takes: an operator has two of these at once. */
  readonly isExport: boolean;
  readonly send: Send;
}

const forRoles = (roles: readonly Role[]): RoleRule => ({ roles, changes: false });

function exportRule(subject: ExportSubject): RoleRule {
  const kind = kindOfPlural(subject);
  if (kind !== undefined) return forRoles(rolesOf([kind]));
  return forRoles(subject === "audit" ? ["admin"] : subscriberRoles);
}

const withFile = submissionKinds.filter((kind) => kindOf(kind).file !== null);
const withFilter = exportSubjects.filter((subject) => subject !== "audit");

const oneFile = (url: string, kinds: readonly SubmissionKind[], send: Send): ConsoleDownload => {
  return { method: "GET", url, rule: forRoles(rolesOf(kinds)), isExport: false, send };
};

const list = (method: "GET" | "POST", subject: ExportSubject, format: ExportFormat, send: Send): ConsoleDownload => {
  return { method, url: `/console/exports/${subject}.${format}`, rule: exportRule(subject), isExport: true, send };
};

export const consoleDownloads: readonly ConsoleDownload[] = [
  oneFile("/console/resumes/:reference", withFile, ({ sendResume }, call) => sendResume(call)),
  oneFile("/console/answers/files/:id", submissionKinds, ({ sendFile }, call) => sendFile(call, "answer")),
  oneFile("/console/replies/files/:id", submissionKinds, ({ sendFile }, call) => sendFile(call, "reply")),
  ...exportFormats.flatMap((format) => [
    ...exportSubjects.map((one) => list("GET", one, format, (to, call) => to.sendExport(call, one, format))),
    ...withFilter.map((one) => list("POST", one, format, (to, call) => to.sendMatching(call, one, format))),
  ]),
  {
    method: "GET",
    url: "/console/people/:file(^.+\\.ndjson$)",
    rule: forRoles(everyRole),
    isExport: true,
    send: ({ sendPerson }, call) => sendPerson(call),
  },
];
