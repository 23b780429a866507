// Counts the delimiters of a multipart body as its bytes go by (RFC 2046 5.1.1), so that the reader can tell whether the
// parser handed over every part and whether the body was closed. It looks at nothing else.

/** Small pieces are gathered up to this size: chunked bodies may come byte by byte. */
const gatheredBytesMin = 4_096;

export class DelimiterCounter {
  readonly #delimiter: Buffer;
  // The last bytes seen: a delimiter may lie across pieces. It begins with the line end that the first delimiter of a
  // body without preamble lacks.
  #tail: Buffer = Buffer.from("\r\n");
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #parts = 0;
  #closed = false;

  /** @param contentType the request's header; without a boundary in it nothing useful is counted */
  constructor(contentType: string) {
    const [, quoted, plain] = /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
    this.#delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ""}`, "latin1");
  }

  /** Whether the closing delimiter has come. What follows it is epilogue and counts for nothing. */
  get closed(): boolean {
    this.#look();
    return this.#closed;
  }

  /** How many parts began. */
  get parts(): number {
    this.#look();
    return this.#parts;
  }

  /** How many parts are known to have begun; the last few thousand bytes may not have been looked at yet. */
  get partsAtLeast(): number {
    return this.#parts;
  }

  feed(piece: Buffer): void {
    this.#gathered.push(piece);
    this.#gatheredBytes += piece.length;
    if (this.#gatheredBytes >= gatheredBytesMin) this.#look();
  }

  #look(): void {
    if (this.#gatheredBytes === 0) return;
    const bytes = this.#gathered.length === 1 ? this.#gathered[0]! : Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    // A delimiter that begins in the tail ends within as many bytes as the tail holds at most. All others lie in the
    // bytes themselves, which are searched where they are, because copying all would cost as much as hashing them.
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, this.#tailMax)]);
    this.#count(seam, this.#tail.length);
    this.#count(bytes, bytes.length);
    const end = bytes.length >= this.#tailMax ? bytes : Buffer.concat([this.#tail, bytes]);
    this.#tail = Buffer.from(end.subarray(-this.#tailMax));
  }

  // Two hyphens after a delimiter close the body; a delimiter is counted once the bytes that tell are there.
  get #tailMax(): number {
    return this.#delimiter.length + 1;
  }

  /** Counts the delimiters that begin before `limit`. */
  #count(bytes: Buffer, limit: number): void {
    const { length } = this.#delimiter;
    let at = bytes.indexOf(this.#delimiter);
    while (!this.#closed && at >= 0 && at < limit && at + length + 2 <= bytes.length) {
      if (bytes[at + length] === 0x2d && bytes[at + length + 1] === 0x2d) this.#closed = true;
      else this.#parts += 1;
      at = bytes.indexOf(this.#delimiter, at + length);
    }
  }
}
