// Random choices that a seed repeats. The same seed and number make the same request, however many run at once.

export interface Random {
  /** 0 to below `below`. */
  int(below: number): number;
  /** Whether something happens that happens once in `times`. */
  oneIn(times: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32 over a seed and a number. */
export function randomOf(seed: number, number: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, oneIn: (times) => int(times) === 0, pick: (choices) => choices[int(choices.length)]! };
}
