import { beforeEach, describe, expect, it } from 'vitest';
import { ownQuery } from '../src/api/query';
import { aggregators, choices } from '../src/query/aggregators';
import { sentQueries } from '../src/query/auto';
import { TextError } from '../src/query/error';
import { treeOf, type Step } from '../src/query/explain';
import { findNames } from '../src/query/fuzzy';
import { textOfListed } from '../src/query/listed';
import { parseQuery } from '../src/query/parse';
import { printQuery, printValue } from '../src/query/print';

const SAME = [
  'sum:cpu',
  'avg:5m-avg:cpu{host=*}',
  'avg:1dc-max-nan:cpu{host=a|b}',
  'sum:0all-sum:cpu',
  'sum:1h-avg-scalar(-1.5):cpu',
  'sum:rate:cpu',
  'sum:rate{counter}:net{if=*}',
  'sum:rate{dropcounter,65535,10}:net',
  'sum:rate{,100}:net',
  'p99:rate{counter,,5}:1m-avg-zero:net{host=*}{dc=lga}',
  'none:explicit_tags:cpu{host=web01}',
  'sum:percentiles[50,99.9]:latency',
  'sum:show-histogram-buckets:latency',
  'sum:pre-agg:cpu',
  'sum:cpu{}{host=not_key()}',
  'sum:cpu{host=regexp(^web[0-9]{1,2}$),dc=wildcard(l*)}{rack=not_literal_or(a|b)}',
  'sum:cpu{host=iliteral_or(A)}{dc=iwildcard(*x),rack=not_iliteral_or(q)}',
  'sum:cpu{host=日本,emoji=🦊}',
  'sum:1m-avg:"a:b{c}\\"\\\\"{"k=,"="x|y"|z,host=iwildcard(web*)}{dc="*"}',
  'sum:"web:9100"',
];

beforeEach(() => aggregators.set(['sum', 'avg', 'none', 'min', 'max', 'p99']));

describe('the text of a query', () => {
  it.each(SAME)('%s is printed as it was parsed', (text) => {
    expect(printQuery(parseQuery(text))).toBe(text);
  });

  it('has quotes where a name has characters that would take it apart', () => {
    const query = parseQuery('sum:"a:b{c}\\""{"k=,"="x|y"}');
    expect(query.metric).toBe('a:b{c}"');
    expect(query.groups).toEqual([{ tagk: 'k=,', type: 'literal_or', text: '"x|y"' }]);
    expect(printValue('web:9100')).toBe('web:9100');
    expect(printValue('x|y')).toBe('"x|y"');
    expect(parseQuery('sum:a"b').metric).toBe('a"b');
  });

  it('is printed in its shortest form', () => {
    expect(printQuery(parseQuery('sum:5m-avg:rate:cpu{host=literal_or(a)}')))
      .toBe('sum:rate:5m-avg:cpu{host=a}');
    expect(printQuery(parseQuery('sum:cpu{host=web*}'))).toBe('sum:cpu{host=iwildcard(web*)}');
  });

  it.each([
    ['cpu', 3, 'aggregator:metric'],
    ['summ:cpu', 0, 'no such aggregator'],
    ['sum::cpu', 4, 'empty option'],
    ['sum:5x-avg:cpu', 4, 'interval'],
    ['sum:5m-none:cpu', 7, 'none cannot'],
    ['sum:5m-avg-zebra:cpu', 11, 'nan'],
    ['sum:rate{counter,x}:cpu', 17, 'whole number'],
    ['sum:cpu{host=a', 14, 'no }'],
    ['sum:cpu{host=}', 8, 'tag=value'],
    ['sum:cpu{host=odd(a)}', 13, 'no such filter'],
    ['sum:cpu{host=not_key(a)}', 20, 'nothing'],
    ['sum:', 4, 'no metric'],
    ['sum:percentiles[a]:cpu', 16, 'number'],
    ['sum:cpu{a=b}x', 12, 'want {'],
  ])('%s has its error at %i', (text, at, message) => {
    try {
      parseQuery(text);
      expect.unreachable();
    } catch (error) {
      expect((error as TextError).at).toBe(at);
      expect((error as TextError).message).toContain(message);
    }
  });
});

describe('names found by letters', () => {
  const names = ['aws.ec2.cpu', 'aws.elb.requests', 'cpu.user', 'twitter.mentions'];
  it('puts the better match first', () => {
    expect(findNames(names, 'cpu', 9).map((one) => one.name)).toEqual(['cpu.user', 'aws.ec2.cpu']);
    expect(findNames(names, 'aecp', 9).map((one) => one.name)).toEqual(['aws.ec2.cpu']);
    expect(findNames(names, 'zz', 9)).toEqual([]);
  });
});

