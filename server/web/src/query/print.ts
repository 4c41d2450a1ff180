// Prints a query as OpenTSDB's `m=`, in its shortest form.

import { quoted, skipQuoted } from './split';
import type { Downsample, Filter, Rate, SubQuery } from './model';

export function printQuery(query: SubQuery): string {
  const words = [...query.functions, query.aggregator];
  if (query.rate) words.push(printRate(query.rate));
  if (query.downsample) words.push(printDownsample(query.downsample));
  if (query.explicitTags) words.push('explicit_tags');
  if (query.percentiles.length) words.push(`percentiles[${query.percentiles.join(',')}]`);
  if (query.buckets) words.push('show-histogram-buckets');
  return [...words, ...query.other, printName(query.metric) + printBraces(query)].join(':');
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

// A metric or a tag key, quoted if m= would take it apart.
export function printName(name: string): string {
  return /[":{},=|()]/.test(name) ? quoted(name) : name;
}

// One value of a filter by values, quoted if it would be taken for something else.
export function printValue(value: string): string {
  return /^"|[|*(),{}]/.test(value) ? quoted(value) : value;
}

export function printFilter({ tagk: key, type, text }: Filter): string {
  const tagk = printName(key);
  const quotedEnd = skipQuoted(text, 0);
  if (type === 'literal_or' && quotedEnd > 0 &&
      (quotedEnd === text.length || text[quotedEnd] === '|')) {
    return `${tagk}=${text}`;
  }
  const isPlain = !/[*(),{}]/.test(text);
  if (type === 'literal_or' && isPlain) return `${tagk}=${text}`;
  if (type === 'wildcard' && text === '*') return `${tagk}=*`;
  return `${tagk}=${type}(${type === 'not_key' ? '' : text})`;
}
