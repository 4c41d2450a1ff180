// Parses OpenTSDB's `m=` (docs/query-language.md) as the server does, and knows where an error is.

import { isAggregator } from './aggregators';
import { parseDuration } from '../time/time';
import { TextError } from './error';
import {
  FILTER_TYPES, emptyQuery,
  type Downsample, type Filter, type FilterType, type Rate, type SubQuery,
} from './model';
import {
  findClose, indexOutsideQuotes, skipQuoted, splitOutside, unquoted, type Part,
} from './split';

export function parseQuery(text: string): SubQuery {
  const parts = splitOutside(text, ':', '{', '}');
  const query = emptyQuery();
  while (parts[0]?.text.includes('(')) query.functions.push(parseFunction(parts.shift()!, query.functions));
  if (parts.length < 2) {
    throw new TextError('want aggregator:metric, such as avg:cpu.user', text.length);
  }
  if (parts.length > 5) throw new TextError('too many parts between colons', parts[4]!.at);
  query.aggregator = parseAggregator(parts[0]!, 'aggregator');
  for (const part of parts.slice(1, -1)) applyOption(part, query);
  parseMetric(parts[parts.length - 1]!, query);
  return query;
}

function parseFunction({ text, at }: Part, before: string[]): string {
  if (/^(top|bottom)\(([1-9]\d{0,3}|10000),(max|min|avg|last|sum)\)$/.test(text) && before.length < 4) return text;
  throw new TextError('want at most 4 of top(N,BY), bottom(N,BY)', at, text.length);
}

function parseAggregator(part: Part, what: string): string {
  if (isAggregator(part.text)) return part.text;
  throw new TextError(`no such ${what}: ${part.text || 'nothing'}`, part.at, part.text.length);
}

function applyOption(part: Part, query: SubQuery): void {
  const { text, at } = part;
  if (text === '') throw new TextError('empty option between two colons', at);
  if (/^[0-9]/.test(text)) query.downsample = parseDownsample(part);
  else if (/^rate/i.test(text)) query.rate = parseRate(part);
  else if (text === 'explicit_tags') query.explicitTags = true;
  else if (text.startsWith('percentiles')) query.percentiles = parsePercentiles(part);
  else if (text === 'show-histogram-buckets') query.buckets = true;
  else query.other.push(text);
}

export function parseDownsample({ text, at }: Part): Downsample {
  const scalar = /-(scalar\((.*)\))$/i.exec(text);
  const rest = (scalar ? text.slice(0, scalar.index) : text).replace(/-+$/, '');
  if (scalar && !Number.isFinite(parseNumber(scalar[2]!))) {
    throw new TextError('want scalar(number)', at + scalar.index + 1, scalar[1]!.length);
  }
  const words = splitOutside(rest, '-', '(', ')', at);
  const [interval, fn, fill] = words as [Part, Part, Part | undefined];
  if (!fn) throw new TextError('want interval-function, such as 5m-avg', at + rest.length);
  if (words.length > (scalar ? 2 : 3)) {
    throw new TextError('want interval-function-fill', words[words.length - 1]!.at);
  }
  const ms = parseDuration(interval.text.replace(/c$/, '').toLowerCase());
  if (!/^\d*all$/.test(interval.text) && !(ms > 0 && ms < 2 ** 63)) {
    throw new TextError('want an interval such as 30s, 5m, 1h, 1dc or 0all', interval.at,
                        interval.text.length);
  }
  const name = parseAggregator(fn, 'downsampling function');
  if (name === 'none') throw new TextError('none cannot downsample', fn.at, 4);
  if (fill && !/^(none|nan|null|zero)$/i.test(fill.text)) {
    throw new TextError('want none, nan, null, zero or scalar(number)', fill.at, fill.text.length);
  }
  return { interval: interval.text.toLowerCase(), fn: name, fill: scalar ? scalar[1]! : (fill?.text ?? '') };
}

// As Java's Double.parseDouble reads finite numbers: also 5f, 5d and 0x1.8p1.
export function parseNumber(text: string): number {
  const word = text.trim().replace(/[fd]$/i, '');
  const hex = /^([+-]?0x[\da-f]*)\.?([\da-f]*)p([+-]?\d+)$/i.exec(word);
  if (hex) return parseInt(hex[1]! + hex[2]!, 16) * 2 ** (+hex[3]! - 4 * hex[2]!.length);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? +word : NaN;
}

