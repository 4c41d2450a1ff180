// Stores points, a batch at a time, and says how far it is.

import { ApiError, send } from '../api/client';
import { LineCutter, parseLine, type Point } from './lines';

export interface Progress {
  done: number; // of `total`: bytes of the file, or points
  total: number;
  stored: number;
  refused: number;
  faults: string[]; // the first of them, in words
  first: Point | null;
  from: number; // ms of the earliest and latest point that was sent
  to: number;
}

export interface Batch { points: Point[]; faults: string[]; done: number }

const BATCH = 5000;
const FAULTS_MAX = 20;
const BUSY_MS = 1000;
const BUSY_TRIES = 60;

// Stops after the batch that is on its way when `signal` is aborted: what was stored stays.
export async function store(batches: AsyncIterable<Batch>, total: number, signal: AbortSignal,
                            tell: (progress: Progress) => void): Promise<Progress> {
  let now: Progress = { done: 0, total, stored: 0, refused: 0, faults: [], first: null, from: Infinity, to: 0 };
  for await (const { points, faults, done } of batches) {
    signal.throwIfAborted();
    const answer = points.length ? await put(points, signal) : { success: 0, failed: 0, faults: [] };
    const times = points.map((point) => Number(point.timestamp)).map((time) => (time < 1e11 ? time * 1e3 : time));
    now = {
      ...now, done, stored: now.stored + answer.success, refused: now.refused + answer.failed + faults.length,
      faults: [...now.faults, ...faults, ...answer.faults].slice(0, FAULTS_MAX), first: now.first ?? points[0] ?? null,
      from: times.reduce((a, b) => Math.min(a, b), now.from), to: times.reduce((a, b) => Math.max(a, b), now.to),
    };
    tell(now);
  }
  return now;
}

interface Answer { success: number; failed: number; errors: { datapoint: Point; error: string }[] }

async function put(points: Point[], signal: AbortSignal) {
  for (let attempt = 1; ; ++attempt) {
    try {
      const response = await send('api/put', { method: 'POST', json: points, params: [['details', 'true']],
        signal, fine: [400] });
      const { success, failed, errors } = (await response.json()) as Answer;
      return { success, failed, faults: (errors ?? []).slice(0, FAULTS_MAX).map(({ datapoint, error }) =>
        `${datapoint.metric} ${datapoint.timestamp} ${datapoint.value}: ${error}`) };
    } catch (error) {
      // The store is full for a moment: the same batch once more.
      if (!(error instanceof ApiError && error.status === 503) || attempt === BUSY_TRIES) throw error;
      await new Promise((done) => setTimeout(done, BUSY_MS));
      signal.throwIfAborted();
    }
  }
}

// The points of a file of lines, plain or gzip, read as they are needed.
export async function* batchesOf(file: File): AsyncGenerator<Batch> {
  let done = 0;
  // Reads small slices on demand: file.stream() is megabytes ahead of the stored points.
  const slice = Math.min(65536, Math.max(1024, file.size >> 7));
  const counted = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(sink) {
      if (done >= file.size) return sink.close();
      const bytes = await file.slice(done, done + slice).arrayBuffer();
      done += bytes.byteLength;
      sink.enqueue(new Uint8Array(bytes));
    },
  }, { highWaterMark: 0 });
  const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = a === 0x1f && b === 0x8b;
  const plain = isGzip ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader();
  const cutter = new LineCutter();
  let number = 0;
  let batch: Batch = { points: [], faults: [], done };
  const take = (line: string) => {
    ++number;
    const point = parseLine(line);
    if (typeof point === 'string') batch.faults.push(`Line ${number}: ${point}.`);
    else if (point) batch.points.push(point);
  };
  for (let isOver = false; !isOver;) {
    const piece = await reader.read().catch(() => {
      throw new Error(isGzip ? 'The file is damaged: it cannot be decompressed.' : 'The file cannot be read.');
    });
    isOver = piece.done;
    for (const line of isOver ? cutter.end() : cutter.cut(piece.value!)) {
      take(line);
      if (batch.points.length + batch.faults.length < BATCH) continue;
      yield { ...batch, done };
      batch = { points: [], faults: [], done };
    }
  }
  yield { ...batch, done };
}
