// The forms of the console: fields under their names, and one place for what is wrong with them.
import { createContext, use, useId, type ComponentProps, type ReactNode } from "react";
import { messageOf } from "../calls.ts";

/** The call that a form or a dialog makes. */
interface Call {
  readonly error: unknown;
  readonly isPending: boolean;
}

/** Id of the place that says what is wrong. */
const ProblemContext = createContext<string | undefined>(undefined);

/** The text of a form's field; empty where there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

interface FormProps {
  readonly call: Call;
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

export function Field({ label, isOptional = false, rule, ...input }: FieldProps) {
  const id = useId();
  const problem = use(ProblemContext);
  return (
    <>
      <label>
        {label} {isOptional && <span className="quiet">(optional)</span>}
        <input autoComplete="off" aria-describedby={rule ? `${id} ${problem}` : problem} {...input} />
      </label>
      {rule && (
        <p id={id} className="quiet small">
          {rule}
        </p>
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
