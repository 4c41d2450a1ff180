import { describe, expect, it } from 'vitest';
import { byDistance } from '../src/browse/outliers';
import { columnsFor, sortSeries } from '../src/graph/sort';
import { withPast } from '../src/plot/compare';
import { chartModel } from '../src/plot/model';
import { statsOf, type PlotSeries } from '../src/plot/series';
import { emptyState } from '../src/state/state';

const DAY = 86400e3;
const series = (label: string, xs: number[], ys: number[]): PlotSeries => ({
  label, metric: label, tags: {}, tsuid: '', line: 0, xs, ys, texts: ys, low: [], high: [], stats: statsOf(ys),
});

describe('an earlier range', () => {
  const now = [series('a', [DAY, DAY + 1], [10, 20]), series('b', [DAY], [1])];
  const past = [series('gone', [1], [7]), series('a', [0, 1], [4, 6])];
  const all = withPast(now, past, '1d', DAY);
  const state = { ...emptyState(), compare: '1d' };

  it('has the times and the colour of the present one, and is dashed', () => {
    const { drawn, axis } = chartModel(state, all, DAY, DAY + 1, () => '');
    expect(drawn.map((one) => [one.series.label, one.dashed])).toEqual(
      [['a', false], ['b', false], ['gone 1d before', true], ['a 1d before', true]]);
    expect(drawn[3]!.color).toBe(drawn[0]!.color);
    expect(axis.map((_, i) => drawn[3]!.column[i])).toEqual([4, 6]);
  });
  it('gives the difference of the averages as a column that sorts', () => {
    expect(columnsFor(all)).toEqual(['last', 'min', 'max', 'avg', 'points', 'before', 'change']);
    expect(all[0]!.stats).toMatchObject({ before: 5, change: 10 });
    expect(sortSeries(all, '-change').map(({ one }) => one.label)).toEqual(['a', 'b', 'gone 1d before']);
    expect(columnsFor(now)).not.toContain('change');
  });
  it('is not stacked on the present one', () => {
    const { drawn } = chartModel({ ...state, style: 'stacked' }, all, DAY, DAY + 1, () => '');
    expect(drawn[1]!.column[0]).toBe(11);
    expect(drawn[3]!.column[0]).toBe(4);
  });
  it('goes with its series when that is hidden', () => {
    const { drawn } = chartModel({ ...state, solo: ['b'] }, all, DAY, DAY + 1, () => '');
    expect(drawn.map((one) => one.series.label)).toEqual(['b']);
  });
});

describe('a threshold', () => {
  it('is a number, or none', () => {
    const of = (threshold: string) => chartModel({ ...emptyState(), threshold }, [], 0, 1, () => '').threshold;
    expect([of('90'), of(' 1e3 '), of(''), of('high')]).toEqual([90, 1000, null, null]);
  });
});

describe('many series', () => {
  const many = Array.from({ length: 150 }, (_, i) => series(`s${i}`, [0], [i % 2 ? i : -i]));
  it('are drawn in part, those with the highest maxima, in their order', () => {
    const { drawn, left } = chartModel(emptyState(), many, 0, 1, () => '');
    const labels = drawn.map((one) => one.series.label);
    expect([labels.length, left]).toEqual([100, 50]);
    expect(labels).toContain('s149');
    expect(labels).not.toContain('s148');
    expect(labels.indexOf('s1')).toBeLessThan(labels.indexOf('s149'));
  });
  it('are all drawn if one wants it', () => {
    const { drawn, left } = chartModel({ ...emptyState(), every: true }, many, 0, 1, () => '');
    expect([drawn.length, left]).toEqual([150, 0]);
  });
});

describe('values of a tag', () => {
  it('come by their distance from the others', () => {
    const slice = (tagv: string, ...ys: number[]) => ({ tagv, points: ys.map((y, i) => [i, y] as [number, number]) });
    const sorted = byDistance([slice('a', 50, 51), slice('b', 51, 50), slice('c', 96, 97), slice('d', 40, 50), slice('e')]);
    expect(sorted.map(({ tagv }) => tagv)).toEqual(['c', 'd', 'a', 'b', 'e']);
  });
});