function parseRate({ text, at }: Part): Rate {
  const rate: Rate = { counter: false, drop: false, max: '', reset: '' };
  if (text.length === 4) return rate;
  if (text[4] !== '{' || !text.endsWith('}')) {
    throw new TextError('want rate or rate{counter,max,reset}', at + 4, text.length - 4);
  }
  const words = splitOutside(text.slice(5, -1), ',', '{', '}', at + 5);
  if (words.length > 3) throw new TextError('want counter,max,reset', words[3]!.at);
  rate.counter = words[0]!.text.endsWith('counter');
  rate.drop = words[0]!.text === 'dropcounter';
  rate.max = parseWhole(words[1]);
  rate.reset = parseWhole(words[2]);
  return rate;
}

function parseWhole(part: Part | undefined): string {
  if (part === undefined || part.text === '') return '';
  if (!/^[+-]?\d+$/.test(part.text) || BigInt(part.text) !== BigInt.asIntN(64, BigInt(part.text))) {
    throw new TextError('want a whole number', part.at, part.text.length);
  }
  return part.text;
}

function parsePercentiles({ text, at }: Part): number[] {
  const open = 'percentiles['.length;
  if (!text.startsWith('percentiles[') || !text.endsWith(']')) {
    throw new TextError('want percentiles[50,99]', at, text.length);
  }
  return splitOutside(text.slice(open, -1), ',', '[', ']', at + open).map((part) => {
    const value = parseNumber(part.text);
    if (!Number.isFinite(value)) throw new TextError('want a number', part.at, part.text.length);
    return value;
  });
}

function parseMetric({ text, at }: Part, query: SubQuery): void {
  const open = indexOutsideQuotes(text, '{');
  query.metric = unquoted(open < 0 ? text : text.slice(0, open));
  if (query.metric === '') throw new TextError('no metric', at);
  if (open < 0) return;
  const close = findClose(text, open + 1);
  if (close < 0) throw new TextError('no } at the end', at + text.length);
  query.groups = parseFilters(text.slice(open + 1, close), at + open + 1);
  if (close + 1 === text.length) return;
  if (text[close + 1] !== '{') throw new TextError('want { or the end', at + close + 1);
  const end = findClose(text, close + 2);
  if (end < 0) throw new TextError('no } at the end', at + text.length);
  if (end + 1 !== text.length) throw new TextError('want the end', at + end + 1);
  query.only = parseFilters(text.slice(close + 2, end), at + close + 2);
}

function parseFilters(inside: string, at: number): Filter[] {
  if (inside === '') return [];
  return splitOutside(inside, ',', '(', ')', at).map(parseFilter);
}

function parseFilter({ text, at }: Part): Filter {
  const equals = indexOutsideQuotes(text, '=');
  const tagk = unquoted(text.slice(0, Math.max(equals, 0)));
  if (tagk === '' || equals + 1 === text.length) {
    throw new TextError('want tag=value', at, Math.max(text.length, 1));
  }
  const value = text.slice(equals + 1);
  const valueAt = at + equals + 1;
  const quotedEnd = skipQuoted(value, 0);
  if (quotedEnd > 0 && (quotedEnd === value.length || value[quotedEnd] === '|')) {
    return { tagk, type: 'literal_or', text: value };
  }
  if (value === '*') return { tagk, type: 'wildcard', text: '*' };
  const open = value.indexOf('(');
  if (open < 0) {
    return { tagk, type: value.includes('*') ? 'iwildcard' : 'literal_or', text: value };
  }
  if (!value.endsWith(')')) throw new TextError('no ) at the end', at + text.length);
  const type = value.slice(0, open).toLowerCase() as FilterType;
  if (!FILTER_TYPES.includes(type)) {
    throw new TextError(`no such filter: ${value.slice(0, open)}`, valueAt, Math.max(open, 1));
  }
  const inside = value.slice(open + 1, -1);
  if ((inside === '') !== (type === 'not_key')) {
    throw new TextError(`want ${inside === '' ? 'text' : 'nothing'} between the parentheses`,
                        valueAt + open, inside.length + 2);
  }
  return { tagk, type, text: inside };
}
