// Which metrics moved most in a range against the range before, as the server finds them.

import { getJson } from './client';

interface RangeValues { values: number; mean?: number; min?: number; max?: number }

export interface Change {
  metric: string;
  tags: Record<string, string>;
  tsuid: string;
  change: 'moved' | 'started' | 'ended';
  score: number;
  rate: boolean;
  series: number; // of the metric, and compared
  moved: number; // series with a score of at least 1
  before: RangeValues;
  now: RangeValues;
  line: [number, number][];
}

export interface ChangeReport {
  before: number;
  start: number;
  end: number;
  series: number; // with the tags
  compared: number;
  metrics: number;
  timedOut: boolean;
  changes: Change[];
}

export function findChanges(tags: string[], from: number, to: number, signal: AbortSignal): Promise<ChangeReport> {
  return getJson('api/query/changes', {
    params: [['start', String(Math.floor(from))], ['end', String(Math.ceil(to))],
      ...tags.map((tag): [string, string] => ['tag', tag])],
    signal,
  });
}
