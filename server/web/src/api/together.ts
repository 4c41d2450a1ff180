// Questions about single metrics that come at the same time become one request.

import { ApiError } from './client';

export type Answers<T> = Map<string, T>; // by name; of the others, the question failed

interface Waiting<T> {
  name: string;
  signal: AbortSignal;
  done: (value: T) => void;
  failed: (error: unknown) => void;
}

// Of these, one name may be the cause.
const OF_ONE = [400, 404, 413];

// If a request for several names fails because of one, sends a request for each half of the names.
export async function inParts<T>(names: string[], ask: (names: string[]) => Promise<Answers<T>>,
                                 isPart = false): Promise<Answers<T>> {
  try {
    return await ask(names);
  } catch (error) {
    if (!(error instanceof ApiError && OF_ONE.includes(error.status))) throw error;
    if (names.length < 2) {
      if (!isPart) throw error;
      return new Map();
    }
    const half = names.length >> 1;
    const parts = await Promise.all([names.slice(0, half), names.slice(half)].map((part) => inParts(part, ask, true)));
    return new Map(parts.flatMap((part) => [...part]));
  }
}

// Cancels the request when all callers have cancelled theirs.
export function together<T>(max: number, ask: (names: string[], signal: AbortSignal) => Promise<Answers<T>>):
    (name: string, signal: AbortSignal) => Promise<T> {
  let waiting: Waiting<T>[] = [];
  const send = async (all: Waiting<T>[]) => {
    const abort = new AbortController();
    const end = () => all.every(({ signal }) => signal.aborted) && abort.abort();
    for (const { signal } of all) signal.addEventListener('abort', end);
    end();
    try {
      const answers = await ask([...new Set(all.map(({ name }) => name))], abort.signal);
      for (const { name, done, failed } of all) {
        if (answers.has(name)) done(answers.get(name)!);
        else failed(new Error(`No answer for ${name}.`));
      }
    } catch (error) {
      for (const { failed } of all) failed(error);
    } finally {
      for (const { signal } of all) signal.removeEventListener('abort', end);
    }
  };
  return (name, signal) => new Promise((done, failed) => {
    if (!waiting.length) {
      setTimeout(() => {
        const all = waiting;
        waiting = [];
        for (let at = 0; at < all.length; at += max) void send(all.slice(at, at + max));
      });
    }
    waiting.push({ name, signal, done, failed });
  });
}
