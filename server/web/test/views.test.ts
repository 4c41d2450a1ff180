import { describe, expect, it } from 'vitest';
import { emptyState, type State } from '../src/state/state';
import { graphIn, placeIn, printView, rangeIn, readDocument, stateOf, viewIn } from '../src/views/document';

const GRAPH: State = {
  ...emptyState(), view: 'graph', start: '6h-ago', end: '1h-ago', tz: 'Europe/Berlin', refresh: 60, title: 'CPU & net',
  lines: [{ m: 'avg:cpu{host=*,dc=regexp(^a&b#$)}', right: false, hidden: true },
    { m: 'sum:rate{counter,+5}:net', right: true, hidden: false }],
  style: 'stacked', ylog: true, yrange: '[0:100]', ylabel: 'a + b', unit: '%', compare: '1w', threshold: '99.5', connect: true,
  auto: false, notes: false, every: true,
};

describe('a graph of a view', () => {
  const { start, end, tz, refresh } = GRAPH;
  it('is drawn as it was saved', () => {
    expect(stateOf(graphIn(GRAPH), { start, end, tz, refresh }, 'Web')).toEqual({ ...GRAPH, saved: 'Web' });
  });
  it('has its queries as texts, and only what differs from the usual look', () => {
    const plain = { ...emptyState(), view: 'graph' as const, lines: [{ m: 'sum:m', right: false, hidden: false }] };
    expect(graphIn(plain)).toEqual({ queries: ['sum:m'] });
    expect(graphIn({ ...plain, title: 'T', style: 'area' })).toEqual(
      { title: 'T', queries: ['sum:m'], look: { style: 'area' } });
    expect(graphIn(GRAPH).look).toMatchObject({ right: '1', hide: '0', ylabel: 'a + b', ylog: '' });
  });
  it('leaves out queries without a metric', () => {
    const [first, second] = GRAPH.lines;
    const none = { m: '', right: false, hidden: false };
    expect(graphIn({ ...GRAPH, lines: [first!, none, second!] })).toEqual(graphIn(GRAPH));
  });
  it('does not keep what is of one moment', () => {
    expect(graphIn({ ...GRAPH, solo: ['x'], moved: ['host=a'], sort: '-max', shown: 'table', saved: 'Web', search: 'x' }))
      .toEqual(graphIn(GRAPH));
  });
  it('takes its range from the page, whatever its look has', () => {
    const look = { start: '1y-ago', v: 'server', m: 'sum:other', title: 'x', saved: 'x' };
    const state = stateOf({ queries: ['sum:m'], look }, { start, end, tz, refresh }, 'Web');
    expect(state).toMatchObject({ start, view: 'graph', title: '', saved: 'Web' });
    expect(state.lines.map((line) => line.m)).toEqual(['sum:m']);
  });
});

describe('a view', () => {
  it('is printed and read', () => {
    const view = viewIn(GRAPH);
    expect(view).toMatchObject({ version: 1, start: '6h-ago', end: '1h-ago', tz: 'Europe/Berlin', refresh: 60 });
    expect(readDocument(printView(view))).toEqual(view);
    expect(viewIn({ ...GRAPH, end: '', tz: '', refresh: 0 })).not.toHaveProperty('end');
    expect(() => readDocument('{"version":2,"graphs":[]}')).toThrow('version 2');
  });
  it('has the last hour where it names no range', () => {
    expect(rangeIn({})).toEqual({ start: '1h-ago', end: '', tz: '', refresh: 0 });
    expect(rangeIn({ start: '6h-ago', end: 'now' })).toMatchObject({ start: '6h-ago', end: '' });
  });
});

describe('the place of an error', () => {
  it('is an offset in the text', () => {
    const text = '{"version": 1,\n "title": "日本😀", "x": 1}';
    expect(placeIn(text, 'view: line 1, character 1: graphs: missing')).toBe(0);
    // The emoji is one character, and two units of the text.
    expect(text.slice(placeIn(text, 'view: line 2, character 23: unknown'))).toBe('1}');
    expect(placeIn(text, 'view: not UTF-8')).toBe(-1);
    expect(placeIn('', 'line 1, character 1')).toBe(0);
  });
});
