// How much memory 128 uploads of 5 MB at once take over that of the idle service.
import { startEntrant } from "../entrants.ts";
import type { Means } from "../compare.ts";
import { forgetPeak, usedBy } from "../used.ts";

const uploads = 128;

export async function measureUploadsAtOnce({ ground, generator, roundMs }: Means): Promise<number> {
  const service = await startEntrant(ground, "service");
  const send = (clients: number) =>
    generator.run({ urls: [service.url], kind: "upload of 5 MB", clients, ms: roundMs });
  // What is loaded with the first upload stays.
  await send(1);
  const idleMb = usedBy(service.pid).residentMb;
  forgetPeak(service.pid);
  await send(uploads);
  const { peakMb } = usedBy(service.pid);
  await service.kill();
  return peakMb - idleMb;
}
