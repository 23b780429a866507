// How messages of PostgreSQL's protocol lie one behind the other.
import type { Socket } from "node:net";

/** The messages that come over a socket, until it ends or the reader stops. The first one of a client has no type. */
export async function* messagesOf(socket: Socket, firstLengthAt: number): AsyncGenerator<Buffer> {
  let lengthAt = firstLengthAt;
  let rest = Buffer.alloc(0);
  const arrived: Buffer[] = [];
  let wake = () => {};
  const onData = (bytes: Buffer) => (arrived.push(bytes), wake());
  const onClose = () => wake();
  socket.on("data", onData).on("close", onClose);
  try {
    while (!socket.destroyed || arrived.length > 0) {
      rest = Buffer.concat([rest, ...arrived.splice(0)]);
      while (rest.length >= lengthAt + 4 && rest.length >= lengthAt + rest.readUInt32BE(lengthAt)) {
        const end = lengthAt + rest.readUInt32BE(lengthAt);
        const message = rest.subarray(0, end);
        rest = rest.subarray(end);
        lengthAt = 1;
        yield message;
      }
      if (arrived.length === 0 && !socket.destroyed) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    socket.off("data", onData).off("close", onClose);
  }
}
