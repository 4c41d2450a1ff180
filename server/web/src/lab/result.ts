// What a simulation answers (as `hourcell simulate --format json` prints it), and what is shown of it.

import type { HeatModel } from '../plot/heat';
import { showSpan, showTime } from '../time/time';
import { showCount, showNumber } from '../time/units';

export interface Simulated {
  design: { name: string; layout: string; fields: string; distributor: string; presplit: string; policy: string };
  totals: Record<string, number>;
  regions: { id: number; start: string; start_text: string; puts: number; rows: number;
    memory_bytes: number; file_bytes: number; hot_share: number }[];
  timeline: { time_ms: number; kind: string; region: number; key: string; key_text: string; bytes: number;
    regions: number; cause: string }[];
  heat: { start_ms: number; step_ms: number; steps: number; row_starts: string[]; row_texts: string[];
    puts: number[] };
  predictions: { kind: string; level: string; text: string }[];
}

const ratio = (n: number) => showNumber(n);
const share = (n: number) => `${showNumber(n * 100)} %`;
const bytes = (n: number) => showNumber(n, 'bytes');

// [what, its field, how it is shown, is less better?]
const FIGURES: [string, string, (n: number) => string, boolean][] = [
  ['Regions', 'regions', showCount, false],
  ['Empty regions', 'empty_regions', showCount, true],
  ['Hottest region, puts to the mean', 'max_over_mean', ratio, true],
  ['Inequality of puts (Gini)', 'gini', ratio, true],
  ['Hottest region of a moment, mean', 'hot_share_mean', share, true],
  ['Hottest region of a moment, 99 of 100', 'hot_share_p99', share, true],
  ['Write amplification', 'write_amplification', ratio, true],
  ['Written', 'written_bytes', bytes, false],
  ['Flushes', 'flushes', showCount, true],
  ['LSM compactions', 'lsm_compactions', showCount, true],
  ['Puts that wait', 'blocked_puts', showCount, true],
  ['Writes stand still', 'stall_ms', showSpan, true],
  ['Bytes of a row key', 'row_key_bytes', ratio, true],
  ['Ranges of a scan', 'scan_ranges', showCount, true],
];

export interface Figure { title: string; texts: string[]; best: boolean[] }

// One row for each figure, one column for each design. Where all are alike, none is best.
export function figuresOf(results: Simulated[]): Figure[] {
  return FIGURES.filter(([, field]) => results.some((one) => one.totals[field] !== undefined))
    .map(([title, field, show, isLessBetter]) => {
      const values = results.map((one) => one.totals[field] ?? 0);
      const least = Math.min(...values);
      const differ = isLessBetter && values.some((value) => value !== least);
      return { title, texts: values.map(show), best: values.map((value) => differ && value === least) };
    });
}

// Fleets live in UTC.
export function heatOf({ heat, timeline }: Simulated): HeatModel {
  return {
    rows: heat.row_starts.length, steps: heat.steps, startMs: heat.start_ms, stepMs: heat.step_ms, tz: 'UTC',
    at: (row, step) => heat.puts[row * heat.steps + step] ?? NaN,
    text: (row, step) => `${showTime(heat.start_ms + step * heat.step_ms, 'UTC')}: ${
      showNumber(heat.puts[row * heat.steps + step])} puts from ${keyOf(heat.row_texts[row], heat.row_starts[row])}`,
    marks: timeline.length > 200 ? [] : timeline.map((event) => event.time_ms),
  };
}

// A key in words beside its bytes.
export function keyOf(text = '', key = ''): string {
  if (key === '') return 'the first key';
  return text ? `${text} (${key})` : key;
}
