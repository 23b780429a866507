// Everything from one address, and erasing it.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Person } from "@submissions/shared/console";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import { isMissing, queryClient, trpc } from "../calls.ts";
import { consoleUrl } from "../early.ts";
import { useNews } from "../inbox/inbox-list.ts";
import { useMe, useNames } from "../operators.ts";
import { isAdmin, seesSubmissions } from "../roles.ts";
import { Box } from "../parts/boxes.tsx";
import { DialogButton, FormDialog, useChange } from "../parts/dialogs.tsx";
import { forgetDraftsOf } from "../parts/drafts.tsx";
import { DownloadLink } from "../parts/downloads.tsx";
import { Icon } from "../parts/icons.tsx";
import { PageFrame } from "../parts/page.tsx";
import { Fact, Mark, Waiting } from "../parts/states.tsx";
import { Submissions, itemsOf, mailItem, momentItem, Timeline } from "../submission/timeline.tsx";
import { rowBehind } from "../triage/triage.ts";
import { dayOf, languageName, plural } from "../words.ts";
import { useNavigate, useParams } from "../router.tsx";

export function PersonPage() {
  const me = useMe();
  const { person: asked = "" } = useParams();
  const person = useQuery(trpc.people.get.queryOptions({ person: asked }));
  // Others may erase the person meanwhile.
  const shown = isMissing(person.error) ? undefined : person.data;
  useNews(Number.MAX_SAFE_INTEGER, seesSubmissions(me));
  const id = shown?.personId ?? asked;
  const navigate = useNavigate();
  // An old address of the page has the person's address in it.
  useEffect(() => {
    if (id !== asked) void navigate({ to: "/people/$person", params: { person: id }, replace: true });
  }, [id, asked, navigate]);
  return (
    <PageFrame
      title={shown?.submissions[0]?.name ?? shown?.email ?? "Person"}
      lead="Everything from this address."
      actions={
        shown && (
          <>
            <DownloadLink className="button-like" href={new URL(`people/${id}.ndjson`, consoleUrl).href}>
              <Icon name="download" size={16} /> Export
            </DownloadLink>
            {isAdmin(me) && (
              <DialogButton word="Erase" className="danger">
                {(close) => <EraseDialog person={shown} onClose={close} />}
              </DialogButton>
            )}
          </>
        )
      }
    >
      {shown ? <Records person={shown} /> : <Waiting query={person} rows={4} />}
    </PageFrame>
  );
}

/** Submissions whose story is told; those before them are listed. */
const toldMax = 10;

function Records({ person }: { readonly person: Person }) {
  const { email, submissions, more, subscription, suppressed } = person;
  const told = submissions.slice(0, toldMax);
  const details = useQueries({
    queries: told.map(({ reference }) => trpc.submission.get.queryOptions({ reference })),
  }).flatMap(({ data }) => data ?? []);
  const company = submissions.find((one) => one.company !== null)?.company;
  const phone = details.map(({ fields }) => fields["phone"]).find((value) => typeof value === "string");
  const tel = phone && telOf(phone);
  const nameOf = useNames();
  const ofSubmissions = details.flatMap((detail) => {
    const { reference } = detail;
    return itemsOf(detail, nameOf).map((item) => ({ ...item, key: `${reference} ${item.key}`, reference }));
  });
  const { subscribedAt = null, confirmedAt = null, unsubscribedAt = null } = subscription ?? {};
  const { added } = person;
  const addedBy = added && `${added.isImport ? "Imported" : "Added"} by ${nameOf(added.by)}`;
  // Who is added with a proof of consent has confirmed nothing here.
  const consent = subscription?.consent;
  const stated = added && consent && consent.at <= subscription.subscribedAt ? consent : null;
  const ofSubscription = [
    [
      stated ? `${addedBy}; consent stated ${dayOf(stated.at)}` : (addedBy ?? "Subscribed to the newsletter"),
      subscribedAt,
    ] as const,
    ["Confirmed the subscription", stated === null ? confirmedAt : null] as const,
    ["Unsubscribed from the newsletter", unsubscribedAt] as const,
  ].flatMap(([words, at]) => (at === null ? [] : [momentItem(words, at, words)]));
  return (
    <>
      {suppressed !== null && (
        <div className="notice">
          <Icon name="warning" />
          <p>This address gets no automatic mail: {suppressed}.</p>
        </div>
      )}
      <section className="box">
        <dl className="fields">
          {company && <Fact label="Company">{company}</Fact>}
          {phone && <Fact label="Telephone">{tel ? <a href={tel}>{phone}</a> : phone}</Fact>}
          <Fact label="E-mail">
            <a href={mailtoOf(email)}>{email}</a>
          </Fact>
        </dl>
      </section>
      <Submissions title="Submissions" of={submissions}>
        {more && <p className="quiet small">Older ones are not shown. The export has all of them.</p>}
      </Submissions>
      {subscription && (
        <Box title="Newsletter">
          <dl className="fields">
            <Fact label="State">
              <Mark of="subscriber" state={subscription.status} />
            </Fact>
            <Fact label="Source">
              {subscription.source}
              {subscription.lastSource !== subscription.source && `, latest ${subscription.lastSource}`}
            </Fact>
            {subscription.language !== "en" && <Fact label="Language">{languageName(subscription.language)}</Fact>}
            {subscription.consent && (
              <Fact label={stated ? "Consent" : "Privacy notice"}>
                {subscription.consent.text}{" "}
                <span className="quiet">
                  {[subscription.consent.page, stated && `stated ${dayOf(stated.at)}`].filter(Boolean).join(" · ")}
                </span>
              </Fact>
            )}
          </dl>
        </Box>
      )}
      <section className="box" aria-labelledby="story">
        <h2 id="story">Timeline</h2>
        <Timeline items={[...ofSubmissions, ...person.mails.map(mailItem), ...ofSubscription]} />
        {submissions.length > toldMax && (
          <p className="quiet small">Of the latest {toldMax} submissions. The others have theirs on their pages.</p>
        )}
      </section>
    </>
  );
}

function EraseDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const erase = useChange(trpc.people.erase, {
    said: ({ submissions, subscriptions, resumes }) =>
      `Erased: ${plural(submissions, "submission")}, ${plural(resumes, "resume")}, ${plural(subscriptions, "subscription")}.`,
    onDone: () => {
      onClose();
      const gone = new Set(person.submissions.map(({ reference }) => reference));
      for (const reference of gone) forgetDraftsOf(reference);
      void navigate({ to: "/", state: { row: rowBehind(gone) ?? "" } }).then(() => {
        // Nothing of the person stays in the page's memory.
        queryClient.removeQueries({ type: "inactive" });
        return queryClient.resetQueries();
      });
    },
  });
  return (
    <FormDialog
      title="Erase this person?"
      word={erase.isPending ? "Erasing…" : "Erase"}
      asks="danger solid"
      call={erase}
      onSubmit={() => erase.mutate({ email: person.email })}
      onClose={erase.isPending ? undefined : onClose}
    >
      <p>
        This removes everything from <strong>{person.email}</strong>: {person.more && "more than "}
        {plural(person.submissions.length, "submission")} with resumes, mails and notes
        {person.subscription && ", and the newsletter subscription"}.
      </p>
      <p>It cannot be undone. The audit log keeps that it was done, without the address.</p>
    </FormDialog>
  );
}
