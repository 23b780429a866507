// What clients expect before they send a body (RFC 9110, 10.1.1). Who asks whether it is welcome is told so once the gates
// have let the request pass, so that an upload that is refused stays where it is.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

export function answerExpectations(app: FastifyInstance): void {
  const asking = new WeakSet<IncomingMessage>();
  const goOn = (request: IncomingMessage, response: ServerResponse) => app.server.emit("request", request, response);
  // Left alone, Node asks for the body before anybody has looked at the head.
  app.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    asking.add(request);
    goOn(request, response);
  });
  // Left alone, Node refuses an expectation that it does not know with a bare 417; it may as well be ignored.
  app.server.on("checkExpectation", goOn);
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (asking.has(request.raw)) reply.raw.writeContinue();
    done();
  });
}
