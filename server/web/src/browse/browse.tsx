// All metrics, or one with its tags.

import { useMemo, useState } from 'preact/hooks';
import { NAMES_MAX, fewAtATime, suggest } from '../api/names';
import { AddData } from '../import/import';
import { findNames, type Match } from '../query/fuzzy';
import { page, tweak } from '../state/page';
import { useStore } from '../state/store';
import { showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Choice, Problem } from '../ui/parts';
import { MetricCard } from './card';
import { MetricPage } from './metric';
import { isStale, recentOf, type Recent } from './recent';

export function BrowseView() {
  const state = useStore(page);
  return state.metric ? <MetricPage key={state.metric} metric={state.metric} tag={state.tag} />
    : <MetricList search={state.search} />;
}

const ORDERS = [['name', 'by name'], ['large', 'largest first'], ['new', 'newest first'],
  ['stale', 'stale only']] as const;
type Order = (typeof ORDERS)[number][0];
// Orders other than by name ask for each metric.
const ASKED_MAX = 500;
const PAGE = 60;

function MetricList({ search }: { search: string }) {
  const [order, setOrder] = useState<Order>('name');
  const [count, setCount] = useState(PAGE);
  const names = useAnswer((signal) => suggest('metrics', '', NAMES_MAX, signal), []);
  const more = useAnswer(async (signal) => ((names.value?.length ?? 0) >= NAMES_MAX && search
    ? suggest('metrics', search, 200, signal) : []), [names.value, search]);
  const all = useMemo(() => [...new Set([...(names.value ?? []), ...(more.value ?? [])])],
                      [names.value, more.value]);
  const found = useMemo(() => findNames(all, search, NAMES_MAX), [all, search]);
  const known = useAll(order === 'name' ? [] : found.slice(0, ASKED_MAX).map((one) => one.name));
  const sorted = sortBy(order, found, known);
  return (
    <main class="browse">
      <h1 class="sr">Metrics</h1>
      <div class="toolbar">
        <input class="search" type="search" aria-label="Search metrics" autofocus dir="auto"
          placeholder="Search metrics: a few letters are enough" value={search}
          onInput={(event) => tweak({ search: event.currentTarget.value })} />
        <Choice label="Order" value={order} options={ORDERS.map(([key, text]) => [key, text] as [Order, string])}
          onChange={setOrder} />
        <AddData />
        <p class="status" role="status">{names.value && `${showCount(sorted.length)}${
          names.value.length >= NAMES_MAX ? '+' : ''} metrics`}</p>
      </div>
      <Problem error={names.error} />
      {names.value?.length === 0 && <p class="empty">There are no metrics yet. Put a point, and it
        appears here.</p>}
      <ul class="cards">
        {sorted.slice(0, count).map((match) => <MetricCard key={match.name} match={match} />)}
      </ul>
      {sorted.length > count && <button onClick={() => setCount(count + PAGE)}>Show more</button>}
    </main>
  );
}

function useAll(names: string[]): Map<string, Recent> {
  const [known, setKnown] = useState(new Map<string, Recent>());
  useAnswer(async (signal) => {
    const found = new Map<string, Recent>();
    await fewAtATime(names, async (name) => {
      const recent = await recentOf(name, signal).catch(() => null);
      if (recent) found.set(name, recent);
    }, 4, signal);
    if (!signal.aborted) setKnown(found);
  }, [names.join('\n')]);
  return known;
}

function sortBy(order: Order, found: Match[], known: Map<string, Recent>): Match[] {
  if (order === 'name' || known.size === 0) return found;
  const of = (match: Match) => known.get(match.name)!;
  const rows = found.filter((match) => known.has(match.name));
  switch (order) {
    case 'large': return rows.sort((a, b) => of(b).series - of(a).series);
    case 'new': return rows.sort((a, b) => (of(a).uid < of(b).uid ? 1 : -1));
    default: return rows.filter((match) => isStale(of(match))).sort((a, b) => of(b).last - of(a).last);
  }
}
