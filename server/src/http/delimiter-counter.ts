// Counts the delimiters of a multipart body as its bytes go by (RFC 2046 5.1.1), so that the reader can tell whether the
// parser handed over every part and whether the body was closed. It looks at nothing else.

export class DelimiterCounter {
  readonly #delimiter: Buffer;
  // The last bytes seen: a delimiter may lie across chunks. It begins with the line end that the first delimiter of a
  // body without preamble lacks.
  #tail: Buffer = Buffer.from("\r\n");
  #parts = 0;
  #closed = false;

  /** @param contentType the request's header; without a boundary in it nothing useful is counted */
  constructor(contentType: string) {
    const [, quoted, plain] = /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
    this.#delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ""}`, "latin1");
  }

  /** Whether the closing delimiter has come. What follows it is epilogue and counts for nothing. */
  get closed(): boolean {
    return this.#closed;
  }

  /** How many parts began. */
  get parts(): number {
    return this.#parts;
  }

  feed(chunk: Buffer): void {
    if (this.#closed) return;
    const { length } = this.#delimiter;
    const bytes = Buffer.concat([this.#tail, chunk]);
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(this.#delimiter, from);
      if (at < 0) break;
      // Two hyphens after a delimiter close the body; until they have come or not, nothing is known.
      if (at + length + 2 > bytes.length) return this.#keep(bytes, at);
      if (bytes[at + length] === 0x2d && bytes[at + length + 1] === 0x2d) {
        this.#closed = true;
        return;
      }
      this.#parts += 1;
      from = at + length;
    }
    this.#keep(bytes, Math.max(from, bytes.length - length + 1));
  }

  // A copy, so that the chunk itself can be freed.
  #keep(bytes: Buffer, from: number): void {
    this.#tail = Buffer.from(bytes.subarray(from));
  }
}
