import { describe, expect, it } from 'vitest';
import { countTags } from '../src/api/names';
import { asCli, asCurl, asJson, fixedRange, quote } from '../src/export/copy';
import { toCsv } from '../src/export/csv';
import { escapeXml, toSvg } from '../src/export/svg';
import { sortSeries } from '../src/graph/sort';
import { statsOf, type PlotSeries } from '../src/plot/series';

const series = (label: string, xs: number[], ys: (number | null)[]): PlotSeries => ({
  label, metric: label, tags: {}, tsuid: '', line: 0, xs, ys, texts: ys, low: [], high: [], stats: statsOf(ys),
});

describe('CSV', () => {
  it('has one row for each time', () => {
    expect(toCsv([series('a', [0, 1000], [1, null]), series('b,"c"', [1000], [2.5])])).toBe(
      'time,a,"b,""c"""\r\n1970-01-01T00:00:00.000Z,1,\r\n1970-01-01T00:00:01.000Z,,2.5\r\n');
  });
  it('has integers in full', () => {
    const big = { ...series('a', [0], [9223372036854775010]), texts: ['9223372036854775010'] };
    expect(toCsv([big])).toContain('Z,9223372036854775010\r\n');
  });
  it('has no formulas', () => {
    expect(toCsv([series('=1+1', [], [])])).toContain("'=1+1");
  });
});

describe('the query in other words', () => {
  const ask = { start: '1h-ago', end: '', tz: 'UTC', ms: ["sum:rate{counter}:5m-avg:a{h=*}{x=b'c}"] };
  it('is quoted for a shell', () => {
    expect(quote("it's")).toBe("'it'\\''s'");
    expect(asCurl('http://h/', ask)).toBe("curl -G http://h/api/query --data-urlencode start=1h-ago " +
      "--data-urlencode tz=UTC --data-urlencode 'm=sum:rate{counter}:5m-avg:a{h=*}{x=b'\\''c}'");
    expect(asCli({ ...ask, ms: ['sum:a'] })).toBe('hourcell query 1h-ago -m sum:a');
  });
  it('means the same moments anywhere if it is fixed', () => {
    const fixed = { ...ask, ms: ['sum:a'], tz: '', ...fixedRange(1398211740000, 1398298140250.4) };
    expect(asCli(fixed)).toBe('hourcell query 1398211740 1398298140251 -m sum:a');
    expect(asCurl('http://h/', fixed)).toContain('start=1398211740 --data-urlencode end=1398298140251');
    expect(JSON.parse(asJson(fixed))).toMatchObject({ start: '1398211740', end: '1398298140251' });
  });
  it('is a body of /api/query', () => {
    expect(JSON.parse(asJson(ask))).toEqual({
      start: '1h-ago', timezone: 'UTC', queries: [{
        aggregator: 'sum', metric: 'a', downsample: '5m-avg', rate: true,
        rateOptions: { counter: true }, filters: [
          { type: 'wildcard', tagk: 'h', filter: '*', groupBy: true },
          { type: 'literal_or', tagk: 'x', filter: "b'c", groupBy: false }] }],
    });
  });
});

describe('SVG', () => {
  it('has names as text', () => {
    const one = series('<script>&', [0, 10], [1, 2]);
    const svg = toSvg({ from: 0, to: 10, axis: [0, 10], style: 'line', log: [false, false], units: ['', ''],
      tz: 'UTC', limits: [[null, null], [null, null]], labels: ['', ''], threshold: 1.5, left: 0,
      drawn: [{ series: one, color: '#000000', right: false, column: [1, 2], low: null, high: null, unit: '', dashed: true }],
    }, 'a "title"', false);
    expect(svg).not.toContain('<script>');
    expect(svg).toContain(escapeXml('<script>&'));
    expect(svg).toMatch(/<path d="M70\.0 480\.0L1130\.0 40\.0".* stroke-dasharray="6 4"/);
    expect(svg).toContain('<path d="M70 260.0H1130" stroke="#d32f2f"');
  });
});

describe('the legend', () => {
  const all = [series('b', [0], [5]), series('a', [0], [9]), series('c', [], [])];
  const names = (sort: string) => sortSeries(all, sort).map((row) => row.one.label).join('');
  it('is sorted by any column, with those that have no number last', () => {
    expect([names(''), names('name'), names('max'), names('-max')]).toEqual(['bac', 'abc', 'bac', 'abc']);
  });
});

describe('tags of a metric', () => {
  it('are counted', () => {
    const found = countTags({ totalResults: 5, results: [
      { tsuid: '1', metric: 'm', tags: { h: 'a', d: 'x' } }, { tsuid: '2', metric: 'm', tags: { h: 'b', d: 'x' } }] });
    expect(found.total).toBe(5);
    expect(found.keys.get('d')!.get('x')).toBe(2);
  });
});
