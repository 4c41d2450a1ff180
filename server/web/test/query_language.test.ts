// The vectors of m=, which the server's parser reads, too: docs/query-language.md.

import { beforeEach, describe, expect, it } from 'vitest';
import vectors from '../../../tests/data/query_language.json?raw';
import { aggregators } from '../src/query/aggregators';
import { TextError } from '../src/query/error';
import type { Downsample, Filter, Rate } from '../src/query/model';
import { parseNumber, parseQuery } from '../src/query/parse';
import { printQuery } from '../src/query/print';

interface Vector { area: string; given: { m: string }; expect: Record<string, unknown> & { at: number } }

const VECTORS = JSON.parse(vectors) as Vector[];
const inArea = (area: string) => VECTORS.filter((vector) => vector.area === area);

beforeEach(() => aggregators.set(['sum', 'avg', 'none', 'min', 'max', 'mimmax', 'zimsum', 'count', 'first', 'last',
  'dev', 'p95', 'p99', 'p999', 'ep99r7']));

function downsampleOf({ interval, fn, fill }: Downsample) {
  const scalar = /\((.*)\)/.exec(fill);
  const number = scalar && parseNumber(scalar[1]!);
  const word = fill.toLowerCase();
  return {
    interval: /all$/.test(interval) ? '0all' : interval.replace(/^0+/, ''), function: fn,
    ...(number ? { fill: number } : scalar ? { fill: 'zero' } : word && word !== 'none' ? { fill: word } : {}),
  };
}

// The longest counter is the usual one, and so it is left out.
function rateOf({ counter, drop, max, reset }: Rate) {
  const text = (value: string) => BigInt(value.replace('+', '')).toString();
  return {
    ...(counter ? { counter } : {}), ...(drop ? { drop } : {}),
    ...(max && text(max) !== (2n ** 63n - 1n).toString() ? { max: text(max) } : {}),
    ...(reset && text(reset) !== '0' ? { reset: text(reset) } : {}),
  };
}

const filterOf = (groups: boolean) => ({ tagk, type, text }: Filter) =>
  ({ tagk, type, filter: text, groupBy: groups && type !== 'not_key' });

function formOf(m: string) {
  const query = parseQuery(m);
  const filters = [...query.only.map(filterOf(false)), ...query.groups.map(filterOf(true))];
  return {
    ...(query.functions.length ? { functions: query.functions } : {}),
    aggregator: query.aggregator, metric: query.metric,
    ...(query.downsample ? { downsample: downsampleOf(query.downsample) } : {}),
    ...(query.rate ? { rate: rateOf(query.rate) } : {}),
    ...(filters.length ? { filters } : {}),
    ...(query.explicitTags ? { explicitTags: true } : {}),
    ...(query.percentiles.length ? { percentiles: query.percentiles } : {}),
    ...(query.buckets ? { showHistogramBuckets: true } : {}),
  };
}

describe('the language of m=', () => {
  it.each(inArea('accepted').map((vector) => [vector.given.m, vector.expect] as const))(
    'has %s', (m, want) => {
      expect(formOf(m)).toEqual(want);
      expect(formOf(printQuery(parseQuery(m)))).toEqual(want);
    });

  it.each(inArea('refused').map((vector) => [vector.given.m, vector.expect.at] as const))(
    'refuses %s at %i', (m, at) => {
      let error: unknown;
      try {
        parseQuery(m);
      } catch (caught) {
        error = caught;
      }
      expect(error).toBeInstanceOf(TextError);
      expect((error as TextError).at).toBe(at);
    });

  it('has every vector', () => {
    expect(inArea('accepted')).toHaveLength(133);
    expect(inArea('refused')).toHaveLength(88);
  });
});
