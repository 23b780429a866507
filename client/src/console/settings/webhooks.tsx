// Webhooks: add, renew the secret, remove, and the log of deliveries. A secret is shown once.
import { useMutation, useQuery } from "@tanstack/react-query";
import { webhookEvents, type DeliveryRow, type WebhookEvent, type WebhookRow } from "@submissions/shared/console";
import { useState } from "react";
import { calls, messageOf, queryClient, trpc } from "../calls.ts";
import { FormDialog, Question, ShownOnce } from "../parts/dialogs.tsx";
import { textOf } from "../parts/fields.tsx";
import { Modal } from "../parts/modal.tsx";
import { Age, Empty, Mark, Waiting } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { deliveryEventWords, exactTime, plural, webhookEventWords } from "../words.ts";
import { TableList } from "../parts/table-list.tsx";

const reload = () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
const hostOf = (url: string) => URL.parse(url)?.host ?? url;

/** What is open beside the list. */
type Opened =
  | { readonly dialog: "add" }
  | { readonly dialog: "rotate" | "remove" | "deliveries"; readonly webhook: WebhookRow };

export function Webhooks() {
  const webhooks = useQuery(trpc.webhooks.list.queryOptions());
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <section className="box">
      <div className="box-head">
        <h2>Webhooks</h2>
        <button type="button" onClick={() => setOpened({ dialog: "add" })}>
          Add webhook
        </button>
      </div>
      <Waiting query={webhooks} rows={1} />
      {webhooks.data?.length === 0 && (
        <p className="quiet">A webhook sends events to another service. There is none yet.</p>
      )}
      <ul className="lines webhooks">
        {webhooks.data?.map((webhook) => (
          <WebhookLine key={webhook.id} webhook={webhook} open={(dialog) => setOpened({ dialog, webhook })} />
        ))}
      </ul>
      {opened?.dialog === "add" && <AddDialog onClose={close} />}
      {opened?.dialog === "rotate" && <RotateDialog webhook={opened.webhook} onClose={close} />}
      {opened?.dialog === "remove" && <RemoveDialog webhook={opened.webhook} onClose={close} />}
      {opened?.dialog === "deliveries" && <DeliveriesDialog webhook={opened.webhook} onClose={close} />}
    </section>
  );
}

interface LineProps {
  readonly webhook: WebhookRow;
  readonly open: (dialog: "rotate" | "remove" | "deliveries") => void;
}

function WebhookLine({ webhook: { id, url, events, createdAt, oldSecretUntil, last }, open }: LineProps) {
  const { showToast, showFailure } = useToasts();
  const test = useMutation({
    ...trpc.webhooks.test.mutationOptions(),
    onSuccess: () => showToast("A test is on its way."),
    onError: (error) => showFailure("Not sent.", error),
    onSettled: reload,
  });
  const actions = [
    ["deliveries", "Deliveries"],
    ["rotate", "New secret"],
    ["remove", "Remove"],
  ] as const;
  return (
    <li>
      <div>
        <p>{url}</p>
        <p className="quiet small">
          {events.map((event) => webhookEventWords[event]).join(", ")} · added <Age at={createdAt} ago />
          {oldSecretUntil !== null && oldSecretUntil > Date.now() && (
            <> · the old secret works until {exactTime(oldSecretUntil)}</>
          )}
        </p>
        <p className="quiet small">
          {last === null ? (
            "Nothing was delivered yet."
          ) : (
            <>
              Last delivery: <State delivery={last} />, <Age at={last.createdAt} ago />
            </>
          )}
        </p>
      </div>
      <button
        type="button"
        className="small-button"
        aria-label={`Send a test: ${hostOf(url)}`}
        disabled={test.isPending}
        onClick={() => test.mutate({ id })}
      >
        Send a test
      </button>
      {actions.map(([dialog, word]) => (
        <button
          key={dialog}
          type="button"
          className="small-button"
          aria-label={`${word}: ${hostOf(url)}`}
          onClick={() => open(dialog)}
        >
          {word}
        </button>
      ))}
    </li>
  );
}

interface DialogProps {
  readonly webhook: WebhookRow;
  readonly onClose: () => void;
}

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

const Secret = ({ title, secret, onClose }: SecretProps) => (
  <ShownOnce title={title} label="Secret" text={secret} onClose={onClose}>
    <p>The receiver verifies deliveries with it. Copy it now: it is shown only this once.</p>
  </ShownOnce>
);

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const add = useMutation({ ...trpc.webhooks.add.mutationOptions(), onSuccess: reload });
  if (add.data) return <Secret title="Secret of the webhook" secret={add.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      title="Add a webhook"
      word="Add webhook"
      call={add}
      onSubmit={(data) =>
        add.mutate({ url: textOf(data, "url").trim(), events: data.getAll("event") as WebhookEvent[] })
      }
      onClose={onClose}
    >
      <label>
        Address
        <input name="url" type="url" required maxLength={2048} autoFocus autoComplete="off" placeholder="https://" />
      </label>
      <fieldset>
        <legend>Events</legend>
        {webhookEvents.map((event) => (
          <label key={event} className="check">
            <input type="checkbox" name="event" value={event} defaultChecked />
            {webhookEventWords[event]}
          </label>
        ))}
      </fieldset>
      <p className="quiet small">The receiver gets names, addresses and letters. Resumes are not sent.</p>
    </FormDialog>
  );
}

