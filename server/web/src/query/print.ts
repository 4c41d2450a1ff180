// Prints a query as OpenTSDB's `m=`, in its shortest form.

import type { Downsample, Filter, Rate, SubQuery } from './model';

export function printQuery(query: SubQuery): string {
  const words = [query.aggregator];
  if (query.rate) words.push(printRate(query.rate));
  if (query.downsample) words.push(printDownsample(query.downsample));
  if (query.explicitTags) words.push('explicit_tags');
  if (query.percentiles.length) words.push(`percentiles[${query.percentiles.join(',')}]`);
  if (query.buckets) words.push('show-histogram-buckets');
  return [...words, ...query.other, query.metric + printBraces(query)].join(':');
}

export function printDownsample({ interval, fn, fill }: Downsample): string {
  return `${interval}-${fn}${fill ? `-${fill}` : ''}`;
}

function printRate({ counter, drop, max, reset }: Rate): string {
  const words = [drop ? 'dropcounter' : counter ? 'counter' : '', max, reset];
  while (words.length && words[words.length - 1] === '') words.pop();
  return words.length ? `rate{${words.join(',')}}` : 'rate';
}

function printBraces({ groups, only }: SubQuery): string {
  if (groups.length === 0 && only.length === 0) return '';
  const first = `{${groups.map(printFilter).join(',')}}`;
  return only.length ? `${first}{${only.map(printFilter).join(',')}}` : first;
}

export function printFilter({ tagk, type, text }: Filter): string {
  const isPlain = !/[*(),{}]/.test(text);
  if (type === 'literal_or' && isPlain) return `${tagk}=${text}`;
  if (type === 'wildcard' && text === '*') return `${tagk}=*`;
  return `${tagk}=${type}(${type === 'not_key' ? '' : text})`;
}
