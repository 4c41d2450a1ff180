import { describe, expect, it } from 'vitest';
import type { Change, ChangeReport } from '../src/api/changes';
import { moveOf, othersOf, pairsOf, queryOf, scopeOf } from '../src/graph/moved';

const CHANGE: Change = {
  metric: 'disk.busy', tags: { host: 'web07', disk: 'sda' }, tsuid: '01', change: 'moved', score: 38, rate: false,
  series: 4, moved: 1, before: { values: 30, mean: 2 }, now: { values: 30, mean: 40.1234 }, line: [],
};
const REPORT: ChangeReport = {
  before: 0, start: 1, end: 2, series: 5312, compared: 5312, metrics: 41, timedOut: false, changes: [CHANGE],
};

describe('the tags that one can ask for', () => {
  it('begin with those of most series, and of them with a place', () => {
    expect(pairsOf([{ tags: { dc: 'lga', host: 'a' } }])).toEqual(['host=a', 'dc=lga']);
    expect(pairsOf([{ tags: { host: 'a', dc: 'lga' } }, { tags: { host: 'b', dc: 'lga' } }]))
      .toEqual(['dc=lga', 'host=a', 'host=b']);
    expect(pairsOf([{ tags: {} }])).toEqual([]);
  });
  it('are quoted where the server would take them apart', () => {
    expect(pairsOf([{ tags: { 'a=b': 'x|y' } }])).toEqual(['"a=b"="x|y"']);
    expect(pairsOf([{ tags: { host: '*' } }])).toEqual(['host="*"']);
  });
});

describe('a metric that moved', () => {
  it('is said in numbers', () => {
    expect(moveOf(CHANGE)).toBe('2 → 40.1');
    expect(moveOf({ ...CHANGE, change: 'started', before: { values: 0 } })).toBe('started at 40.1');
    expect(moveOf({ ...CHANGE, change: 'ended', now: { values: 0 } })).toBe('ended at 2');
    expect(moveOf({ ...CHANGE, rate: true })).toBe('2 /s → 40.1 /s');
  });
  it('opens as the series that moved', () => {
    expect(queryOf(CHANGE)).toBe('avg:disk.busy{host=web07,disk=sda}');
    expect(queryOf({ ...CHANGE, rate: true, tags: { host: 'a*' } })).toBe('avg:rate{dropcounter}:disk.busy{host="a*"}');
  });
  it('has the tags that were not asked for', () => {
    expect(othersOf(CHANGE, ['host=web07'])).toEqual(['disk=sda']);
  });
});

describe('the scope of an answer', () => {
  it('is never cut in silence', () => {
    expect(scopeOf(REPORT)).toBe('1 of 41 metrics, 5\u202f312 series compared');
    expect(scopeOf({ ...REPORT, compared: 60 })).toBe('1 of 41 metrics; 60 of 5\u202f312 series compared');
    expect(scopeOf({ ...REPORT, compared: 60, timedOut: true })).toMatch(/60 of .* compared in the time allowed$/);
  });
});
