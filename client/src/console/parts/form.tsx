// The forms of the console: fields under their names, one place for what is wrong with them, and selects of names.
import { createContext, use, useId, useState, type ComponentProps, type ReactNode } from "react";
import type { UseMutationResult } from "@tanstack/react-query";
import { messageOf } from "../calls.ts";
import { count, word } from "../words.ts";

/** Id of the place that says what is wrong. */
const ProblemContext = createContext<string | undefined>(undefined);

/** The text of a form's field; empty where there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

interface FormProps {
  /** The call that the form makes. */
  readonly call: Pick<UseMutationResult<unknown, unknown>, "error" | "isPending">;
  /** @param text reads a field */
  readonly onSubmit: (text: (name: string) => string, data: FormData) => void;
  /** The buttons. */
  readonly foot: ReactNode;
  readonly children: ReactNode;
}

export function Form({ call, onSubmit, foot, children }: FormProps) {
  const problem = useId();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        onSubmit((name) => textOf(data, name), data);
      }}
    >
      <ProblemContext value={problem}>{children}</ProblemContext>
      <p id={problem} className="problem" role="alert">
        {call.error !== null && messageOf(call.error)}
      </p>
      {foot}
    </form>
  );
}

interface FieldProps extends ComponentProps<"input"> {
  readonly label: string;
  readonly isOptional?: boolean;
  /** What is said of it below. */
  readonly rule?: string;
}

/** Of a day. Without it a year of five digits can be typed, which is no day to the browser's own clock. */
export const dayMax = "9999-12-31";

export function Field({ label, isOptional = false, rule, ...input }: FieldProps) {
  const id = useId();
  const problem = use(ProblemContext);
  return (
    <>
      <label>
        {label} {isOptional && <span className="quiet">(optional)</span>}
        <input
          autoComplete="off"
          aria-describedby={rule ? `${id} ${problem}` : problem}
          max={input.type === "date" ? dayMax : undefined}
          {...input}
        />
      </label>
      {rule && (
        <p id={id} className="quiet small">
          {rule}
        </p>
      )}
    </>
  );
}

/** A choice, under its name. */
export const Select = ({ label, ...select }: ComponentProps<"select"> & { readonly label: string }) => (
  <label>
    {label}
    <select {...select} />
  </label>
);

/** A text of several lines. It says when it is full: the browser cuts what is pasted beyond that. */
export function LongText({
  lengthMax = 10_000,
  ...area
}: ComponentProps<"textarea"> & { readonly lengthMax?: number }) {
  const [length, setLength] = useState(0);
  return (
    <>
      <textarea
        dir="auto"
        maxLength={lengthMax}
        onInput={({ currentTarget }) => setLength(currentTarget.value.length)}
        {...area}
      />
      {(typeof area.value === "string" ? area.value.length : length) >= lengthMax && (
        <span className="problem small" role="status">
          There is room for {count(lengthMax)} characters. What is beyond was cut off.
        </span>
      )}
    </>
  );
}

const passwordLengthMin = 12;

interface NewPasswordProps {
  readonly label: string;
  /** What is said behind the shortest length. */
  readonly advice: string;
  readonly isVisible?: boolean;
}

export const NewPassword = ({ label, advice, isVisible = false }: NewPasswordProps) => (
  <Field
    label={label}
    name="password"
    type={isVisible ? "text" : "password"}
    autoComplete="new-password"
    required
    minLength={passwordLengthMin}
    maxLength={256}
    rule={`At least ${passwordLengthMin} characters. ${advice}`}
  />
);

interface CheckProps extends Omit<ComponentProps<"input">, "onChange"> {
  readonly onChange?: (checked: boolean) => void;
}

export const Check = ({ onChange, children, ...input }: CheckProps) => (
  <label className="check">
    <input type="checkbox" {...input} onChange={onChange && (({ target }) => onChange(target.checked))} />
    {children}
  </label>
);

/** Names as options, each as a word. */
export const Options = ({ of }: { readonly of: readonly string[] }) =>
  of.map((name) => (
    <option key={name} value={name}>
      {word(name)}
    </option>
  ));

interface FilterSelectProps<Value extends string> {
  /** What is chosen; it stands in the place of a choice where there is none. */
  readonly label: string;
  readonly options: readonly (readonly [value: Value, text: string])[];
  /** It may stand in the address without being among the options. */
  readonly value: Value | undefined;
  readonly onChange: (value: Value | undefined) => void;
}

/** Narrows a list to what has one of these values, or to nothing. */
export const FilterSelect = <Value extends string>({ label, options, value, onChange }: FilterSelectProps<Value>) => (
  <select
    aria-label={label}
    value={value ?? ""}
    className={value && "set"}
    onChange={({ target }) => onChange(target.value === "" ? undefined : (target.value as Value))}
  >
    <option value="">{label}</option>
    {value !== undefined && options.every(([one]) => one !== value) && <option>{value}</option>}
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

/** Names of the service as options of a filter. */
export const asOptions = <Name extends string>(names: readonly Name[]) =>
  names.map((name) => [name, word(name)] as const);
