// The small part of PromQL that the page reads, to complete names and to guess units. The server parses queries.

// The functions and operators with names, of Prometheus 2.42.
export const WORDS = (`sum min max avg count stddev stdvar group topk bottomk quantile count_values by without on ignoring
group_left group_right offset bool and or unless start end abs absent absent_over_time acos acosh asin asinh atan atanh
avg_over_time ceil changes clamp clamp_max clamp_min cos cosh count_over_time day_of_month day_of_week day_of_year
days_in_month deg delta deriv exp floor histogram_quantile holt_winters hour idelta increase irate label_join
label_replace last_over_time ln log10 log2 max_over_time min_over_time minute month pi predict_linear
present_over_time quantile_over_time rad rate resets round scalar sgn sin sinh sort sort_desc sqrt stddev_over_time
stdvar_over_time sum_over_time tan tanh time timestamp vector year`).split(/\s+/);

// The text with each quoted string replaced by "". An open quote stays.
const unquote = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""');

// The first metric of an expression; '' without one.
export function metricIn(text: string): string {
  const words = unquote(text).replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .match(/[a-zA-Z_:][\w:]*(?![\w:]*\s*\()/g) ?? [];
  return words.find((word) => !WORDS.includes(word)) ?? '';
}

// False while a quote or a bracket is open.
export function isComplete(text: string): boolean {
  const signs = unquote(text).replace(/""|[^"'`()[\]{}]/g, '');
  let left = signs;
  for (;;) {
    const next = left.replace(/\(\)|\[\]|\{\}/g, '');
    if (next === left) return !/["'`([{]/.test(left);
    left = next;
  }
}

export const isRate = (text: string) => /\b(i?rate|deriv)\s*\(/.test(text);

// The unfinished name or value at the end of a text.
export type Typed =
  | { kind: 'word'; word: string }
  | { kind: 'label'; word: string; metric: string }
  | { kind: 'value'; word: string; metric: string; label: string };

export function typedIn(before: string): Typed {
  const closed = unquote(before);
  const value = /([a-zA-Z_]\w*)\s*(?:=~?|!=|!~)\s*["'`]([^"'`]*)$/.exec(closed);
  const open = /([a-zA-Z_:][\w:]*)?\s*\{[^{}]*$/.exec(closed);
  const metric = open?.[1] ?? '';
  if (value && open) return { kind: 'value', word: value[2]!, metric, label: value[1]! };
  const word = /[a-zA-Z_:]?[\w:]*$/.exec(closed)![0];
  const isGrouping = /\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*$/.test(closed);
  return open || isGrouping ? { kind: 'label', word, metric } : { kind: 'word', word };
}
