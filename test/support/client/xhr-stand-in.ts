// What the client uses of XMLHttpRequest, over `fetch`, for Node has none. What browsers really do is tried in one.

export class XhrStandIn extends EventTarget {
  static made = 0;

  readonly upload = new EventTarget();
  status = 0;
  responseText = "";
  readonly #headers = new Headers();
  readonly #controller = new AbortController();
  #answered = new Headers();
  #url = "";

  constructor() {
    super();
    XhrStandIn.made += 1;
  }

  open(_method: "POST", url: string): void {
    this.#url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  send(form: FormData): void {
    void this.#exchange(form)
      .then(
        () => "load",
        () => (this.#controller.signal.aborted ? "abort" : "error"),
      )
      .then((how) => [how, "loadend"].forEach((name) => this.dispatchEvent(new Event(name))));
  }

  abort(): void {
    this.#controller.abort();
  }

  async #exchange(form: FormData): Promise<void> {
    const encoded = new Response(form);
    const body = await encoded.bytes();
    this.#headers.set("content-type", encoded.headers.get("content-type")!);
    const total = body.length;
    for (const loaded of [Math.floor(total / 2), total])
      this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded, total }));
    const { signal } = this.#controller;
    const answer = await fetch(this.#url, { method: "POST", headers: this.#headers, body, signal });
    this.responseText = await answer.text();
    this.status = answer.status;
    this.#answered = answer.headers;
  }
}
