// The type of the console's router, written by hand, so that the client imports no server code. A type test of the
// server holds the two equal. Types only.
import type {
  AuditRow,
  DeliveryRow,
  InboxCounts,
  InboxFilter,
  InboxRow,
  MailRow,
  Matching,
  Me,
  Neighbours,
  Note,
  OperatorRow,
  Overview,
  Page,
  PageRequest,
  Person,
  Role,
  SubmissionDetail,
  SubmissionKind,
  SubscriberFilter,
  SubscriberRow,
  TokenRow,
  TriageOutcome,
  TriageRequest,
  WebhookEvent,
  WebhookRow,
} from "@submissions/shared/console";
import type {
  TRPCBuiltRouter,
  TRPCDecorateCreateRouterOptions,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from "@trpc/server";
import type { ErrorShape } from "../router.ts";

interface Types {
  ctx: object;
  meta: object;
  errorShape: ErrorShape;
  transformer: false;
}

interface Procedure<Input, Output> {
  input: Input;
  output: Output;
  meta: object;
  errorShape: ErrorShape;
}
type Query<Input, Output> = TRPCQueryProcedure<Procedure<Input, Output>>;
type Mutation<Input, Output> = TRPCMutationProcedure<Procedure<Input, Output>>;

/** The router below `/console/trpc`. */
export type ConsoleRouter = TRPCBuiltRouter<
  Types,
  TRPCDecorateCreateRouterOptions<{
    session: {
      me: Query<void, Me | null>;
      methods: Query<void, { readonly password: true; readonly oidc: boolean }>;
      signIn: Mutation<{ email: string; password: string }, Me>;
      /** Ends all other sessions. */
      changePassword: Mutation<{ current: string; password: string }, null>;
      signOut: Mutation<void, null>;
      signOutEverywhere: Mutation<void, null>;
      acceptInvitation: Mutation<{ token: string; password: string }, Me>;
    };
    inbox: {
      list: Query<{ filter: InboxFilter; page: PageRequest }, Page<InboxRow>>;
      matching: Query<{ filter: InboxFilter }, Matching>;
      counts: Query<void, InboxCounts>;
      since: Query<{ arrival: number }, { readonly latest: number; readonly added: number }>;
      triage: Mutation<TriageRequest, readonly TriageOutcome[]>;
      assignees: Query<{ kinds: SubmissionKind[] } | undefined, readonly string[]>;
    };
    submission: {
      get: Query<{ reference: string }, SubmissionDetail>;
      neighbours: Query<{ reference: string; filter: InboxFilter }, Neighbours>;
      addNote: Mutation<{ reference: string; text: string }, Note>;
      release: Mutation<{ reference: string }, null>;
      sendAgain: Mutation<{ mailId: string }, null>;
    };
    people: {
      get: Query<{ email: string }, Person>;
      erase: Mutation<
        { email: string },
        { readonly submissions: number; readonly subscriptions: number; readonly resumes: number }
      >;
    };
    subscribers: {
      list: Query<{ filter: SubscriberFilter; page: PageRequest }, Page<SubscriberRow>>;
      growth: Query<void, readonly { readonly day: string; readonly active: number }[]>;
    };
    mails: {
      list: Query<{ status?: MailRow["status"] | undefined; page: PageRequest }, Page<MailRow>>;
      retry: Mutation<{ id: string }, null>;
    };
    overview: { get: Query<void, Overview> };
    audit: { list: Query<{ page: PageRequest }, Page<AuditRow>> };
    operators: {
      list: Query<void, readonly OperatorRow[]>;
      /** The link is shown once. */
      invite: Mutation<{ email: string; role: Role }, { readonly link: string }>;
      remove: Mutation<{ email: string }, null>;
      setRole: Mutation<{ email: string; role: Role }, null>;
    };
    tokens: {
      list: Query<void, readonly TokenRow[]>;
      /** The token is shown once. */
      create: Mutation<{ name: string; role: Role; expiresAt: number | null }, { readonly token: string }>;
      revoke: Mutation<{ id: number }, null>;
    };
    webhooks: {
      list: Query<void, readonly WebhookRow[]>;
      /** The secret is shown once. */
      add: Mutation<{ url: string; events: WebhookEvent[] }, { readonly secret: string }>;
      remove: Mutation<{ id: number }, null>;
      rotate: Mutation<{ id: number }, { readonly secret: string }>;
      /** Of one webhook, or of all. */
      deliveries: Query<{ webhook: number | null; page: PageRequest }, Page<DeliveryRow>>;
      replay: Mutation<{ id: string }, null>;
      replayFailed: Mutation<{ id: number }, { readonly replayed: number }>;
    };
  }>
>;