describe('the step of long ranges', () => {
  const query = parseQuery('avg:cpu{host=*}');
  it('fits the pixels and has a band', () => {
    const { sent, step } = sentQueries([{ query, line: 0 }], 14 * 86400e3, 1200, true);
    expect(step).toBe('1h');
    expect(sent.map((one) => one.m)).toEqual(['avg:1h-avg-none:cpu{host=*}',
      'avg:1h-min-none:cpu{host=*}', 'avg:1h-max-none:cpu{host=*}']);
  });
  it('leaves short ranges, own steps and those who want all points alone', () => {
    expect(sentQueries([{ query, line: 0 }], 60e3, 1200, true).step).toBe('');
    expect(sentQueries([{ query, line: 0 }], 14 * 86400e3, 1200, false).sent).toHaveLength(1);
    const own = parseQuery('avg:5m-avg:cpu');
    expect(sentQueries([{ query: own, line: 0 }], 14 * 86400e3, 1200, true).step).toBe('');
  });
  it('keeps the highest value of what asks for the highest', () => {
    const max = parseQuery('max:cpu');
    expect(sentQueries([{ query: max, line: 0 }], 14 * 86400e3, 1200, true).sent[0]!.m)
      .toBe('max:1h-max-none:cpu');
  });
});

describe('the query that is ended on the server', () => {
  const ask = { start: 1, end: 2, ms: ['sum:a'], tz: '', notes: false };
  const running = (queryId: number) => ({
    queryId, elapsed: 10, query: { start: 1, end: 2, queries: [{ metric: 'a' }] },
  });
  it('is the own one', () => {
    expect(ownQuery([running(1)], ask, 500)?.queryId).toBe(1);
  });
  it('is none if there are two of that kind', () => {
    expect(ownQuery([running(1), running(2)], ask, 500)).toBeNull();
  });
});

describe('the aggregators', () => {
  it('are any word until the server has listed its own', () => {
    aggregators.set([]);
    expect(parseQuery('odd:1m-even:cpu').aggregator).toBe('odd');
    expect(() => parseQuery('1m:cpu')).toThrow(TextError);
    aggregators.set(['sum']);
    expect(() => parseQuery('odd:cpu')).toThrow(/no such aggregator/);
  });
  it('are offered with the one that is chosen', () => {
    expect(choices(['sum', 'none'], 'sum', 'none')).toEqual(['sum']);
    expect(choices([], 'avg')).toEqual(['avg']);
  });
});

describe('a query that the server lists', () => {
  const LISTED = { aggregator: 'sum', metric: 'net', downsample: '1m-avg', filters: [] };
  it('is the text that asks the same', () => {
    expect(textOfListed({ ...LISTED, rate: true, explicitTags: true,
      rateOptions: { counter: true, counterMax: 65535, resetValue: 0, dropResets: true },
      filters: [{ tagk: 'if', filter: '*', group_by: true, type: 'wildcard' },
        { tagk: 'host', filter: 'a|b', group_by: false, type: 'literal_or' }] }))
      .toBe('sum:rate{dropcounter,65535}:1m-avg:explicit_tags:net{if=*}{host=a|b}');
  });
  it('leaves out what is usual', () => {
    expect(textOfListed({ ...LISTED, downsample: '5m-max-none', rate: true, rateOptions: { counter: false,
      counterMax: 9223372036854775807, resetValue: 0, dropResets: false } })).toBe('sum:rate:5m-max:net');
    expect(textOfListed({ ...LISTED, downsample: null })).toBe('sum:net');
  });
});

describe('how the server read a query', () => {
  const plan = { query: 0, method: 'skip scan', metricSeries: 100, series: 1, groups: 1, hours: 24, expectedRows: 30,
    expectedBytes: 2048, rows: 24, rowsSkipped: 3, points: 8640, bytes: 17280, memory: 4096 };
  const titles = (step: Step): string[] => [step.title, ...step.children.flatMap(titles)];
  it('is a tree from the result down to the series', () => {
    const [tree] = treeOf([plan], ['avg:rate{counter}:5m-max:net{host=a}']);
    expect(titles(tree!)).toEqual(['avg:rate{counter}:5m-max:net{host=a}', 'Aggregate (avg) into 1 group',
      'Rate per second', 'Downsample: max of each 5m', 'Decode 8 640 points', 'Read 24 rows by skip scan',
      'Select 1 of 100 series'].map((text) => text.replace('8 640', '8\u202f640')));
    expect(JSON.stringify(tree)).toContain('skipped 3 rows');
  });
  it('shows which query was the dearest', () => {
    const trees = treeOf([plan, { ...plan, query: 1, points: 2160 }], ['sum:a', 'sum:b']);
    expect(trees.map((tree) => tree.cost)).toEqual([1, 0.25]);
    expect(titles(trees[1]!)[0]).toBe('sum:b');
  });
});
