// What clients expect before they send a body (RFC 9110 10.1.1). A client that asks whether its body is welcome is told so
// once the gates have let its request pass; an upload that is refused is never sent.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

export function answerExpectations(app: FastifyInstance): void {
  const server: Server = app.server;
  const asking = new WeakSet<IncomingMessage>();
  const goOn = (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response);
  // Without a listener, Node asks for the body before anything has looked at the head.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    asking.add(request);
    goOn(request, response);
  });
  // Without a listener, Node refuses an expectation that it does not know with a bare 417. It may be ignored.
  server.on("checkExpectation", goOn);
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (asking.has(request.raw)) reply.raw.writeContinue();
    done();
  });
}
