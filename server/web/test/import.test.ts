import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineCutter, parseLine } from '../src/import/lines';
import { batchesOf, store, type Batch } from '../src/import/run';
import { SAMPLE_POINTS, sampleBatches } from '../src/import/sample';

describe('a line of a file', () => {
  it('is a point, with `put` or without', () => {
    const point = { metric: 'cpu', timestamp: '1356998400', value: '9007199254740993', tags: { host: 'a', dc: 'lga' } };
    expect(parseLine('put cpu 1356998400 9007199254740993 host=a dc=lga\r')).toEqual(point);
    expect(parseLine('  cpu\t1356998400 9007199254740993 host=a dc=lga')).toEqual(point);
  });
  it('may be empty or a comment', () => {
    expect(['', '  ', '# comment', 'put'].map(parseLine)).toEqual([null, null, null, null]);
  });
  it.each([['cpu 1 ', 'two words'], ['cpu', 'one word'], ['cpu yesterday 4 a=b', 'yesterday is no time'],
    ['cpu 1 4 host', 'host is no tag'], ['cpu 1 4 host=', 'is no tag'], ['[{"metric":"cpu"}]', 'JSON'],
  ])('%s is refused in words', (line, words) => {
    expect(parseLine(line)).toContain(words);
  });
  it('is whole wherever the text was cut', () => {
    const text = 'one\ntwo\n\nthree';
    for (let cut = 0; cut <= text.length; ++cut) {
      const cutter = new LineCutter();
      expect([...cutter.cut(text.slice(0, cut)), ...cutter.cut(text.slice(cut)), ...cutter.end()])
        .toEqual(['one', 'two', '', 'three']);
    }
  });
});

const LINES = 'put cpu 1356998400 1 host=a\nnonsense\nput cpu 1356998460 2 host=a\n';

async function readAll(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const all: Batch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

describe('a file', () => {
  it('is read no faster than it is stored', async () => {
    const count = 60_000;
    const text = Array.from({ length: count }, (_, i) => `put cpu ${1356998400 + i} ${i % 97} host=web${i % 7}`).join('\n');
    // Not gzip: Node's DecompressionStream takes all there is. tests/web has a browser's.
    let points = 0;
    for await (const batch of batchesOf(new File([text], 'x'))) {
      points += batch.points.length;
      expect(Math.abs(batch.done / text.length - points / count)).toBeLessThan(0.12);
    }
    expect(points).toBe(count);
  });
  it('is read plain or gzip', async () => {
    const gzip = await new Response(new Blob([LINES]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
    for (const [blob, size] of [[new Blob([LINES]), LINES.length], [gzip, gzip.size]] as const) {
      const [batch] = await readAll(batchesOf(new File([blob], 'x')));
      expect(batch!.points.map((point) => point.value)).toEqual(['1', '2']);
      expect(batch!.faults).toEqual(['Line 2: want a metric, a time and a value, got one word.']);
      expect(batch!.done).toBe(size);
    }
  });
  it('that is damaged says so', async () => {
    const file = new File([new Uint8Array([0x1f, 0x8b, 1, 2, 3])], 'x.gz');
    await expect(readAll(batchesOf(file))).rejects.toThrow('damaged');
  });
  it('is read in batches', async () => {
    const file = new File([LINES.replace('nonsense\n', '').repeat(6000)], 'x');
    expect((await readAll(batchesOf(file))).map((batch) => batch.points.length)).toEqual([5000, 5000, 2000]);
  });
});

describe('storing', () => {
  afterEach(() => vi.unstubAllGlobals());
  const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

  it('adds up what was stored and says what was refused', async () => {
    vi.stubGlobal('fetch', async () => answer(400, { success: 1, failed: 1, errors: [
      { datapoint: { metric: 'cpu', timestamp: '1356998460', value: 'x' }, error: 'no such thing' }] }));
    const told: number[] = [];
    const last = await store(batchesOf(new File([LINES], 'x')), LINES.length, new AbortController().signal,
                             (progress) => told.push(progress.stored));
    expect([last.stored, last.refused, told]).toEqual([1, 2, [1]]);
    expect(last.faults[1]).toBe('cpu 1356998460 x: no such thing');
    expect([last.from, last.to]).toEqual([1356998400e3, 1356998460e3]);
  });
  it('asks again while the server is busy', async () => {
    vi.useFakeTimers();
    let asked = 0;
    vi.stubGlobal('fetch', async () => (++asked < 3 ? answer(503, { error: { message: 'full' } })
      : answer(200, { success: 2, failed: 0, errors: [] })));
    const done = store((async function* () {
      yield { points: [{ metric: 'a', timestamp: '1', value: '1', tags: {} }], faults: [], done: 1 };
    })(), 1, new AbortController().signal, () => {});
    await vi.runAllTimersAsync();
    expect((await done).stored).toBe(2);
    expect(asked).toBe(3);
    vi.useRealTimers();
  });
  it('stops when it is cancelled, and sends nothing more', async () => {
    let asked = 0;
    vi.stubGlobal('fetch', async () => answer(200, { success: ++asked, failed: 0, errors: [] }));
    const abort = new AbortController();
    const endless = async function* (): AsyncGenerator<Batch> {
      for (;;) yield { points: [{ metric: 'a', timestamp: '1', value: '1', tags: {} }], faults: [], done: 1 };
    };
    await expect(store(endless(), 1, abort.signal, () => asked === 2 && abort.abort())).rejects.toThrow();
    expect(asked).toBe(2);
  });
});

describe('the sample data', () => {
  it('is a day that ends now, the same each time, and says that it is made up', async () => {
    const batches = await readAll(sampleBatches(1_700_000_000));
    const points = batches.flatMap((batch) => batch.points);
    expect(points).toHaveLength(SAMPLE_POINTS);
    expect(batches[batches.length - 1]!.done).toBe(SAMPLE_POINTS);
    expect(points.every((point) => point.metric.startsWith('sample.'))).toBe(true);
    expect(Number(points[points.length - 1]!.timestamp)).toBeGreaterThan(1_700_000_000 - 60);
    expect((await readAll(sampleBatches(1_700_000_000)))[0]).toEqual(batches[0]);
    const counter = points.filter((one) => one.metric === 'sample.http.requests' && one.tags.host === 'web01');
    expect(counter.every((one, i) => i === 0 || Number(one.value) > Number(counter[i - 1]!.value))).toBe(true);
  });
});
