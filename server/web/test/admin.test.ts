import { describe, expect, it } from 'vitest';
import { pointsOf } from '../src/admin/track';
import { parseHelp } from '../src/admin/settings_help';
import { layOut, remember, type Region } from '../src/admin/region_space';

const region = (id: number, bytes: number, parents: number[] = []): Region => ({
  id, name: '', start: '', end: '', state: 'OPEN', parents, fileBytes: bytes, memoryBytes: 0, files: 1,
});

describe('regions over time', () => {
  it('have parts of the picture by their sizes', () => {
    expect(layOut([region(1, 300), region(2, 100)]).map((one) => one.part)).toEqual([0.75, 0.25]);
    expect(layOut([region(1, 0)])[0]!.part).toBe(0.01);
  });
  it('grow, and shrinking by a compaction is no growth', () => {
    let shots = remember([], [region(1, 100), region(2, 100)], 0);
    shots = remember(shots, [region(1, 300), region(2, 50)], 2000);
    expect([...shots[1]!.grown]).toEqual([[1, 100], [2, 0]]);
  });
  it('are split and merged', () => {
    let shots = remember([], [region(1, 100)], 0);
    shots = remember(shots, [region(2, 50, [1]), region(3, 50, [1])], 1000);
    shots = remember(shots, [region(4, 100, [2, 3])], 2000);
    expect(shots.flatMap((shot) => shot.events)).toEqual([
      'Region 1 was split into 2, 3.', 'Regions 2 and 3 were merged into 4.']);
  });
});

describe('the server of itself', () => {
  const sample = (value: string, type = 'all') => (
    { metric: 'tsd.x', timestamp: 0, value, tags: { type } });
  it('has rates of its counters, also when it was started anew', () => {
    const track = [{ at: 0, samples: [sample('10')] }, { at: 2000, samples: [sample('30')] },
      { at: 4000, samples: [sample('0')] }];
    expect(pointsOf(track, 'tsd.x', {}, true)).toEqual([[2000, 10], [4000, 0]]);
    expect(pointsOf(track, 'tsd.x', { type: 'none' }, false)[0]).toEqual([0, 0]);
  });
  it('has settings with their meaning', () => {
    expect(parseHelp('tsd.a=1\n    what it\n    means\ntsd.b=\n    other\n')).toEqual(new Map([
      ['tsd.a', { usual: '1', about: 'what it means' }], ['tsd.b', { usual: '', about: 'other' }]]));
  });
});
