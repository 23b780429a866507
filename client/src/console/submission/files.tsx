// The files of a reply that is being written. Each is uploaded when it is chosen, and is attached until the reply is sent.
import {
  filesTooLarge,
  replyFileBytesMax,
  replyFilesMax,
  type ReplyFile,
  type SubmissionDetail,
} from "@submissions/shared/console";
import type { FaultBody } from "@submissions/shared/faults";
import { sizeIn } from "@submissions/shared/size";
import { useMutation, useMutationState, type MutationState } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Refused, messageOf, queryClient, trpc, untilSignedIn } from "../calls.ts";
import { consoleUrl } from "../early.ts";
import { useChange } from "../parts/dialogs.tsx";
import { DownloadLink } from "../parts/downloads.tsx";
import { Icon } from "../parts/icons.tsx";

async function upload(reference: string, file: File): Promise<ReplyFile> {
  await untilSignedIn();
  const response = await fetch(new URL(`replies/files/${reference}`, consoleUrl), {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      "x-file-name": encodeURIComponent(file.name.toWellFormed()),
    },
    body: file,
  });
  if (response.ok) return (await response.json()) as ReplyFile;
  const { message, issues = [{ message }] } = (await response.json()) as FaultBody;
  throw new Refused(issues.map((issue) => issue.message).join(" "));
}

export type Files = ReturnType<typeof useFiles>;

const keyOf = (reference: string) => ["attach", reference];

/** What was said of refused files is not said again. */
function forgetRefused(reference: string): void {
  const uploads = queryClient.getMutationCache();
  for (const refused of uploads.findAll({ mutationKey: keyOf(reference), status: "error" })) uploads.remove(refused);
}

export function useFiles({ reference, attached }: Pick<SubmissionDetail, "reference" | "attached">) {
  const queryKey = trpc.submission.get.queryKey({ reference });
  const show = (changed: (files: readonly ReplyFile[]) => ReplyFile[]) =>
    queryClient.setQueryData(queryKey, (detail) => detail && { ...detail, attached: changed(detail.attached) });
  const remove = useChange(trpc.reply.removeFile, {
    failed: "Not removed.",
    reads: [trpc.submission.get],
    onDone: (_done, sent) => show((files) => files.filter(({ id }) => id !== sent.id)),
  });
  // Uploads go on when another page is shown, so that they are looked for where all calls are kept.
  const mutationKey = keyOf(reference);
  const { mutate } = useMutation({
    mutationKey,
    // One after the other.
    scope: { id: mutationKey.join(" ") },
    mutationFn: (file: File) => upload(reference, file),
    onSuccess: async (added) => {
      // A read that began before would take the file away again.
      await queryClient.cancelQueries({ queryKey });
      // One that began since may show it already.
      show((files) => [...files.filter(({ id }) => id !== added.id), added]);
      // What else it would have told.
      void queryClient.invalidateQueries({ queryKey });
    },
  });
  const uploads = useMutationState({
    filters: { mutationKey },
    select: ({ state }) => state as MutationState<ReplyFile, Error, File>,
  });
  const underWay = uploads.flatMap(({ status, variables }) => (status === "pending" ? (variables?.name ?? []) : []));
  const [isTooMuch, setTooMuch] = useState(false);
  const refused = uploads.flatMap(({ error, variables }) => (error ? `${variables?.name}: ${messageOf(error)}` : []));
  useEffect(() => () => forgetRefused(reference), [reference]);
  const problem = isTooMuch ? filesTooLarge : refused.join(" ");
  const attach = (files: readonly File[]) => {
    const sizes = [...attached, ...files].map(({ size }) => size);
    const isOver = sizes.length > replyFilesMax || sizes.reduce((sum, size) => sum + size, 0) > replyFileBytesMax;
    setTooMuch(isOver);
    forgetRefused(reference);
    if (!isOver) for (const file of files) mutate(file);
  };
  return { attached, underWay, problem, attach, remove };
}

export function AttachButton({ files: { underWay, attach } }: { readonly files: Files }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-hidden
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          // The same one may be chosen again.
          target.value = "";
          attach(chosen);
        }}
      />
      <button
        type="button"
        className="small-button attach"
        disabled={underWay.length > 0}
        onClick={() => input.current?.click()}
      >
        Attach file
      </button>
    </>
  );
}

/** What is attached, what is on its way, and what was refused. */
export const AttachedFiles = ({ files: { attached, underWay, problem, remove } }: { readonly files: Files }) => (
  <>
    {attached.length + underWay.length > 0 && (
      <ul className="files" aria-label="Files">
        {attached.map(({ id, name, size }) => (
          <li key={id}>
            <span className="anywhere">{name}</span> <span className="quiet">{sizeIn("en", size)}</span>
            <button
              type="button"
              className="link"
              aria-label={`Remove ${name}`}
              title={`Remove ${name}`}
              disabled={remove.isPending}
              onClick={() => remove.mutate({ id })}
            >
              <Icon name="close" size={14} />
            </button>
          </li>
        ))}
        {underWay.map((name, at) => (
          <li key={`${at} ${name}`} className="quiet">
            {name} is uploaded…
          </li>
        ))}
      </ul>
    )}
    {problem !== "" && (
      <p className="problem small" role="alert">
        {problem}
      </p>
    )}
  </>
);

/** Those of a reply that was sent. */
export const SentFiles = ({ files }: { readonly files: readonly ReplyFile[] }) =>
  files.length > 0 && (
    <ul className="files">
      {files.map(({ id, name, size }) => (
        <li key={id}>
          <DownloadLink href={new URL(`replies/files/${id}`, consoleUrl).href}>{name}</DownloadLink>{" "}
          <span className="quiet">{sizeIn("en", size)}</span>
        </li>
      ))}
    </ul>
  );
