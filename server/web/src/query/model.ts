// One query of a graph, as its form has it and as OpenTSDB's text `m=` says it.

export const FILTER_TYPES = [
  'literal_or', 'iliteral_or', 'not_literal_or', 'not_iliteral_or',
  'wildcard', 'iwildcard', 'regexp', 'not_key',
] as const;
export type FilterType = (typeof FILTER_TYPES)[number];

export interface Filter {
  tagk: string;
  type: FilterType;
  text: string; // what is between the parentheses
}

export interface Downsample {
  interval: string; // "5m", "1dc" (calendar), "0all"
  fn: string;
  fill: string; // "", "none", "nan", "null", "zero", "scalar(1.5)"
}

export interface Rate {
  counter: boolean;
  drop: boolean; // leave out the points after a reset
  max: string; // whole numbers as text: they may exceed what a double can hold
  reset: string;
}

export interface SubQuery {
  functions: string[]; // "top(10,max)", the outermost first
  aggregator: string;
  metric: string;
  tsuids: string[]; // instead of a metric
  downsample: Downsample | null;
  rate: Rate | null;
  explicitTags: boolean;
  percentiles: number[];
  buckets: boolean; // show-histogram-buckets
  groups: Filter[]; // each value of the tag is a series of its own
  only: Filter[]; // selects series without grouping
  other: string[]; // options that the server ignores, kept as they were written
}

export function emptyQuery(metric = ''): SubQuery {
  return {
    functions: [], aggregator: 'avg', metric, tsuids: [], downsample: null, rate: null, explicitTags: false,
    percentiles: [], buckets: false, groups: [], only: [], other: [],
  };
}
