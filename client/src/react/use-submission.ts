// A hook for forms with inputs of their own: values, problems of fields, sending, progress, receipt.
import {
  SubmissionError,
  type ApplicationOptions,
  type CallOptions,
  type SubmissionsClient,
} from "@submissions/client";
import { useRef, useState, type ChangeEvent } from "react";
import { SubmissionKey } from "../forms/submission-key.ts";

type Groups = keyof SubmissionsClient;

/** The submissions, by the paths of the client's methods: `marketplace.inquiry`. */
export type SubmissionName = { [Group in Groups]: `${Group}.${keyof SubmissionsClient[Group] & string}` }[Groups];

/** Each method of the client by its path. */
type Methods = {
  readonly [Name in SubmissionName]: Name extends `${infer Group extends Groups}.${infer Method}`
    ? SubmissionsClient[Group][Method & keyof SubmissionsClient[Group]]
    : never;
};
/** A form is for those who use no hook. */
type Input<Name extends SubmissionName> = Exclude<Parameters<Methods[Name]>[0], FormData>;
type Receipt<Name extends SubmissionName> = Awaited<ReturnType<Methods[Name]>>;

/** A schema of the Standard Schema interface: those of `@submissions/shared`, for example. */
interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

interface StandardResult {
  readonly issues?:
    | readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[]
    | undefined;
}

/** Options of {@link useSubmission}. */
export interface SubmissionOptions<Name extends SubmissionName> extends Pick<
  CallOptions,
  "consent" | "further" | "language" | "altcha"
> {
  readonly client: SubmissionsClient;
  /** Checks the values before they are sent. Without it the service alone does. */
  readonly schema?: StandardSchema | undefined;
  /** What the fields hold at first, and after `reset`. */
  readonly defaultValues?: Partial<Input<Name>> | undefined;
}

/** The first problem of each field: found by the schema, or by the service. The shape that react-hook-form takes as `errors`. */
export type FieldErrors<Name extends SubmissionName> = {
  readonly [Field in keyof Input<Name>]?: { readonly type: "schema" | "server"; readonly message: string };
};

/** A submission: its values, its problems and its state. */
export interface Submission<Name extends SubmissionName> {
  readonly values: Partial<Input<Name>>;
  readonly set: (values: Partial<Input<Name>>) => void;
  /** Props for an input, a text area or a file input. */
  readonly field: (name: keyof Input<Name> & string) => {
    readonly name: string;
    readonly value?: string;
    readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
    readonly "aria-invalid": boolean;
  };
  readonly errors: FieldErrors<Name>;
  /** Why the submission was refused, safe to show; undefined when the problems are those of fields. */
  readonly message: string | undefined;
  readonly status: "idle" | "sending" | "accepted" | "refused";
  /** How much of an application is uploaded, in percent; undefined where that is unknown. */
  readonly progress: number | undefined;
  readonly receipt: Receipt<Name> | undefined;
  /**
   * Sends the values, or the given ones: undefined when there is no receipt. Rejects only with a mistake of the program, for
   * example a schema that throws.
   */
  readonly submit: (values?: Input<Name>) => Promise<Receipt<Name> | undefined>;
  /** Begins anew with the default values. The same content sent again is another submission then. */
  readonly reset: () => void;
  /** Stops sending. Whether the submission arrived is unknown; the same content sent again has the same key. */
  readonly cancel: () => void;
}

type State<Name extends SubmissionName> = Pick<
  Submission<Name>,
  "values" | "errors" | "message" | "status" | "progress" | "receipt"
>;

/** Until there is an answer. */
const unanswered = { message: undefined, progress: undefined, receipt: undefined };

/**
 * A submission with inputs of one's own. Equal content has one idempotency key until `reset`, so a double click or
 * another try cannot submit it twice.
 *
 * @example
 * ```tsx
 * const { field, errors, status, submit } = useSubmission("newsletter.subscribe", { client: submissions });
 *
 * <form
 *   onSubmit={(event) => {
 *     event.preventDefault();
 *     void submit();
 *   }}
 * >
 *   <input type="email" {...field("email")} /> {errors.email?.message}
 *   <button disabled={status === "sending"}>Subscribe</button>
 * </form>;
 * ```
 */
