// How the server read a query, as a tree: the result on top, below each step what it was made of.

import type { Plan } from '../api/stream';
import { plural, showCount, showNumber } from '../time/units';
import { parseQuery } from './parse';

export interface Step {
  title: string;
  detail: string;
  cost: number; // of all queries, so that the dearest is seen at a glance; 0 to 1
  children: Step[];
}

export function treeOf(plans: Plan[], queries: string[]): Step[] {
  const dearest = Math.max(1, ...plans.map((plan) => plan.points));
  return plans.map((plan) => branchOf(plan, queries[plan.query] ?? `query ${plan.query + 1}`,
                                      plan.points / dearest));
}

function branchOf(plan: Plan, text: string, cost: number): Step {
  const of = (title: string, detail: string, ...children: Step[]): Step =>
    ({ title, detail, cost, children });
  const select = of(`Select ${showCount(plan.series)} of ${plural(plan.metricSeries, 'series', 'series')}`,
                    'those of the metric that fit the filters');
  const read = of(`Read ${plural(plan.rows, 'row')} by ${plan.method}`,
                  [`${showNumber(plan.bytes, 'bytes')} of ${plural(plan.hours, 'hour')}`,
                    `expected ${plural(plan.expectedRows, 'row')}, ${showNumber(plan.expectedBytes, 'bytes')}`,
                    ...(plan.rowsSkipped ? [`skipped ${plural(plan.rowsSkipped, 'row')}`] : [])].join('; '), select);
  const decode = of(`Decode ${plural(plan.points, 'point')}`, perPoint(plan), read);
  const { aggregate, downsample, rate } = wordsOf(text);
  const sampled = downsample ? of(`Downsample: ${downsample}`, '', decode) : decode;
  const rated = rate ? of('Rate per second', rate, sampled) : sampled;
  return of(text, `${showNumber(plan.memory, 'bytes')} of memory`,
            of(`${aggregate} into ${plural(plan.groups, 'group')}`, '', rated));
}

function perPoint(plan: Plan): string {
  if (plan.points === 0 || plan.rows === 0) return '';
  return `${showNumber(plan.bytes / plan.points)} bytes a point, ${
    showNumber(plan.points / plan.rows)} points a row`;
}

function wordsOf(text: string) {
  try {
    const { aggregator, downsample, rate } = parseQuery(text);
    return {
      aggregate: aggregator === 'none' ? 'Put series' : `Aggregate (${aggregator})`,
      downsample: downsample ? `${downsample.fn} of each ${downsample.interval}` : '',
      rate: rate ? (rate.counter ? 'of a counter' : 'of a gauge') : '',
    };
  } catch {
    return { aggregate: 'Aggregate', downsample: '', rate: '' };
  }
}
