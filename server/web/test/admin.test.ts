import { describe, expect, it } from 'vitest';
import { heatOfLoads, type LoadedRegion, type Loads } from '../src/admin/loads';
import { otherErrors } from '../src/admin/own';
import { otherTiles } from '../src/admin/tiles';
import { pointsOf, shareOf } from '../src/admin/track';
import { layOut, type Region } from '../src/admin/region_space';

const region = (id: number, bytes: number, parents: number[] = []): Region => ({
  id, name: '', start: '', end: '', state: 'OPEN', parents, fileBytes: bytes, memoryBytes: 0, files: 1,
});

describe('regions', () => {
  it('have parts of the picture by their sizes', () => {
    expect(layOut([region(1, 300), region(2, 100)]).map((one) => one.part)).toEqual([0.75, 0.25]);
    expect(layOut([region(1, 0)])[0]!.part).toBe(0.01);
  });
});

describe('loads of regions', () => {
  const loaded = (id: number, start: string, first_step: number, points: number[]): LoadedRegion => ({
    id, start, first_step, points_written: points, rows_written: points, rows_read: points, rows_blocked: points,
    bytes: points,
  });
  // Region 1 is split into 2 and 3 after two steps.
  const loads: Loads = {
    step_ms: 10_000, start_ms: 0, steps: 4, events: [{ time_ms: 20_000, kind: 'split', text: 'split' }],
    regions: [loaded(1, '', 0, [10, 20]), loaded(2, '', 2, [30, 0]), loaded(3, 'm', 2, [40, 50])],
  };
  it('are a map in which a region takes the rows that it had', () => {
    const model = heatOfLoads(loads, 'points_written', 'UTC');
    expect([model.rows, model.steps, model.marks]).toEqual([2, 4, [20_000]]);
    expect([0, 1, 2, 3].map((step) => model.at(0, step))).toEqual([1, 2, 3, 0]);
    expect([0, 1, 2, 3].map((step) => model.at(1, step))).toEqual([1, 2, 4, 5]);
    expect(model.text(1, 0)).toBe('1970-01-01 00:00:00, region 1 from the first key: 1 points /s');
    expect(model.text(1, 3)).toBe('1970-01-01 00:00:30, region 3 from m: 5 points /s');
  });
  it('are bytes, not bytes a second, if the size is asked for', () => {
    expect(heatOfLoads(loads, 'bytes', 'UTC').at(1, 3)).toBe(50);
  });
  it('are nothing where no region was sampled yet', () => {
    const late = { ...loads, regions: [loaded(2, '', 2, [30, 0])] };
    expect(heatOfLoads(late, 'bytes', 'UTC').at(0, 0)).toBeNaN();
  });
});

describe('errors that the server counts', () => {
  const counted = (metric: string, value: string) => ({ metric, value, timestamp: 0, tags: {} as Record<string, string> });
  it('are all named, beside those that mean a loss', () => {
    expect(otherErrors([counted('tsd.rpc.put.errors', '1'), counted('tsd.rpc.put.errors', '2'),
      counted('tsd.forward.dropped', '4'), counted('tsd.rpc.errors', '0'), counted('tsd.journal.errors', '3'),
      counted('tsd.rpc.received', '9')])).toEqual([['tsd.rpc.put.errors', 3], ['tsd.forward.dropped', 4]]);
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
  it('has shares of hits, where there were any', () => {
    const both = (at: number, hit: string, miss: string) => ({ at, samples: [
      { metric: 'hit', timestamp: 0, value: hit, tags: {} as Record<string, string> },
      { metric: 'miss', timestamp: 0, value: miss, tags: {} as Record<string, string> }] });
    const track = [both(0, '0', '0'), both(1000, '3', '1'), both(2000, '3', '1'), both(3000, '3', '5')];
    expect(shareOf(track, 'hit', 'miss')).toEqual([[1000, 75], [3000, 0]]);
  });
  it('shows counters that no area has, unless they are zero', () => {
    const named = (metric: string, value: string) => ({ metric, timestamp: 0, value, tags: {} });
    expect(otherTiles([named('tsd.new.things', '4'), named('tsd.new.bytes', '9'), named('tsd.old', '0'),
      named('tsd.seal.points', '5')]).map((tile) => [tile.title, tile.rate, tile.unit])).toEqual([
      ['new.things', true, '/s'], ['new.bytes', false, 'bytes']]);
  });
});
