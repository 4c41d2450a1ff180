// What the server says of itself: its counters now (/api/stats), and the stored ones of the last
// hour where it stores them (tsd.stats.self_interval).

import { getJson } from '../api/client';
import { suggest } from '../api/names';
import { runQuery } from '../api/query';
import type { Answer } from '../api/stream';
import type { Region } from './region_space';

export interface Sample { metric: string; timestamp: number; value: string; tags: Record<string, string> }

export function readStats(signal?: AbortSignal): Promise<Sample[]> {
  return getJson('api/stats', signal ? { signal } : {});
}

export type Points = [number, number][];

const HOUR = 3600e3;

export interface Stored { points: Map<string, Points>; from: number; to: number }

const NAMES_MAX = 1000;

// The last hour of these queries, each with its metric; null if the server stores none of them. The
// names are asked for first: a query of a name that there is not is an error.
export async function storedHours(queries: [m: string, metric: string][],
                                  signal: AbortSignal): Promise<Stored | null> {
  const names = new Set(await suggest('metrics', 'tsd.', NAMES_MAX, signal));
  const ms = queries.filter(([, metric]) => names.has(metric)).map(([m]) => m);
  if (ms.length === 0) return null;
  const to = Date.now();
  const answers = await runQuery({ start: to - HOUR, end: to, ms, tz: '', notes: false, background: true }, signal,
                                 () => {});
  return { points: new Map(answers.map((answer) => [ms[answer.query?.index ?? 0]!, pointsIn(answer)])),
           from: to - HOUR, to };
}

const pointsIn = (answer: Answer): Points => answer.dps
  .map(([ms, v]) => [ms, Number(v)] as [number, number]).filter(([, v]) => Number.isFinite(v));

export async function createdPerMinute(signal: AbortSignal) {
  const m = 'sum:rate{dropcounter}:1m-max:tsd.series.created';
  const found = await storedHours([[m, 'tsd.series.created']], signal);
  return found && { from: found.from, to: found.to,
    points: (found.points.get(m) ?? []).map(([ms, v]) => [ms, v * 60] as [number, number]) };
}

// What the page counts from the list of regions, as the server's own counters have nothing of it.
export const LSM = { files: 'files of regions', disk: 'bytes of region files', memory: 'memory tables' };

// The files of the data's regions, as samples beside those of the server.
export async function lsmSamples(signal: AbortSignal): Promise<Sample[]> {
  const { regions } = await getJson<{ regions: Region[] }>('api/admin/regions', {
    params: [['table', 'data']], signal });
  const sum = (of: (region: Region) => number) => String(regions.reduce((all, one) => all + of(one), 0));
  const sample = (metric: string, value: string): Sample =>
    ({ metric, value, timestamp: Math.floor(Date.now() / 1e3), tags: {} });
  return [sample(LSM.files, sum((one) => one.files)), sample(LSM.disk, sum((one) => one.fileBytes)),
    sample(LSM.memory, sum((one) => one.memoryBytes))];
}

// The sum of a counter over those of its samples that have these tags.
export function sumOf(samples: Sample[], metric: string, tags: Record<string, string> = {}): number {
  return samples.filter((sample) => sample.metric === metric &&
    Object.entries(tags).every(([tagk, tagv]) => sample.tags[tagk] === tagv))
    .reduce((sum, sample) => sum + Number(sample.value), 0);
}

// Counters that should be zero, in words.
export const FAULTS: [string, string][] = [
  ['tsd.storage.data_loss', 'data was lost'], ['tsd.journal.errors', 'writes to the journal failed'],
  ['tsd.storage.sync.errors', 'syncs to disk failed'], ['tsd.seal.errors', 'hours could not be sealed'],
  ['tsd.region.errors', 'changes of regions failed'],
  ['tsd.retention.errors', 'expired points could not be removed'],
];

// All others that count errors, since the server was started.
export function otherErrors(samples: Sample[]): [metric: string, count: number][] {
  const known = FAULTS.map(([metric]) => metric);
  const metrics = new Set(samples.map((sample) => sample.metric).filter((metric) =>
    /(error|errors|failed|failures|lost|dropped)$/.test(metric) && !known.includes(metric)));
  return [...metrics].map((metric): [string, number] => [metric, sumOf(samples, metric)])
    .filter(([, count]) => count > 0);
}
