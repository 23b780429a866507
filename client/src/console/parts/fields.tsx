// Choosing one of the service's names.
import type { ReactNode } from "react";
import { word } from "../words.ts";

/** Names as options, each as a word. */
export const Options = ({ of }: { readonly of: readonly string[] }) =>
  of.map((name) => (
    <option key={name} value={name}>
      {word(name)}
    </option>
  ));

interface FilterSelectProps<Name extends string> {
  /** What is chosen; it stands in the place of a choice where there is none. */
  readonly label: string;
  readonly names?: readonly Name[];
  readonly value: Name | undefined;
  readonly onChange: (value: Name | undefined) => void;
  /** Other options than names. */
  readonly children?: ReactNode;
}

/** Narrows a list to what has one of these names, or to nothing. */
export const FilterSelect = <Name extends string>({
  label,
  names = [],
  value,
  onChange,
  children,
}: FilterSelectProps<Name>) => (
  <select
    aria-label={label}
    value={value ?? ""}
    className={value && "set"}
    onChange={({ target }) => onChange(target.value === "" ? undefined : (target.value as Name))}
  >
    <option value="">{label}</option>
    <Options of={names} />
    {children}
  </select>
);
