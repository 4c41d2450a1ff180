import { describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/client';
import { Kept } from '../src/api/kept';
import { inParts, together } from '../src/api/together';

const never = new AbortController().signal;
const lengths = (names: string[]) => new Map(names.map((name) => [name, name.length]));

describe('questions that come together', () => {
  it('are one request, in parts of at most so many', async () => {
    const asked: string[][] = [];
    const ask = together(3, async (names) => {
      asked.push(names);
      return lengths(names);
    });
    expect(await Promise.all(['a', 'bb', 'a', 'ccc', 'dddd'].map((name) => ask(name, never)))).toEqual([1, 2, 1, 3, 4]);
    expect(asked).toEqual([['a', 'bb'], ['ccc', 'dddd']]);
    await ask('e', never);
    expect(asked[2]).toEqual(['e']);
  });

  it('fail one by one', async () => {
    const ask = together(9, async (names) => lengths(names.filter((name) => name !== 'x')));
    const [a, x] = await Promise.allSettled([ask('a', never), ask('x', never)]);
    expect(a).toMatchObject({ value: 1 });
    expect(x).toMatchObject({ reason: { message: 'No answer for x.' } });
    const broken = together(9, async () => { throw new Error('down'); });
    expect(await Promise.allSettled([broken('a', never), broken('b', never)])).toMatchObject(
      [{ reason: { message: 'down' } }, { reason: { message: 'down' } }]);
  });

  it('end when nobody waits', async () => {
    const signals: AbortSignal[] = [];
    const ask = together(9, async (names, signal) => {
      signals.push(signal);
      await new Promise((done) => setTimeout(done, 20));
      return lengths(names);
    });
    const [one, other] = [new AbortController(), new AbortController()];
    const answers = [ask('a', one.signal), ask('b', other.signal)];
    await new Promise((done) => setTimeout(done, 5));
    one.abort();
    expect(signals[0]!.aborted).toBe(false);
    other.abort();
    expect(signals[0]!.aborted).toBe(true);
    await Promise.allSettled(answers);
  });
});

describe('a failed question about many names', () => {
  it('is asked about each half, until the cause is found', async () => {
    let count = 0;
    const ask = async (names: string[]) => {
      ++count;
      if (names.includes('x')) throw new ApiError(400, 'No such name');
      return lengths(names);
    };
    const found = await inParts(['a', 'b', 'x', 'd', 'e', 'f', 'g', 'h'], ask);
    expect([...found.keys()]).toEqual(['a', 'b', 'd', 'e', 'f', 'g', 'h']);
    expect(count).toBe(7);
  });

  it('fails at once if no name is the cause, or there is one only', async () => {
    let count = 0;
    const ask = (status: number) => async () => {
      ++count;
      throw new ApiError(status, 'no');
    };
    await expect(inParts(['a', 'b'], ask(503))).rejects.toThrow('no');
    await expect(inParts(['a'], ask(400))).rejects.toThrow('no');
    expect(count).toBe(2);
  });
});

describe('answers that are kept', () => {
  it('are asked for once; errors are not kept', async () => {
    const kept = new Kept<number>(60e3);
    let count = 0;
    const ask = async () => {
      if (++count === 1) throw new Error('first');
      return count;
    };
    await expect(kept.get('a', ask)).rejects.toThrow('first');
    expect(await kept.get('a', ask)).toBe(2);
    expect(await kept.get('a', ask)).toBe(2);
    kept.clear();
    expect(await kept.get('a', ask)).toBe(3);
  });
});
