import { describe, expect, it } from 'vitest';
import { changed, emptyState, type State } from '../src/state/state';
import { parseState, printState } from '../src/state/url';

const FULL: State = {
  view: 'graph', shown: 'table', start: '2014/02/14-00:00:00', end: '2014/02/20',
  lines: [{ m: 'avg:cpu{host=*,dc=regexp(^a&b#$)}', right: false, hidden: true },
    { m: 'sum:rate{counter}:net', right: true, hidden: false },
    { m: 'sum by (job) (rate(x{a=~"b+",c="&#"}[5m]))', promql: true, right: true, hidden: false }],
  style: 'stacked', compare: '1w', threshold: '99.5', ylog: true, y2log: true, yrange: '[0:100]', y2range: '[:5]', ylabel: 'a & b',
  y2label: '日本', title: '<script>', unit: 'bytes', tz: 'Europe/Berlin', refresh: 15, auto: false,
  notes: false, connect: true, every: true, solo: ['cpu{host=a}', 'שלום'], moved: ['host=web07', 'dc="a|b"'], sort: '-max', metric: 'm', tag: 't', search: 'x y', saved: 'Web / 日本',
  since: '1w-ago', tab: 'My queries', table: 'uid', measure: 'rows_read', order: 'stale', job: '7',
  fleet: 'metrics=10,tags=host:1000', designs: ['a: layout=salted:20 presplit=salt', 'b & c: layout=opentsdb'],
};

describe('series that are shown alone', () => {
  const state = { ...FULL, solo: ['cpu{host=a}'] };
  it('are of the queries that there were', () => {
    const added = { lines: [...state.lines, { m: 'avg:iowait{host=*}', right: false, hidden: false }] };
    expect(changed(state, added).solo).toEqual([]);
    expect(changed(state, { lines: state.lines.map((line) => ({ ...line, right: true })) }).solo).toEqual(state.solo);
    expect(changed(state, { ...added, solo: ['x'] }).solo).toEqual(['x']);
  });
});

describe('the address', () => {
  it('is the whole state, both ways', () => {
    expect(parseState(`#${printState(FULL)}`)).toEqual(FULL);
    for (const view of ['views', 'browse', 'cardinality', 'regions', 'lab', 'server'] as const) {
      expect(parseState(printState({ ...FULL, view }))).toEqual({ ...FULL, view });
    }
  });
  it('is empty for a page without anything', () => {
    expect(printState(emptyState())).toBe('');
    expect(parseState('')).toEqual(emptyState());
  });
  it('opens the links of OpenTSDB as the same graph', () => {
    const state = parseState('#start=2010/08/23-12:00:00&end=2010/08/24-12:00:00&m=sum:rate:' +
      'http.hits%7Bhost=*%7D&o=axis%20x1y2&m=avg:5m-avg:lat&o=&yrange=%5B0:%5D&y2log&' +
      'wxh=1475x613&autoreload=15&style=linespoint&key=out%20right');
    expect(state.view).toBe('graph');
    expect(state.lines).toEqual([
      { m: 'sum:rate:http.hits{host=*}', right: true, hidden: false },
      { m: 'avg:5m-avg:lat', right: false, hidden: false },
    ]);
    expect(state).toMatchObject({ start: '2010/08/23-12:00:00', end: '2010/08/24-12:00:00',
      yrange: '[0:]', y2log: true, refresh: 15, style: 'line' });
  });
});
