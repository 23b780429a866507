// Runs the command line: in this process, which is fast, or as its users do, for what only a process can show.
import { Writable } from "node:stream";
import { runCommandLine } from "../../../server/src/commands/program.ts";
import { finish, type Finished, start } from "../program.ts";

export class Kept extends Writable {
  readonly #pieces: Buffer[] = [];

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/**
 * Runs a command in this process.
 *
 * @param environment all of its settings. Libraries that read the process's own environment (PGPASSWORD, AWS_…) do not see
 *   it: {@link spawnCommand} is for them.
 * @param terminal what its output is
 */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): Promise<Finished> {
  const [output, messages] = [Object.assign(new Kept(), terminal), new Kept()];
  const code = await runCommandLine(words, { environment, output, messages });
  const { bytes } = output;
  return { code, bytes, stdout: bytes.toString(), stderr: messages.bytes.toString() };
}

export const spawnCommand = (
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> => finish(start("submissions.ts", words, environment));
