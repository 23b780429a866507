// Webhooks: add, renew the secret, remove, and the log of deliveries. A secret is shown once.
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  webhookEvents,
  type DeliveredEvent,
  type DeliveryRow,
  type WebhookEvent,
  type WebhookRow,
} from "@submissions/shared/console";
import { kinds, submissionKinds, type SubmissionKind } from "@submissions/shared/kinds";
import { calls, messageOf, queryClient, trpc } from "../calls.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { DialogButton, FormButton, ShownOnce, useChange } from "../parts/dialogs.tsx";
import { Check, Field } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { Age, Empty, Mark } from "../parts/states.tsx";
import { exactTime, plural } from "../words.ts";
import { TableList } from "../parts/table-list.tsx";

/** The words for the events of all kinds. */
const ofKinds = (word: "label" | "plural") =>
  Object.fromEntries(submissionKinds.map((kind) => [`${kind}.received`, kinds[kind].words.en[word]])) as Readonly<
    Record<`${SubmissionKind}.received`, string>
  >;

const eventWords: Readonly<Record<WebhookEvent, string>> = {
  ...ofKinds("plural"),
  "answer.received": "Answers",
  "subscriber.confirmed": "Confirmed subscribers",
  "subscriber.unsubscribed": "Subscribers who left",
  "submission.changed": "Changes of submissions",
  "person.erased": "Erased persons",
};

/** What one delivery tells of. */
const deliveryWords: Readonly<Record<DeliveredEvent, string>> = {
  ...ofKinds("label"),
  "answer.received": "Answer",
  "subscriber.confirmed": "Confirmed subscriber",
  "subscriber.unsubscribed": "Subscriber who left",
  "submission.changed": "Change of a submission",
  "person.erased": "Erased person",
  "webhook.test": "Test",
};

const reads = [trpc.webhooks];

export const Webhooks = () => (
  <Box title="Webhooks" button={<AddWebhook />}>
    <Lines
      of={useQuery(trpc.webhooks.list.queryOptions())}
      empty="A webhook sends events to another service. There is none yet."
    >
      {(webhook) => <WebhookLine key={webhook.id} webhook={webhook} />}
    </Lines>
  </Box>
);

function WebhookLine({ webhook }: { readonly webhook: WebhookRow }) {
  const { id, url, events, createdAt, oldSecretUntil, last } = webhook;
  const host = URL.parse(url)?.host ?? url;
  const test = useChange(trpc.webhooks.test, { said: "A test is on its way.", failed: "Not sent.", reads });
  return (
    <Line
      title={url}
      about={
        <>
          <p>
            {events.map((event) => eventWords[event]).join(", ")} · added <Age at={createdAt} ago />
            {oldSecretUntil !== null &&
              oldSecretUntil > Date.now() &&
              ` · the old secret works until ${exactTime(oldSecretUntil)}`}
          </p>
          {last === null ? (
            "Nothing was delivered yet."
          ) : (
            <p>
              Last delivery: <State delivery={last} />, <Age at={last.createdAt} ago />
            </p>
          )}
        </>
      }
    >
      <button
        className="small-button"
        aria-label={`Send a test: ${host}`}
        disabled={test.isPending}
        onClick={() => test.mutate({ id })}
      >
        Send a test
      </button>
      <DialogButton word="Deliveries" className="small-button" aria-label={`Deliveries: ${host}`}>
        {(close) => <DeliveriesDialog id={id} host={host} onClose={close} />}
      </DialogButton>
      <FormButton
        word="New secret"
        label={`New secret: ${host}`}
        title="Draw a new secret?"
        asks="primary"
        procedure={trpc.webhooks.rotate}
        input={() => ({ id })}
        reads={reads}
        result={secretTitled("New secret of the webhook")}
      >
        <p>
          Deliveries to <strong>{host}</strong> are then signed with both secrets for 24 hours, so that the receiver has
          time to change over.
        </p>
      </FormButton>
      <FormButton
        word="Remove"
        label={`Remove: ${host}`}
        title="Remove this webhook?"
        asks="danger solid"
        procedure={trpc.webhooks.remove}
        input={() => ({ id })}
        said="The webhook was removed."
        reads={reads}
      >
        <p>
          <strong>{host}</strong> will receive no further events. Pending deliveries are discarded, and its log is
          deleted.
        </p>
      </FormButton>
    </Line>
  );
}

/** The dialog that shows a secret, after the call that made it. */
const secretTitled =
  (title: string) =>
  ({ secret }: { readonly secret: string }, _input: unknown, close: () => void) => (
    <ShownOnce title={title} label="Secret" text={secret} onClose={close}>
      <p>The receiver verifies deliveries with it. Copy it now: it is shown only this once.</p>
    </ShownOnce>
  );

const AddWebhook = () => (
  <FormButton
    word="Add webhook"
    title="Add a webhook"
    procedure={trpc.webhooks.add}
    input={(text, data) => ({ url: text("url").trim(), events: data.getAll("event") as WebhookEvent[] })}
    reads={reads}
    result={secretTitled("Secret of the webhook")}
  >
    <Field label="Address" name="url" type="url" required maxLength={2048} autoFocus placeholder="https://" />
    <fieldset>
      <legend>Events</legend>
      {webhookEvents.map((event) => (
        <Check key={event} name="event" value={event} defaultChecked>
          {eventWords[event]}
        </Check>
      ))}
    </fieldset>
    <p className="quiet small">The receiver gets names, addresses and letters. Resumes are not sent.</p>
  </FormButton>
);

interface DeliveriesProps {
  readonly id: number;
  readonly host: string;
  readonly onClose: () => void;
}

function DeliveriesDialog({ id, host, onClose }: DeliveriesProps) {
  // Said in the dialog: what is said at the bottom of the page lies behind it, and no screen reader reads it there.
  const replay = useMutation({
    mutationFn: async (delivery: string | null) => {
      if (delivery === null) {
        const { replayed } = await calls.webhooks.replayFailed.mutate({ id });
        return `${plural(replayed, "delivery", "deliveries")} on the way.`;
      }
      await calls.webhooks.replay.mutate({ id: delivery });
      return "The delivery is on its way.";
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() }),
  });
  return (
    <Modal title={`Deliveries to ${host}`} onClose={onClose} wide>
      <TableList
        label="Deliveries"
        queryKey={[...trpc.webhooks.deliveries.pathKey(), id]}
        load={(page, signal) => calls.webhooks.deliveries.query({ webhook: id, page }, { signal })}
        columns={["Event", "About", "State", ""]}
        keyOf={(delivery) => delivery.id}
        cells={(delivery) => [
          <>
            {deliveryWords[delivery.event]}
            <div className="quiet small">
              <Age at={delivery.createdAt} ago />
            </div>
          </>,
          <code className={delivery.reference ? "reference" : undefined} title={delivery.id}>
            {delivery.reference ?? delivery.id}
          </code>,
          <State delivery={delivery} />,
          <button
            className="small-button"
            disabled={replay.isPending}
            aria-label={`Replay ${delivery.reference ?? delivery.id}`}
            onClick={() => replay.mutate(delivery.id)}
          >
            Replay
          </button>,
        ]}
        empty={<Empty icon="check" title="No deliveries" text="What it is told is listed here for 90 days." />}
      />
      <div className="dialog-foot">
        <p className={replay.isError ? "problem" : undefined} role="status">
          {replay.isError ? `Not sent again. ${messageOf(replay.error)}` : replay.data}
        </p>
        <button disabled={replay.isPending} onClick={() => replay.mutate(null)}>
          Replay all failed
        </button>
        <button className="primary" onClick={onClose}>
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
