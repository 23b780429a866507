// Measures how work grows with the size of an input. No absolute time counts: the work is timed in turn on an input of
// one size and of twice that size, several times, and the best of each are compared, because noise only adds.

/** Twice the size may take a little more than twice the work: larger inputs fit the processor's caches less well. */
export const growthMax = 2.2;

const timesEach = 5;
/** On a busy machine few rounds run undisturbed. Work that grows too fast does so in all of them. */
const roundsMax = 20;
/** What takes less than this for the larger input is too little to grow into anything. */
const negligibleMs = 0.3;

/** How many times as much work an input of twice the size is; 0 when both are next to none. */
export async function growthOf<Input>(
  make: (size: number) => Input,
  size: number,
  work: (input: Input) => unknown,
): Promise<number> {
  const [small, large] = [make(size), make(2 * size)];
  let growth = Infinity;
  for (let round = 0; round < roundsMax && growth > growthMax; round += 1) {
    let [ofSmall, ofLarge] = [Infinity, Infinity];
    for (let time = 0; time < timesEach; time += 1) {
      ofSmall = Math.min(ofSmall, await msOf(work, small));
      ofLarge = Math.min(ofLarge, await msOf(work, large));
    }
    growth = ofLarge < negligibleMs ? 0 : Math.min(growth, ofLarge / ofSmall);
  }
  return growth;
}

async function msOf<Input>(work: (input: Input) => unknown, input: Input): Promise<number> {
  const begun = performance.now();
  await work(input);
  return performance.now() - begun;
}
