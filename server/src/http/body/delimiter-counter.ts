// Counts the delimiters of a multipart body (RFC 2046 5.1.1): whether the parser handed over every part, and its end came.
import { Fault } from "../../fault.ts";

/** RFC 2046 5.1.1. Searching for a delimiter of thousands of bytes takes that many times the work. */
const boundaryLengthMax = 70;

/** White space behind a delimiter. A line of a mail has 998 bytes; more would be gathered for nothing. */
const paddingMax = 1_000;

const [hyphen, carriageReturn] = [0x2d, 0x0d];
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;
const nothing: Buffer = Buffer.alloc(0);

export class DelimiterCounter {
  readonly #delimiter: Buffer;
  readonly #partsMax: number;
  // What may be the beginning of a delimiter and its line. The first delimiter of a body without preamble lacks the line end.
  #held: Buffer = Buffer.from("\r\n");
  parts = 0;
  /** Whether the closing delimiter has come. What follows it is epilogue and counts for nothing. */
  closed = false;

  /** @param partsMax one more is counted; then the search ends. @throws Fault `bodyMalformed`, `boundaryMissing` */
  constructor(contentType: string, partsMax = Infinity) {
    const [, quoted, plain] = /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
    const boundary = quoted ?? plain ?? "";
    if (boundary === "") throw new Fault("boundaryMissing");
    if (boundary.length > boundaryLengthMax) throw new Fault("bodyMalformed");
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#partsMax = partsMax;
  }

  /**
   * Answers what the parser is to get, which may lag behind by a delimiter: gateways may add white space to its line, and the
   * parser would take that for a header. What a body that is not closed ends with is never handed over.
   */
  feed(piece: Buffer): Buffer {
    let bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    this.#held = nothing;
    const { length } = this.#delimiter;
    let at = bytes.indexOf(this.#delimiter);
    while (!this.closed && this.parts <= this.#partsMax && at >= 0) {
      const end = at + length;
      let next = end;
      while (next - end < paddingMax && isBlank(bytes[next])) next += 1;
      // The two bytes that end the line, or close the body, are not there.
      if (next + 2 > bytes.length) return this.#hold(bytes, at);
      if (bytes[end] === hyphen && bytes[end + 1] === hyphen) this.closed = true;
      else this.parts += 1;
      if (next > end && bytes[next] === carriageReturn) {
        bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(next)]);
      }
      at = bytes.indexOf(this.#delimiter, end);
    }
    const begin = this.closed ? -1 : bytes.lastIndexOf(carriageReturn);
    const isBegun = begin >= 0 && this.#delimiter.indexOf(bytes.subarray(begin)) === 0;
    return isBegun ? this.#hold(bytes, begin) : bytes;
  }

  #hold(bytes: Buffer, from: number): Buffer {
    this.#held = bytes.subarray(from);
    return bytes.subarray(0, from);
  }
}
