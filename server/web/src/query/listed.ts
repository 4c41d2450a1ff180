// The queries that /api/stats/query lists, as `m=`.

import { emptyQuery, type FilterType, type SubQuery } from './model';
import { parseDownsample } from './parse';
import { printQuery } from './print';

export interface ListedSub {
  aggregator: string;
  metric?: string | null;
  tsuids?: string[] | null;
  downsample?: string | null;
  rate?: boolean;
  rateOptions?: { counter: boolean; counterMax: number; resetValue: number; dropResets: boolean };
  filters?: { tagk: string; filter: string; group_by: boolean; type: string }[];
  explicitTags?: boolean;
}

// Counters end here if nothing is said.
const COUNTER_MAX = 2 ** 63;

export function textOfListed(listed: ListedSub): string {
  const query = emptyQuery(listed.metric ?? `tsuids ${(listed.tsuids ?? []).join(',')}`);
  query.aggregator = listed.aggregator;
  if (listed.downsample) query.downsample = parseDownsample({ text: listed.downsample, at: 0 });
  if (query.downsample?.fill === 'none') query.downsample.fill = '';
  query.rate = rateOf(listed);
  query.explicitTags = listed.explicitTags ?? false;
  for (const { tagk, filter, group_by: groups, type } of listed.filters ?? []) {
    (groups ? query.groups : query.only).push({ tagk, text: filter, type: type as FilterType });
  }
  return printQuery(query);
}

function rateOf({ rate, rateOptions: options }: ListedSub): SubQuery['rate'] {
  if (!rate) return null;
  const { counter = false, counterMax = COUNTER_MAX, resetValue = 0, dropResets = false } = options ?? {};
  return {
    counter, drop: dropResets, max: counterMax < COUNTER_MAX ? String(counterMax) : '',
    reset: resetValue ? String(resetValue) : '',
  };
}
