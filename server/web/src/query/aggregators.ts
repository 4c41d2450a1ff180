// The aggregators of the server, as /api/aggregators lists them. Until it has answered, any word is
// taken for one: a link is drawn at once, and the server refuses what it does not know.

import { Store } from '../state/store';

export const aggregators = new Store<string[]>([]);

export function isAggregator(name: string): boolean {
  const known = aggregators.get();
  return known.length ? known.includes(name) : /^[a-z]\w*$/i.test(name);
}

// What a form offers: the one that is chosen is always among them.
export function choices(known: string[], chosen: string, without = ''): string[] {
  const names = known.filter((name) => name !== without);
  return names.includes(chosen) ? names : [chosen, ...names];
}
