// Choosing one of the service's names.
import { word } from "../words.ts";

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
