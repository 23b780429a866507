// Counts the delimiters of a multipart body (RFC 2046 5.1.1): whether the parser handed over every part, and its end came.
import { Fault } from "../../fault.ts";

/** RFC 2046 5.1.1. Searching for a delimiter of thousands of bytes takes that many times the work. */
const boundaryLengthMax = 70;

export class DelimiterCounter {
  readonly #delimiter: Buffer;
  readonly #partsMax: number;
  // The last bytes seen: a delimiter may lie across pieces. The first delimiter of a body without preamble lacks the line end.
  #tail: Buffer = Buffer.from("\r\n");
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

  feed(piece: Buffer): void {
    // A delimiter that begins in the tail ends within the seam. The piece is searched where it is: copying costs much.
    const seam = Buffer.concat([this.#tail, piece.subarray(0, this.#tailMax)]);
    this.#count(seam, this.#tail.length);
    this.#count(piece, piece.length);
    const end = piece.length >= this.#tailMax ? piece : Buffer.concat([this.#tail, piece]);
    this.#tail = Buffer.from(end.subarray(-this.#tailMax));
  }

  // Two hyphens after a delimiter close the body; a delimiter is counted once these two bytes are there.
  get #tailMax(): number {
    return this.#delimiter.length + 1;
  }

  /** Counts the delimiters that begin before `limit`. */
  #count(bytes: Buffer, limit: number): void {
    const { length } = this.#delimiter;
    let at = bytes.indexOf(this.#delimiter);
    while (!this.closed && this.parts <= this.#partsMax && at >= 0 && at < limit && at + length + 2 <= bytes.length) {
      if (bytes[at + length] === 0x2d && bytes[at + length + 1] === 0x2d) this.closed = true;
      else this.parts += 1;
      at = bytes.indexOf(this.#delimiter, at + length);
    }
  }
}
