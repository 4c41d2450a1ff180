import { describe, expect, it } from 'vitest';
import { promqlParams } from '../src/api/promql';
import { asPromqlCurl } from '../src/export/copy';
import { sentPromql, textsOf } from '../src/query/auto';
import { isComplete, isRate, metricIn, typedIn } from '../src/query/promql';
import { graphIn, stateOf } from '../src/views/document';
import { emptyState } from '../src/state/state';

describe('what is typed at the end of PromQL', () => {
  it('is a metric or a function', () => {
    expect(typedIn('')).toEqual({ kind: 'word', word: '' });
    expect(typedIn('sum(ra')).toEqual({ kind: 'word', word: 'ra' });
    expect(typedIn('up{a="{"} / node:cpu')).toEqual({ kind: 'word', word: 'node:cpu' });
  });
  it('is a label', () => {
    expect(typedIn('up{')).toEqual({ kind: 'label', word: '', metric: 'up' });
    expect(typedIn('sum(up{a="x,y",jo')).toEqual({ kind: 'label', word: 'jo', metric: 'up' });
    expect(typedIn('{jo')).toEqual({ kind: 'label', word: 'jo', metric: '' });
    expect(typedIn('sum by (instance, jo')).toEqual({ kind: 'label', word: 'jo', metric: '' });
  });
  it('is a value', () => {
    expect(typedIn('up{job="pro')).toEqual({ kind: 'value', word: 'pro', metric: 'up', label: 'job' });
    expect(typedIn("up{a='b', job!~'")).toEqual({ kind: 'value', word: '', metric: 'up', label: 'job' });
  });
});

describe('PromQL that is being typed', () => {
  it('is complete without open quotes and brackets', () => {
    for (const text of ['', 'up', 'sum(up{a="({["})', 'a)', "x{a='\"'}[5m]"]) expect(isComplete(text)).toBe(true);
    for (const text of ['sum(', 'up{a="b', 'up{a="b"', 'up[5m', 'sum(a{)', '`']) expect(isComplete(text)).toBe(false);
  });
});

describe('the unit of PromQL', () => {
  it('is that of the first metric', () => {
    expect(metricIn('sum by (job) (rate(net_bytes{dev="eth0"}[5m]))')).toBe('net_bytes');
    expect(metricIn('histogram_quantile(0.9, x_bucket)')).toBe('x_bucket');
    expect(metricIn('1 + 2')).toBe('');
    expect(isRate('sum(irate(a[5m]))')).toBe(true);
    expect(isRate('rated')).toBe(false);
  });
});

describe('a request of PromQL', () => {
  it('has steps that are multiples of their interval', () => {
    const hour = 3600e3;
    const sent = sentPromql('up', 2, 24 * hour, 1000);
    expect(sent).toMatchObject({ m: 'up', line: 2, stepMs: 300e3 });
    expect(promqlParams('up', 300e3, 1000, hour)).toEqual([['query', 'up'], ['start', '300'], ['end', '3600'], ['step', '300']]);
    expect(promqlParams('up', 300e3, 1000, 2000)[1]).toEqual(['start', '1']);
    expect(textsOf([{ m: 'sum:a', line: 0, index: 0, part: 'value' }, sent])).toEqual(['sum:a']);
    expect(asPromqlCurl('http://h/', sent, 0, 600e3)).toBe('curl -G http://h/api/v1/query_range ' +
      '--data-urlencode query=up --data-urlencode start=0 --data-urlencode end=600 --data-urlencode step=300');
  });
  it('has steps for the shortest ranges', () => {
    expect(sentPromql('up', 0, 500, 1000).stepMs).toBe(1000);
  });
});

describe('a saved graph', () => {
  it('keeps the language of each query', () => {
    const lines = [{ m: 'sum:a', right: false, hidden: false }, { m: 'up', promql: true, right: true, hidden: false }];
    const state = { ...emptyState(), view: 'graph' as const, lines };
    const graph = graphIn(state);
    expect(graph.queries).toEqual(['sum:a', { promql: 'up' }]);
    expect(stateOf(graph, { start: '1h-ago', end: '', tz: '', refresh: 0 }, '').lines).toEqual(lines);
  });
});
