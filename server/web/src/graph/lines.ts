// Changes of the lines of the form.

import { emptyQuery, type SubQuery } from '../query/model';
import { parseQuery } from '../query/parse';
import { printQuery } from '../query/print';
import type { Line } from '../state/state';
import { TextError } from '../query/error';

export function newLine(metric = ''): Line {
  return { m: metric ? printQuery(emptyQuery(metric)) : '', right: false, hidden: false };
}

export const newPromql = (): Line => ({ m: '', promql: true, right: false, hidden: false });

// The query of a line, or the error in its text. The server parses PromQL.
export function readLine(line: Line): { query: SubQuery | null; error: TextError | null } {
  if (line.promql) return { query: null, error: null };
  try {
    return { query: parseQuery(line.m), error: null };
  } catch (error) {
    return { query: null, error: error as TextError };
  }
}

export function replaceAt<T>(items: T[], at: number, item: T): T[] {
  return items.map((old, i) => (i === at ? item : old));
}

export function dropAt<T>(items: T[], at: number): T[] {
  return items.filter((_, i) => i !== at);
}
