// Long ranges have more points than a screen has pixels. A query that says nothing about it is
// downsampled to what can be seen, with the lowest and highest value of each step as a band.

import { parseDuration, stepFor } from '../time/time';
import type { SubQuery } from './model';
import { printQuery } from './print';

export interface Sent {
  m: string;
  line: number; // of the form
  index: number; // the number that the server gives it: it answers equal queries once
  part: 'value' | 'min' | 'max';
  stepMs?: number; // of PromQL
}

const pointsOf = (pixels: number) => Math.max(100, Math.floor(pixels / 2));

// The queries that are sent for the lines of the form.
export function sentQueries(lines: { query: SubQuery; line: number }[], rangeMs: number,
                            pixels: number, auto: boolean): { sent: Sent[]; step: string } {
  const step = auto ? stepFor(rangeMs, pointsOf(pixels)) : '';
  const sent: Sent[] = [];
  const texts: string[] = [];
  const add = (query: SubQuery, line: number, part: Sent['part']) => {
    const text = textOfEqual(query);
    if (!texts.includes(text)) texts.push(text);
    sent.push({ m: printQuery(query), line, index: texts.indexOf(text), part });
  };
  let used = '';
  for (const { query, line } of lines) {
    if (!step || query.downsample || query.percentiles.length || query.buckets) {
      add(query, line, 'value');
      continue;
    }
    used = step;
    const fn = stepFunction(query.aggregator);
    const by = (fn: string) => ({ ...query, downsample: { interval: step, fn, fill: 'none' } });
    add(by(fn), line, 'value');
    // Of a rate, the lowest and highest value of a step say nothing; a function may choose others.
    if (query.rate || lines.length > 3 || fn !== 'avg' || query.functions.length) continue;
    add(by('min'), line, 'min');
    add(by('max'), line, 'max');
  }
  return { sent, step: used };
}

// The text of each query of m= that the server answers.
export function textsOf(sent: Sent[]): string[] {
  const texts: string[] = [];
  for (const { m, index, stepMs } of sent) if (!stepMs) texts[index] ??= m;
  return texts;
}

// A line in PromQL. Its number is beyond those of m=.
export function sentPromql(text: string, line: number, rangeMs: number, pixels: number): Sent {
  const step = stepFor(rangeMs, pointsOf(pixels), 0);
  return { m: text, line, index: 1e6 + line, part: 'value', stepMs: parseDuration(step) };
}

// The same for queries that the server takes as equal.
function textOfEqual({ downsample, rate, ...query }: SubQuery): string {
  return printQuery({ ...query, other: [],
    downsample: downsample && { ...downsample, fill: downsample.fill === 'none' ? '' : downsample.fill,
      interval: String(parseDuration(downsample.interval) || downsample.interval) },
    rate: rate && { ...rate, max: rate.max === COUNTER_MAX ? '' : rate.max, reset: rate.reset === '0' ? '' : rate.reset } });
}

const COUNTER_MAX = String(2n ** 63n - 1n);

// The highest of averages is not the highest: an aggregator that picks a value picks it from each
// step, too.
function stepFunction(aggregator: string): string {
  return ['min', 'max', 'mimmin', 'mimmax', 'first', 'last', 'count'].includes(aggregator)
    ? aggregator.replace('mim', '') : 'avg';
}
