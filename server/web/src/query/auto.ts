// Long ranges have more points than a screen has pixels. A query that says nothing about it is
// downsampled to what can be seen, with the lowest and highest value of each step as a band.

import { stepFor } from '../time/time';
import type { SubQuery } from './model';
import { printQuery } from './print';

export interface Sent {
  m: string;
  line: number; // of the form
  part: 'value' | 'min' | 'max';
}

// The queries that are sent for the lines of the form.
export function sentQueries(lines: { query: SubQuery; line: number }[], rangeMs: number,
                            pixels: number, auto: boolean): { sent: Sent[]; step: string } {
  const points = Math.max(100, Math.floor(pixels / 2));
  const step = auto ? stepFor(rangeMs, points) : '';
  const sent: Sent[] = [];
  let used = '';
  for (const { query, line } of lines) {
    if (!step || query.downsample || query.percentiles.length || query.buckets) {
      sent.push({ m: printQuery(query), line, part: 'value' });
      continue;
    }
    used = step;
    const fn = stepFunction(query.aggregator);
    const by = (fn: string) =>
      printQuery({ ...query, downsample: { interval: step, fn, fill: 'none' } });
    sent.push({ m: by(fn), line, part: 'value' });
    // Of a rate, the lowest and highest value of a step say nothing; a function may choose others.
    if (query.rate || lines.length > 3 || fn !== 'avg' || query.functions.length) continue;
    sent.push({ m: by('min'), line, part: 'min' }, { m: by('max'), line, part: 'max' });
  }
  return { sent, step: used };
}

// The highest of averages is not the highest: an aggregator that picks a value picks it from each
// step, too.
function stepFunction(aggregator: string): string {
  return ['min', 'max', 'mimmin', 'mimmax', 'first', 'last', 'count'].includes(aggregator)
    ? aggregator.replace('mim', '') : 'avg';
}
