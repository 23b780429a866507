// What the client uses of XMLHttpRequest, for Node has none. What browsers really do is tried in one.
import { request, type ClientRequest } from "node:http";
import { buffer } from "node:stream/consumers";

export class XhrStandIn extends EventTarget {
  static made = 0;

  readonly upload = new EventTarget();
  status = 0;
  responseText = "";
  readonly #headers: Record<string, string> = {};
  #request: ClientRequest | undefined;
  #answered = new Headers();
  #url = "";
  #over = false;

  constructor() {
    super();
    XhrStandIn.made += 1;
  }

  open(_method: "POST", url: string): void {
    this.#url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  send(body: FormData): void {
    void this.#exchange(body).then(
      () => this.#end("load"),
      () => this.#end("error"),
    );
  }

  abort(): void {
    this.#request?.destroy();
    this.#end("abort");
  }

  async #exchange(form: FormData): Promise<void> {
    const encoded = new Response(form);
    const bytes = Buffer.from(await encoded.arrayBuffer());
    const headers = { ...this.#headers, "content-type": encoded.headers.get("content-type")! };
    const sending = request(this.#url, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-length": bytes.length },
    });
    this.#request = sending;
    const answer = new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
      sending.on("error", reject).on("response", (response) => {
        const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const whole = buffer(response).then((text) => ({
          status: response.statusCode ?? 0,
          headers: new Headers(pairs),
          text: text.toString(),
        }));
        whole.then(resolve, reject);
      });
    });
    this.#write(sending, bytes);
    const { status, headers: answered, text } = await answer;
    this.status = status;
    this.#answered = answered;
    this.responseText = text;
  }

  /** In pieces, each reported when it is sent. Failures reject the promise of the answer. */
  #write(sending: ClientRequest, bytes: Buffer, start = 0): void {
    if (start >= bytes.length) return void sending.end();
    const end = Math.min(start + Math.ceil(bytes.length / 4), bytes.length);
    sending.write(bytes.subarray(start, end), (error) => {
      if (error) return;
      const progress = { lengthComputable: true, loaded: end, total: bytes.length };
      this.upload.dispatchEvent(Object.assign(new Event("progress"), progress));
      this.#write(sending, bytes, end);
    });
  }

  #end(how: "load" | "error" | "abort"): void {
    if (this.#over) return;
    this.#over = true;
    this.dispatchEvent(new Event(how));
    this.dispatchEvent(new Event("loadend"));
  }
}
