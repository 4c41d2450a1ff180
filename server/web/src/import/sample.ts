// Points that are made up, to try the page with: a day of a few hosts. Their metrics begin with
// "sample.", so that nobody takes them for real ones.

import type { Point } from './lines';
import type { Batch } from './run';

const HOSTS: [host: string, dc: string][] = [['web01', 'ber'], ['web02', 'ber'], ['web03', 'lga'], ['db01', 'lga']];
const STEP_S = 60;
const DAY_S = 86400;

export const SAMPLE_POINTS = 4 * HOSTS.length * (DAY_S / STEP_S);
export const SAMPLE_QUERY = 'avg:sample.cpu.percent{host=*}';

// Numbers from 0 to 1 that look random and are the same each time.
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

// One batch an hour of the day.
export async function* sampleBatches(endS: number): AsyncGenerator<Batch> {
  const begin = Math.floor(endS / STEP_S) * STEP_S - DAY_S + STEP_S;
  const random = noise(7);
  const counts = HOSTS.map(() => 0);
  let done = 0;
  let points: Point[] = [];
  for (let second = begin; second < begin + DAY_S; second += STEP_S) {
    const daily = 0.5 - 0.5 * Math.cos((2 * Math.PI * (second % DAY_S)) / DAY_S);
    HOSTS.forEach(([host, dc], i) => {
      const load = Math.min(1, 0.15 + daily * (0.35 + 0.12 * i) + 0.08 * random() + (random() > 0.997 ? 0.4 : 0));
      counts[i]! += Math.round(STEP_S * 80 * load);
      const put = (name: string, value: number) => points.push({
        metric: `sample.${name}`, timestamp: String(second), value: String(value), tags: { host, dc } });
      put('cpu.percent', Number((100 * load).toFixed(1)));
      put('http.requests', counts[i]!);
      put('http.latency_ms', Number((12 + 90 * load ** 3 + 6 * random()).toFixed(2)));
      put('memory.bytes', Math.round(2 ** 31 * (1 + 0.3 * i + 0.5 * load)));
    });
    if ((second - begin) % 3600 !== 3600 - STEP_S) continue;
    done += points.length;
    yield { points, faults: [], done };
    points = [];
  }
}
