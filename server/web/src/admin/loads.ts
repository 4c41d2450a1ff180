// What regions were written and read over time, as /api/admin/regions/loads answers, as a heat map:
// time from left to right, keys from top to bottom. Regions are split and merged meanwhile, so a
// row of the map is what lies between two neighbors of all keys at which a region ever began.

import type { HeatModel } from '../plot/heat';
import { showTime } from '../time/time';
import { showNumber } from '../time/units';

export const MEASURES = ['points_written', 'rows_written', 'rows_read', 'rows_blocked', 'bytes'] as const;
export type Measure = (typeof MEASURES)[number];

export interface LoadedRegion extends Record<Measure, number[]> {
  id: number;
  start: string;
  explained?: { text: string };
  first_step: number;
}

export interface Loads {
  step_ms: number;
  start_ms: number;
  steps: number;
  regions: LoadedRegion[]; // ascending by start
  events: { time_ms: number; kind: string; text: string }[];
}

export function heatOfLoads(loads: Loads, measure: Measure, tz: string): HeatModel {
  const starts = [...new Set(loads.regions.map((region) => region.start))];
  const rows = starts.map(() => new Array<LoadedRegion | undefined>(loads.steps));
  for (let step = 0; step < loads.steps; ++step) {
    let owner: LoadedRegion | undefined;
    const begins = new Map(loads.regions.filter((region) => isThere(region, step))
      .map((region) => [region.start, region]));
    starts.forEach((start, row) => {
      owner = begins.get(start) ?? owner;
      rows[row]![step] = owner;
    });
  }
  const seconds = measure === 'bytes' ? 1 : loads.step_ms / 1e3;
  const at = (row: number, step: number) => {
    const region = rows[row]?.[step];
    return region ? region[measure][step - region.first_step]! / seconds : NaN;
  };
  return {
    rows: starts.length, steps: loads.steps, startMs: loads.start_ms, stepMs: loads.step_ms, tz, at,
    text: (row, step) => {
      const region = rows[row]?.[step];
      const time = showTime(loads.start_ms + step * loads.step_ms, tz);
      return region ? `${time}, region ${region.id} from ${region.explained?.text || region.start || 'the first key'}: ${
        showLoad(at(row, step), measure)}` : time;
    },
    marks: loads.events.map((event) => event.time_ms),
  };
}

const isThere = (region: LoadedRegion, step: number) =>
  step >= region.first_step && step < region.first_step + region.bytes.length;

export function showLoad(value: number, measure: Measure): string {
  if (measure === 'bytes') return showNumber(value, 'bytes');
  return `${showNumber(value)} ${measure.split('_')[0]} ${measure.endsWith('blocked') ? 'blocked ' : ''}/s`;
}
