import { describe, expect, it } from 'vitest';
import { onAxis, parseLimits, stack, unionOf } from '../src/plot/align';
import { nearest } from '../src/plot/options';
import { seriesOf, statsOf } from '../src/plot/series';

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

describe('answers as series', () => {
  const answer = (index: number, y: number) => ({
    metric: 'm', tags: { h: 'a' }, aggregateTags: [], query: { index },
    dps: [[1, y], [2, 'NaN']] as [number, number | string][],
  });
  it('have their band', () => {
    const [series] = seriesOf([answer(0, 2), answer(1, 1), answer(2, 3)], [
      { m: '', line: 0, part: 'value' }, { m: '', line: 0, part: 'min' },
      { m: '', line: 0, part: 'max' },
    ]);
    expect(series).toMatchObject({ label: 'm{h=a}', ys: [2, null], low: [1, null], high: [3, null] });
  });
  it('have names of their own', () => {
    const two = seriesOf([answer(0, 1), answer(1, 1)], [
      { m: '', line: 0, part: 'value' }, { m: '', line: 1, part: 'value' }]);
    expect(two.map((one) => one.label)).toEqual(['m{h=a}', 'm{h=a} #2']);
  });
  it('have last, min, max and average without the gaps', () => {
    expect(statsOf([1, null, 4, 1])).toEqual({ last: 1, min: 1, max: 4, avg: 2, points: 3 });
  });
});
