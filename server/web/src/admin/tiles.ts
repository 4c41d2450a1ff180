// What the dashboard shows of the server, by area. Counters that are in none of these are shown below
// them, under their own names.

import { LSM, sumOf, type Sample } from './own';

export interface Tile {
  title: string;
  metric: string;
  tags?: Record<string, string>;
  misses?: string; // a share: metric / (metric + misses), of what was counted meanwhile
  rate: boolean;
  unit: string;
}

const rate = (title: string, metric: string, tags = {}, unit = '/s'): Tile =>
  ({ title, metric, tags, rate: true, unit });
const value = (title: string, metric: string, unit = '', tags = {}): Tile =>
  ({ title, metric, tags, rate: false, unit });
const share = (title: string, metric: string, misses: string): Tile =>
  ({ title, metric, misses, rate: true, unit: 'percent' });

export const AREAS: [string, Tile[]][] = [
  ['Ingest', [
    rate('Points written', 'tsd.datapoints.added', { type: 'all' }),
    rate('New series', 'tsd.series.created'),
    rate('Points refused', 'tsd.datapoints.refused', { type: 'all' }),
    rate('Writes that waited for room', 'tsd.append.waited'),
    rate('Bytes received', 'tsd.connectionmgr.bytes', { type: 'in' }, 'bytes/s'),
    value('Open connections', 'tsd.connectionmgr.connections', '', { type: 'open' }),
  ]],
  ['Requests', [
    rate('Requests', 'tsd.rpc.received'),
    rate('Errors', 'tsd.rpc.errors'),
    rate('Bytes sent', 'tsd.connectionmgr.bytes', { type: 'out' }, 'bytes/s'),
    value('Queries that run', 'tsd.query.queries', '', { type: 'running' }),
    value('Queries that wait', 'tsd.query.queries', '', { type: 'waiting' }),
    rate('Queries refused', 'tsd.query.refused'),
  ]],
  ['Memory', [
    value('Open hours', 'tsd.hours.bytes', 'bytes'),
    value('Queries', 'tsd.query.memory_bytes', 'bytes'),
    value('Request bodies', 'tsd.http.body_bytes', 'bytes'),
    value('Series cache', 'tsd.series.cache-bytes', 'bytes'),
  ]],
  ['Journal and seals', [
    value('Journal', 'tsd.journal.bytes', 'bytes'),
    value('Journal segments', 'tsd.journal.segments'),
    value('Hours open', 'tsd.hours.open'),
    rate('Points sealed', 'tsd.seal.points'),
    rate('Hours sealed', 'tsd.seal.hours', { type: 'all' }),
    rate('Hours sealed early, to make room', 'tsd.seal.hours', { type: 'early' }),
  ]],
  ['Store (LSM tree) and regions', [
    value('Bytes in files', LSM.disk, 'bytes'),
    value('Files', LSM.files),
    value('Memory tables', LSM.memory, 'bytes'),
    value('Regions', 'tsd.region.count'),
    rate('Splits', 'tsd.region.splits'),
    rate('Merges', 'tsd.region.merges'),
  ]],
  ['Caches', [
    share('Series found in the cache', 'tsd.series.cache-hit', 'tsd.series.cache-miss'),
    share('UIDs found in the cache', 'tsd.uid.cache-hit', 'tsd.uid.cache-miss'),
    value('Series in the cache', 'tsd.series.cache-size'),
    rate('Series dropped from the cache', 'tsd.series.cache-evictions'),
  ]],
];

const isGauge = (metric: string) =>
  /(bytes|open|series|size|count|used|available|running|waiting|segments|blocks|files|_ms|pct)$/.test(metric);

// The counters that no area has, one tile for each metric that is not zero.
export function otherTiles(samples: Sample[]): Tile[] {
  const known = new Set(AREAS.flatMap(([, tiles]) => tiles.flatMap((one) => [one.metric, one.misses])));
  const metrics = [...new Set(samples.map((sample) => sample.metric))].filter((metric) => !known.has(metric));
  return metrics.filter((metric) => sumOf(samples, metric) !== 0).map((metric) => (isGauge(metric)
    ? value(metric.replace(/^tsd\./, ''), metric, metric.endsWith('bytes') ? 'bytes' : '')
    : rate(metric.replace(/^tsd\./, ''), metric)));
}

export function graphText({ metric, tags, rate: isRate }: Tile): string {
  const groups = Object.entries(tags ?? {}).map(([tagk, tagv]) => `${tagk}=${tagv}`).join(',');
  return `sum:${isRate ? 'rate{dropcounter}:' : ''}${metric}${groups ? `{${groups}}` : ''}`;
}

// Can a query find it, or is it of this page alone?
export const isStorable = (tile: Tile) => tile.metric.startsWith('tsd.') && !tile.misses;
