// An error in a text, and the characters that it is about.
export class TextError extends Error {
  constructor(message: string, readonly at: number, readonly length = 1) {
    super(message);
  }
}
