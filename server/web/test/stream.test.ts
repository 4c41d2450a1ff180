import { describe, expect, it } from 'vitest';
import { ArrayReader, printAnswers } from '../src/api/stream';

const ANSWER = JSON.stringify([
  { metric: 'a"]}', tags: { h: '\\"{[' }, aggregateTags: [], dps: [[1, 2], [3, 'NaN']] },
  { metric: 'b', tags: {}, aggregateTags: ['x'], dps: [[5, 6.5]] },
  { statsSummary: { series: 2 } },
]);

describe('an answer that arrives in pieces', () => {
  it('is the same wherever it is cut', () => {
    for (let cut = 0; cut <= ANSWER.length; ++cut) {
      const reader = new ArrayReader();
      reader.push(ANSWER.slice(0, cut));
      reader.push(ANSWER.slice(cut));
      expect(reader.items).toEqual(JSON.parse(ANSWER).slice(0, 2));
      expect(reader.isComplete).toBe(true);
    }
  });
  it('is the same byte by byte', () => {
    const reader = new ArrayReader();
    for (const piece of ANSWER) reader.push(piece);
    expect(reader.items).toHaveLength(2);
  });
  it('has how the server read the queries', () => {
    const reader = new ArrayReader();
    reader.push('[{"metric":"m","tags":{},"aggregateTags":[],"dps":[]},{"explain":[{"query":0}]}]');
    expect(reader.items).toHaveLength(1);
    expect(reader.plans).toEqual([{ query: 0 }]);
  });
  it('keeps integers that a double has no room for', () => {
    const text = '[{"metric":"[1,1234567890123456]","tags":{"t":"[1,1234567890123456]"},"aggregateTags":[],' +
      '"dps":[[1764000000000,9223372036854775010],[2,-9007199254740993],[3,0.1234567890123456],[4,123456789012345]]}]';
    const reader = new ArrayReader();
    reader.push(text);
    expect(reader.items[0]!.dps.map(([, v]) => v)).toEqual(
      ['9223372036854775010', '-9007199254740993', 0.1234567890123456, 123456789012345]);
    expect(printAnswers(reader.items)).toBe(text);
    expect(printAnswers(reader.items, 1)).toContain('9223372036854775010\n');
  });
  it('shows the points so far', () => {
    const reader = new ArrayReader();
    reader.push('[{"metric":"m","tags":{},"aggregateTags":[],"dps":[[1,2],[3,4],[5');
    expect(reader.items).toEqual([]);
    expect(reader.partial()?.dps).toEqual([[1, 2], [3, 4]]);
    expect(reader.isComplete).toBe(false);
  });
});
