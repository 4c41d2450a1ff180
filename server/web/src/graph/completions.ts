// What the fields of the form are completed from.

import { Kept } from '../api/kept';
import { NAMES_MAX, rankMetrics, sizeOf, suggest, tagsOf } from '../api/names';
import { findNames, type Match } from '../query/fuzzy';
import { showCount } from '../time/units';

const SHOWN_MAX = 12;
const known = new Kept<string[]>(60e3);

// Names are kept for a minute and looked through by letters; where there are more, the server looks
// for those that contain the typed text.
export async function findMetrics(typed: string, signal: AbortSignal): Promise<Match[]> {
  const names = await known.get('', () => suggest('metrics', '', NAMES_MAX));
  const near = findNames(names, typed, SHOWN_MAX);
  if (names.length < NAMES_MAX || typed === '') return near;
  const { metrics } = await rankMetrics(typed, 'name', SHOWN_MAX, signal);
  const all = [...new Set([...metrics.map((one) => one.metric), ...near.map((one) => one.name)])];
  return findNames(all, typed, SHOWN_MAX);
}

export const forgetMetrics = () => known.clear();

export async function metricHint(name: string): Promise<string> {
  return `${showCount(await sizeOf(name))} series`;
}

export async function findTagks(metric: string, typed: string): Promise<Match[]> {
  const { keys } = await tagsOf(metric);
  return findNames([...keys.keys()].sort(), typed, SHOWN_MAX);
}

// Of a filter with several values between '|', the last is completed.
export async function findTagvs(metric: string, tagk: string, typed: string,
                                signal: AbortSignal): Promise<Match[]> {
  const { keys, total, listed } = await tagsOf(metric);
  const last = typed.slice(typed.lastIndexOf('|') + 1);
  const before = typed.slice(0, typed.length - last.length);
  const values = [...(keys.get(tagk)?.keys() ?? [])].sort();
  if (listed < total) values.push(...(await suggest('tagv', last, SHOWN_MAX, signal)));
  const names = before ? values : ['*', ...values];
  return findNames([...new Set(names)], last, SHOWN_MAX).map(({ name, score, at }) => ({
    name: before + name, score, at: at.map((i) => i + before.length),
  }));
}

export async function tagvHint(metric: string, tagk: string, text: string): Promise<string> {
  if (text === '*') return 'each value';
  const { keys } = await tagsOf(metric);
  const count = keys.get(tagk)?.get(text.slice(text.lastIndexOf('|') + 1));
  return count === undefined ? '' : `${showCount(count)} series`;
}

