// An error whose message may be logged and shown to an operator: we wrote it, and it quotes nothing that a caller sent.
export class OperatorError extends Error {
  override readonly name: string = this.constructor.name;
}