export function useSubmission<Name extends SubmissionName>(
  name: Name,
  { client, schema, defaultValues = {}, consent, further, language, altcha }: SubmissionOptions<Name>,
): Submission<Name> {
  const initial: State<Name> = { ...unanswered, values: defaultValues, errors: {}, status: "idle" };
  const [state, setState] = useState(initial);
  const key = useRef<SubmissionKey>(undefined);
  const sending = useRef<AbortController>(undefined);
  const change = (changes: Partial<State<Name>>) => setState((before) => ({ ...before, ...changes }));

  const set = (values: Partial<Input<Name>>) =>
    setState((before) => {
      const errors = Object.fromEntries(Object.entries(before.errors).filter(([field]) => !(field in values)));
      return { ...before, values: { ...before.values, ...values }, errors: errors as FieldErrors<Name> };
    });

  const submit = async (given?: Input<Name>): Promise<Receipt<Name> | undefined> => {
    if (sending.current) return undefined;
    const values = given ?? (state.values as Input<Name>);
    const controller = new AbortController();
    sending.current = controller;
    change({ ...unanswered, values, errors: {}, status: "sending" });
    try {
      const { issues } = (await schema?.["~standard"].validate(values)) ?? {};
      if (issues?.length) {
        change({ status: "refused", errors: errorsOf(issues, "schema") });
        return undefined;
      }
      key.current ??= new SubmissionKey();
      const receipt = await send(client, name, values, {
        signal: controller.signal,
        consent,
        further,
        language,
        altcha,
        idempotencyKey: key.current.of([...Object.entries(values), ...Object.entries(further ?? {})]),
        onUploadProgress: ({ loaded, total }) => change({ progress: total > 0 ? (100 * loaded) / total : 0 }),
      });
      change({ status: "accepted", receipt });
      return receipt;
    } catch (error) {
      if (controller.signal.aborted) change({ status: "idle" });
      else if (error instanceof SubmissionError) {
        // No form has a field for proofs of work, and what is said of them is for programmers.
        const issues = error.issues.filter(({ path }) => path[0] !== "altcha");
        change({
          status: "refused",
          errors: errorsOf(issues, "server"),
          message: issues.length > 0 ? undefined : error.message,
        });
      } else {
        change({ status: "refused" });
        throw error;
      }
      return undefined;
    } finally {
      sending.current = undefined;
    }
  };

  return {
    ...state,
    set,
    submit,
    reset: () => {
      key.current?.spend();
      setState(initial);
    },
    cancel: () => sending.current?.abort(),
    field: (field) => ({
      name: field,
      ...(field !== "resumeFile" && textOf(state.values[field])),
      onChange: ({ target }) => {
        const file = target.type === "file" ? (target as HTMLInputElement).files?.[0] : undefined;
        set({ [field]: target.type === "file" ? file : target.value } as Partial<Input<Name>>);
      },
      "aria-invalid": state.errors[field] !== undefined,
    }),
  };
}

// A list has no text, and React cannot set the value of a file input.
const textOf = (value: unknown): { readonly value?: string } =>
  typeof value === "object" && value !== null ? {} : { value: typeof value === "string" ? value : "" };

function send<Name extends SubmissionName>(
  client: SubmissionsClient,
  name: Name,
  values: Input<Name>,
  options: ApplicationOptions,
): Promise<Receipt<Name>> {
  const [group, method] = name.split(".") as [string, string];
  // The type of the name says that there is this method. A method without uploads ignores the options of one.
  const methods = client as unknown as Readonly<Record<string, Readonly<Record<string, Call<Name>>>>>;
  return methods[group]![method]!(values, options);
}

type Call<Name extends SubmissionName> = (values: Input<Name>, options: ApplicationOptions) => Promise<Receipt<Name>>;

function errorsOf<Name extends SubmissionName>(
  issues: NonNullable<StandardResult["issues"]>,
  type: "schema" | "server",
): FieldErrors<Name> {
  // The first problem of a field stays.
  const entries = issues.toReversed().map(({ path: [field] = [], message }) => {
    const name = typeof field === "object" ? field.key : field;
    return [name, { type, message }];
  });
  return Object.fromEntries(entries) as FieldErrors<Name>;
}
