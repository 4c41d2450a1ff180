// The one state of this page, kept in step with the address.

import { emptyQuery } from '../query/model';
import { printQuery, printValue } from '../query/print';
import { isZone, pinTime } from '../time/time';
import { changed, emptyState, type State } from './state';
import { Store } from './store';
import { parseState, printState } from './url';

export const page = new Store<State>(emptyState());

// A date in an address is of the zone of its reader. The page writes the address anew with moments: all
// who get it from here see the same range.
function readAddress(): void {
  if (location.hash.slice(1) === printState(page.get())) return;
  const read = parseState(location.hash);
  const tz = read.tz === '' || isZone(read.tz) ? read.tz : '';
  const [start, end] = [read.start, read.end].map((text) => pinTime(text, Date.now(), tz)) as [string, string];
  page.set({ ...read, start, end, tz });
  if (start !== read.start || end !== read.end) tweak({});
}

readAddress();
window.addEventListener('hashchange', readAddress);

// A change that the back button undoes.
export function go(change: Partial<State>): void {
  apply(change, (url) => history.pushState(null, '', url));
}

// A change that it does not: typing, sorting.
export function tweak(change: Partial<State>): void {
  apply(change, (url) => history.replaceState(null, '', url));
}

// pushState fires no event; popstate with a changed hash fires hashchange by itself.
function apply(change: Partial<State>, write: (url: string) => void): void {
  const state = changed(page.get(), change);
  write(`#${printState(state)}`);
  page.set(state);
}

// The address of the page in another state, for links that a new tab can open.
export function linkTo(change: Partial<State>): string {
  return `#${printState({ ...emptyState(), tz: page.get().tz, ...change })}`;
}

// The graph of one metric: what a click on its name opens.
export function graphOf(metric: string, groups: [string, string][] = [],
                        range: Partial<State> = {}): string {
  const query = emptyQuery(metric);
  query.groups = groups.map(([tagk, text]) => ({
    tagk, text: text === '*' ? text : printValue(text),
    type: text === '*' ? 'wildcard' as const : 'literal_or' as const,
  }));
  return linkTo({
    view: 'graph', lines: [{ m: printQuery(query), right: false, hidden: false }], ...range,
  });
}