function RotateDialog({ webhook, onClose }: DialogProps) {
  const rotate = useMutation({ ...trpc.webhooks.rotate.mutationOptions(), onSuccess: reload });
  if (rotate.data) return <Secret title="New secret of the webhook" secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Question
      title="Draw a new secret?"
      word="New secret"
      call={rotate}
      onYes={() => rotate.mutate({ id: webhook.id })}
      onClose={onClose}
    >
      <p>
        Deliveries to <strong>{hostOf(webhook.url)}</strong> are then signed with both secrets for 24 hours, so that the
        receiver has time to change over.
      </p>
    </Question>
  );
}

function RemoveDialog({ webhook, onClose }: DialogProps) {
  const { showToast } = useToasts();
  const remove = useMutation({
    ...trpc.webhooks.remove.mutationOptions(),
    onSuccess: () => {
      onClose();
      showToast("The webhook was removed.");
      return reload();
    },
  });
  return (
    <Question
      title="Remove this webhook?"
      word="Remove"
      danger
      call={remove}
      onYes={() => remove.mutate({ id: webhook.id })}
      onClose={onClose}
    >
      <p>
        <strong>{hostOf(webhook.url)}</strong> will receive no further events. Pending deliveries are discarded, and its
        log is deleted.
      </p>
    </Question>
  );
}

function DeliveriesDialog({ webhook, onClose }: DialogProps) {
  // Said in the dialog: what is said at the bottom of the page lies behind it, and no screen reader reads it there.
  const [said, setSaid] = useState({ text: "", bad: false });
  const says = {
    onError: (error: unknown) => setSaid({ text: `Not sent again. ${messageOf(error)}`, bad: true }),
    onSettled: reload,
  };
  const replay = useMutation({
    ...trpc.webhooks.replay.mutationOptions(),
    onSuccess: () => setSaid({ text: "The delivery is on its way.", bad: false }),
    ...says,
  });
  const replayFailed = useMutation({
    ...trpc.webhooks.replayFailed.mutationOptions(),
    onSuccess: ({ replayed }) =>
      setSaid({ text: `${plural(replayed, "delivery", "deliveries")} on the way.`, bad: false }),
    ...says,
  });
  return (
    <Modal title={`Deliveries to ${hostOf(webhook.url)}`} onClose={onClose} wide>
      <TableList
        label="Deliveries"
        queryKey={[...trpc.webhooks.deliveries.pathKey(), webhook.id]}
        load={(page, signal) => calls.webhooks.deliveries.query({ webhook: webhook.id, page }, { signal })}
        columns={["Event", "About", "State", ""]}
        keyOf={({ id }) => id}
        cells={(delivery) => [
          <>
            {deliveryEventWords[delivery.event]}
            <div className="quiet small">
              <Age at={delivery.createdAt} ago />
            </div>
          </>,
          <code title={delivery.id}>{delivery.reference ?? delivery.id}</code>,
          <State delivery={delivery} />,
          <button
            type="button"
            className="small-button"
            disabled={replay.isPending}
            aria-label={`Replay ${delivery.reference ?? delivery.id}`}
            onClick={() => replay.mutate({ id: delivery.id })}
          >
            Replay
          </button>,
        ]}
        empty={<Empty icon="check" title="No deliveries" text="What it is told is listed here for 90 days." />}
      />
      <div className="dialog-foot">
        <p className={said.bad ? "problem" : undefined} role="status">
          {said.text}
        </p>
        <button type="button" disabled={replayFailed.isPending} onClick={() => replayFailed.mutate({ id: webhook.id })}>
          Replay all failed
        </button>
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}

type Shown = Pick<DeliveryRow, "status" | "lastAnswer"> & Partial<Pick<DeliveryRow, "attempts" | "dueAt">>;

const State = ({ delivery: { status, attempts, dueAt = null, lastAnswer } }: { readonly delivery: Shown }) => (
  <>
    <Mark of="delivery" state={status} />{" "}
    <span className="quiet small">
      {lastAnswer !== null && lastAnswer + (attempts === undefined ? "" : `, ${plural(attempts, "try", "tries")}`)}
      {lastAnswer !== null && dueAt !== null && `, again ${exactTime(dueAt)}`}
    </span>
  </>
);
