import { describe, expect, it } from 'vitest';
import { breakHoles, lonelyIn, onAxis, parseLimits, stack, unionOf, withHoles } from '../src/plot/align';
import { chartModel } from '../src/plot/model';
import { nearest } from '../src/plot/options';
import { sentQueries, textsOf } from '../src/query/auto';
import { parseQuery } from '../src/query/parse';
import { seriesOf, statsOf, type PlotSeries } from '../src/plot/series';
import { runsOf } from '../src/plot/sparkline';
import { emptyState } from '../src/state/state';
import { stretched } from '../src/plot/touch';

describe('one axis for all series', () => {
  const axis = unionOf([[1, 3, 5], [2, 3]]);
  it('has every time once', () => expect(axis).toEqual([1, 2, 3, 5]));
  it('is the one that all have, without a copy', () => {
    const times = [1, 2, 3];
    expect(unionOf([times, [1, 2, 3], [1, 2, 3]])).toBe(times);
    expect(unionOf([times, [1, 2, 3], [1, 2]])).toEqual([1, 2, 3]);
    expect(unionOf([[1], [2], [3], [4], [5], [6], [1], [2]])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(unionOf([])).toEqual([]);
  });
  it('leaves open what a series does not have', () => {
    expect(onAxis(axis, [2, 3], [20, null])).toEqual([undefined, 20, null, undefined]);
  });
  it('stacks, with the line between two points', () => {
    const columns = [onAxis(axis, [1, 3, 5], [10, 30, 50]), onAxis(axis, [2, 3], [1, 2])];
    expect(stack(axis, columns)).toEqual([[10, 20, 30, 50], [undefined, 21, 32, undefined]]);
  });
  it('keeps gaps', () => {
    expect(stack([1, 2], [[null, 1], [5, 5]])).toEqual([[null, 1], [5, 6]]);
  });
  it('has nothing between a point and a hole', () => {
    expect(onAxis([1, 2, 3, 4, 5], [1, 3, 5], [10, null, 50])).toEqual([10, null, null, null, 50]);
  });
  it('finds no point beyond a hole', () => {
    expect([1, 2, 3].map((at) => nearest([10, null, null, null, 50], at))).toEqual([1, 2, 3]);
    expect(nearest([10, undefined, undefined, null, 50], 2)).toBe(0);
  });
  it('finds the nearest point', () => {
    expect(nearest([1, undefined, undefined, 4], 2)).toBe(3);
    expect(nearest([], 0)).toBe(0);
  });
  it('reads limits', () => {
    expect(parseLimits('[0:100]')).toEqual([0, 100]);
    expect(parseLimits('[-1.5e3:]')).toEqual([-1500, null]);
    expect(parseLimits('x')).toEqual([null, null]);
  });
});

describe('holes', () => {
  const MIN = 60e3;
  // 60 minutes of points, 90 of none, 30 of points.
  const minutes = [...Array(60).keys(), ...Array.from({ length: 30 }, (_, i) => 150 + i)];
  const gap: PlotSeries = { label: 'edge.gap', metric: 'edge.gap', tags: {}, tsuid: '', line: 0,
    xs: minutes.map((m) => m * MIN), ys: minutes, texts: minutes, low: [], high: [], stats: statsOf(minutes) };
  const full: PlotSeries = { ...gap, label: 'full', xs: Array.from({ length: 180 }, (_, m) => m * MIN),
    ys: new Array(180).fill(1) };

  it('are not drawn as a line', () => {
    const { axis, drawn } = chartModel(emptyState(), [gap], 0, 180 * MIN, () => '');
    const at = (m: number) => drawn[0]!.column[axis.indexOf(m * MIN)];
    expect([at(59), at(60), at(149), at(150)]).toEqual([59, null, null, 150]);
    expect(axis).toHaveLength(92);
  });
  it('are not drawn beside a series that has points there', () => {
    const { axis, drawn } = chartModel({ ...emptyState(), style: 'stacked' }, [full, gap], 0, 180 * MIN, () => '');
    expect(axis).toHaveLength(180);
    expect(drawn[1]!.column.slice(60, 150)).toEqual(new Array(90).fill(null));
    expect(drawn[1]!.column[150]).toBe(151);
  });
  it('are drawn if one wants to', () => {
    const { axis } = chartModel({ ...emptyState(), connect: true }, [gap], 0, 180 * MIN, () => '');
    expect(axis).toEqual(gap.xs);
  });
  it('are more than three times the usual distance', () => {
    expect(breakHoles([0, 10, 20, 50]).after).toEqual([]);
    expect(breakHoles([0, 10, 20, 51])).toEqual({ xs: [0, 10, 20, 30, 41, 51], after: [2] });
    expect(breakHoles([0, 1000]).after).toEqual([]);
    expect(breakHoles([]).after).toEqual([]);
    expect(withHoles([1, 2, 3, 4], { xs: [], after: [0, 2] })).toEqual([1, null, null, 2, 3, null, null, 4]);
  });
  it('do not hide a point between two', () => {
    expect(lonelyIn([1, null, 2, null, 3, undefined, 4, null, undefined, 5])).toEqual([0, 2, 9]);
    expect(lonelyIn([1, 2])).toEqual([]);
  });
  it('are in small charts, too', () => {
    expect(runsOf([[0, 1], [10, 2], [20, 3], [90, 4]]).map((run) => run.length)).toEqual([3, 1]);
  });
});

describe('answers as series', () => {
  const answer = (index: number, y: number) => ({
    metric: 'm', tags: { h: 'a' }, aggregateTags: [], query: { index },
    dps: [[1, y], [2, 'NaN']] as [number, number | string][],
  });
  it('have their band', () => {
    const [series] = seriesOf([answer(0, 2), answer(1, 1), answer(2, 3)], [
      { m: '', line: 0, index: 0, part: 'value' }, { m: '', line: 0, index: 1, part: 'min' },
      { m: '', line: 0, index: 2, part: 'max' },
    ]);
    expect(series).toMatchObject({ label: 'm{h=a}', ys: [2, null], low: [1, null], high: [3, null] });
  });
  it('have names of their own', () => {
    const two = seriesOf([answer(0, 1), answer(1, 1)], [
      { m: '', line: 0, index: 0, part: 'value' }, { m: '', line: 1, index: 1, part: 'value' }]);
    expect(two.map((one) => one.label)).toEqual(['m{h=a}', 'm{h=a} #2']);
  });
  it('belong to all queries that are equal', () => {
    const lines = ['sum:rate:x', 'sum:rate:x', 'avg:y'].map((m, line) => ({ query: parseQuery(m), line }));
    const { sent } = sentQueries(lines, 60e3, 1200, true);
    expect(textsOf(sent)).toEqual(['sum:rate:x', 'avg:y']);
    const all = seriesOf([answer(0, 7), { ...answer(1, 8), metric: 'y' }], sent);
    expect(all.map(({ line, label, ys }) => [line, label, ys[0]])).toEqual([
      [0, 'm{h=a}', 7], [1, 'm{h=a} #2', 7], [2, 'y{h=a}', 8]]);
  });
  it('are numbered as the server does, which compares what a query means', () => {
    const numbers = (...ms: string[]) => sentQueries(ms.map((m, line) => ({ query: parseQuery(m), line })), 60e3, 9, true)
      .sent.map(({ index }) => index);
    expect(numbers('sum:60m-avg:x', 'sum:1h-avg-none:x', 'sum:1hc-avg:x', 'sum:pre-agg:x', 'sum:x')).toEqual([0, 0, 1, 2, 2]);
    expect(numbers('sum:rate{counter,9223372036854775807,0}:x', 'sum:rate{counter}:x', 'sum:rate:x')).toEqual([0, 0, 1]);
  });
  it('have integers in full', () => {
    const [series] = seriesOf([{ ...answer(0, 1), dps: [[1, '9223372036854775010'], [2, 'NaN']] }],
      [{ m: '', line: 0, index: 0, part: 'value' }]);
    expect(series!.texts).toEqual(['9223372036854775010', null]);
    expect(series!.ys).toEqual([9223372036854775000, null]);
  });
  it('have units of their lines, and axes those that their lines share', () => {
    const units = ['bytes', '', 'percent'];
    const all = units.map((_, line) => ({ ...seriesOf([answer(0, 1)], [{ m: '', line, index: 0, part: 'value' }])[0]! }));
    const state = { ...emptyState(), lines: [false, true, true].map((right) => ({ m: 'sum:x', right, hidden: false })) };
    const model = chartModel(state, all, 0, 9, (line) => units[line]!);
    expect(model.units).toEqual(['bytes', '']);
    expect(model.drawn.map((one) => one.unit)).toEqual(units);
  });
  it('have last, min, max and average without the gaps', () => {
    expect(statsOf([1, null, 4, 1])).toEqual({ last: 1, min: 1, max: 4, avg: 2, points: 3 });
  });
});

describe('two fingers', () => {
  const range = { from: 0, to: 1000 };
  it('keep the instants below them', () => {
    expect(stretched(range, 100, { from: 40, to: 30 }, { from: 60, to: 70 })).toEqual([250, 750]);
    expect(stretched(range, 100, { from: 60, to: 70 }, { from: 40, to: 30 })).toEqual([250, 750]);
    expect(stretched(range, 100, { from: 20, to: 30 }, { from: 60, to: 70 })).toEqual([-100, 900]);
  });
  it('do nothing at one place', () => {
    const [from, to] = stretched(range, 100, { from: 40, to: 50 }, { from: 60, to: 50 });
    expect(from < to).toBe(false);
  });
});
