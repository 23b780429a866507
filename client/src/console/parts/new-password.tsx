// The field for a new password.
import { useId } from "react";

const lengthMin = 12;

interface Props {
  readonly label: string;
  /** What is said behind the shortest length. */
  readonly advice: string;
  /** Id of the place where its error stands. */
  readonly problemId: string;
  readonly visible?: boolean;
}

export function NewPassword({ label, advice, problemId, visible = false }: Props) {
  const rule = useId();
  return (
    <>
      <label>
        {label}
        <input
          name="password"
          type={visible ? "text" : "password"}
          autoComplete="new-password"
          required
          minLength={lengthMin}
          maxLength={256}
          aria-describedby={`${rule} ${problemId}`}
        />
      </label>
      <p id={rule} className="quiet small">
        At least {lengthMin} characters. {advice}
      </p>
    </>
  );
}
