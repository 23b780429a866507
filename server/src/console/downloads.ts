// What operators download: resumes, exports, everything of one person. How they are sent is loaded with the first one.
import { kindOf, kindOfPlural, submissionKinds } from "@submissions/shared/kinds";
import type { Role } from "@submissions/shared/roles";
import type { FastifyReply } from "fastify";
import { exportFormats, exportSubjects, type ExportSubject } from "../desk/export.ts";
import { everyRole, type RoleRule, rolesOf, subscriberRoles } from "./rules.ts";
import type { DownloadCall } from "./send-downloads.ts";

export interface ConsoleDownload {
  /** `POST`: with what must not stand in an address. */
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly rule: RoleRule;
  /** Whether it reads the store for as long as it takes: an operator has two of these at once. */
  readonly isExport: boolean;
  readonly send: (call: DownloadCall) => Promise<FastifyReply>;
}

const forRoles = (roles: readonly Role[]): RoleRule => ({ roles, changes: false });

function exportRule(subject: ExportSubject): RoleRule {
  const kind = kindOfPlural(subject);
  if (kind !== undefined) return forRoles(rolesOf([kind]));
  return forRoles(subject === "audit" ? ["admin"] : subscriberRoles);
}

const withFile = submissionKinds.filter((kind) => kindOf(kind).file !== null);
const withFilter = exportSubjects.filter((subject) => subject !== "audit");

const senders = () => import("./send-downloads.ts");

export const consoleDownloads: readonly ConsoleDownload[] = [
  {
    method: "GET",
    url: "/console/resumes/:reference",
    rule: forRoles(rolesOf(withFile)),
    isExport: false,
    send: async (call) => (await senders()).sendResume(call),
  },
  ...(["answer", "reply"] as const).map((of) => ({
    method: "GET" as const,
    url: of === "answer" ? "/console/answers/files/:id" : "/console/replies/files/:id",
    rule: forRoles(rolesOf(submissionKinds)),
    isExport: false,
    send: async (call: DownloadCall) => (await senders()).sendFile(call, of),
  })),
  ...exportFormats.flatMap((format) => [
    ...exportSubjects.map((subject) => ({
      method: "GET" as const,
      url: `/console/exports/${subject}.${format}`,
      rule: exportRule(subject),
      isExport: true,
      send: async (call: DownloadCall) => (await senders()).sendExport(call, subject, format),
    })),
    ...withFilter.map((subject) => ({
      method: "POST" as const,
      url: `/console/exports/${subject}.${format}`,
      rule: exportRule(subject),
      isExport: true,
      send: async (call: DownloadCall) => (await senders()).sendMatching(call, subject, format),
    })),
  ]),
  {
    method: "GET",
    url: "/console/people/:file(^.+\\.ndjson$)",
    rule: forRoles(everyRole),
    isExport: true,
    send: async (call) => (await senders()).sendPerson(call),
  },
];
