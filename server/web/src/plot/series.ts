// The answers of a query as the lines of a graph.

import type { Answer } from '../api/stream';
import type { Sent } from '../query/auto';
import { digitsFor, showNumber } from '../time/units';

export interface PlotSeries {
  label: string;
  metric: string;
  tags: Record<string, string>;
  tsuid: string; // '' if several series are one here
  line: number; // of the form
  xs: number[]; // milliseconds, ascending
  ys: (number | null)[]; // null: a gap
  texts: (number | string | null)[]; // the same, with the digits that a double has no room for
  low: (number | null)[]; // of the band; empty without one
  high: (number | null)[];
  stats: Stats;
  past?: PlotSeries; // the same series of an earlier range
  isPast?: boolean;
}

export interface Stats {
  last: number; min: number; max: number; avg: number; points: number;
  before?: number; // the average of the earlier range, and by how much the present one is higher
  change?: number;
}

export function labelOf(metric: string, tags: Record<string, string>): string {
  const words = Object.entries(tags).map(([tagk, tagv]) => `${tagk}=${tagv}`);
  return words.length ? `${metric}{${words.join(', ')}}` : metric;
}

export function statsOf(ys: (number | null)[]): Stats {
  const stats: Stats = { last: NaN, min: NaN, max: NaN, avg: NaN, points: 0 };
  let sum = 0;
  for (const y of ys) {
    if (y === null) continue;
    stats.last = y;
    if (!(y >= stats.min)) stats.min = y;
    if (!(y <= stats.max)) stats.max = y;
    sum += y;
    ++stats.points;
  }
  if (stats.points) stats.avg = sum / stats.points;
  return stats;
}

// With enough digits to distinguish the series' values. Where all are the same, an integer is in full.
export function showValue(value: number, { min, max }: Stats, unit: string): string {
  const size = Math.max(Math.abs(min), Math.abs(max));
  const distance = max > min ? (max - min) / 1e3 : Number.isInteger(max) ? 0 : size / 1e3;
  return showNumber(value, unit, digitsFor(size, distance));
}

const valueOf = (text: number | string) => {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
};

// While an answer arrives it is drawn again and again: each of its series is converted once.
const columns = new WeakMap<Answer, Pick<PlotSeries, 'xs' | 'ys' | 'texts' | 'stats'>>();

function columnsOf(answer: Answer) {
  let found = columns.get(answer);
  if (!found) {
    const ys = answer.dps.map((point) => valueOf(point[1]));
    found = { xs: answer.dps.map((point) => point[0]), ys, stats: statsOf(ys),
      texts: ys.map((y, i) => (y === null ? y : answer.dps[i]![1])) };
    columns.set(answer, found);
  }
  return found;
}

// Each answer is of all those of `sent` that have its number.
export function seriesOf(answers: Answer[], sent: Sent[]): PlotSeries[] {
  const values: PlotSeries[] = [];
  const bands = new Map<string, Answer>();
  const used = new Map<string, number>();
  for (const answer of answers) {
    for (const { part, line } of sent.filter(({ index }) => index === (answer.query?.index ?? 0))) {
      if (part === 'value') values.push(seriesOfAnswer(answer, line, used));
      else bands.set(`${line} ${part} ${labelOf(answer.metric, answer.tags)}`, answer);
    }
  }
  for (const series of values) addBand(series, bands);
  return values;
}

// Series of different queries may have the same name; it is what a link calls them by.
function seriesOfAnswer(answer: Answer, line: number, used: Map<string, number>): PlotSeries {
  const { metric, tags } = answer;
  const name = labelOf(metric, tags);
  const before = used.get(name) ?? 0;
  used.set(name, before + 1);
  const { xs, ys, texts, stats } = columnsOf(answer);
  return {
    label: before ? `${name} #${before + 1}` : name, metric, tags, line, ys, texts,
    tsuid: answer.tsuids?.length === 1 ? answer.tsuids[0]! : '',
    xs, low: [], high: [], stats: { ...stats },
  };
}

function addBand(series: PlotSeries, bands: Map<string, Answer>): void {
  const key = labelOf(series.metric, series.tags);
  const low = bands.get(`${series.line} min ${key}`);
  const high = bands.get(`${series.line} max ${key}`);
  if (low?.dps.length !== series.xs.length || high?.dps.length !== series.xs.length) return;
  series.low = low.dps.map((point) => valueOf(point[1]));
  series.high = high.dps.map((point) => valueOf(point[1]));
  // The lowest and highest points, not the lowest and highest averages.
  series.stats.min = statsOf(series.low).min;
  series.stats.max = statsOf(series.high).max;
}
