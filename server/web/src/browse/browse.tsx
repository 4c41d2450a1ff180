// All metrics, or one with its tags.

import { useMemo, useState } from 'preact/hooks';
import { NAMES_MAX, rankMetrics } from '../api/names';
import { AddData } from '../import/import';
import { findNames, match, type Match } from '../query/fuzzy';
import { go, page, tweak } from '../state/page';
import { useStore } from '../state/store';
import { showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Choice, Problem } from '../ui/parts';
import { Favourites } from '../views/star';
import { MetricCard } from './card';
import { MetricPage } from './metric';
import { isStale, recentOf, type Recent } from './recent';

export function BrowseView() {
  const state = useStore(page);
  return state.metric ? <MetricPage key={state.metric} metric={state.metric} tag={state.tag} />
    : <MetricList search={state.search} chosen={state.order} />;
}

const ORDERS = [['name', 'by name'], ['series', 'largest first'], ['newest', 'newest first'],
  ['stale', 'stale only']] as const;
type Order = (typeof ORDERS)[number][0];
// To find stale metrics, the page requests the last point of each.
const ASKED_MAX = 500;
const PART_MAX = 500;
const PAGE = 60;

function MetricList({ search, chosen }: { search: string; chosen: string }) {
  const [order] = ORDERS.find(([key]) => key === chosen) ?? ORDERS[0];
  const [count, setCount] = useState(PAGE);
  const isStaleOnly = order === 'stale';
  const by = isStaleOnly ? 'name' : order;
  const first = useAnswer((signal) => rankMetrics('', by, NAMES_MAX, signal), [by]);
  // Where there are more names than the page loads, the server finds those that contain the text.
  const isLarge = (first.value?.total ?? 0) > NAMES_MAX;
  const part = useAnswer(async (signal) => (isLarge && search ? rankMetrics(search, by, PART_MAX, signal) : null),
                         [isLarge, search, by]);
  const ranking = isLarge && search ? part.value : first.value;
  const found = useMemo(() => findIn((ranking?.metrics ?? []).map((one) => one.metric), search, by),
                        [ranking, search, by]);
  const known = useAll(isStaleOnly ? found.slice(0, ASKED_MAX).map((one) => one.name) : []);
  const sorted = isStaleOnly ? staleOf(found, known) : found;
  const total = isLarge ? ranking?.total ?? 0 : found.length;
  const shown = Math.min(count, sorted.length);
  return (
    <main class="browse">
      <h1 class="sr">Metrics</h1>
      <div class="toolbar">
        <input class="search" type="search" aria-label="Search metrics" autofocus dir="auto"
          placeholder="Search metrics: a few letters are enough" value={search}
          onInput={(event) => tweak({ search: event.currentTarget.value })} />
        <Choice label="Order" value={order} options={ORDERS.map(([key, text]) => [key, text] as [Order, string])}
            onChange={(next) => go({ order: next === 'name' ? '' : next })} />
        <AddData />
        <p class="status" role="status">{ranking && (isStaleOnly
          ? `${showCount(shown)} of the first ${showCount(known.size)} metrics by name, of ${showCount(total)}`
          : `${shown < total ? `${showCount(shown)} of ` : ''}${showCount(total)} metrics`)}</p>
      </div>
      <Favourites />
      <Problem error={first.error ?? part.error} />
      {first.value?.total === 0 && <p class="empty">There are no metrics yet. Put a point, and it
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
    await Promise.all(names.map((name) => recentOf(name, signal).then((recent) => found.set(name, recent), () => {})));
    if (!signal.aborted) setKnown(found);
  }, [names.join('\n')]);
  return known;
}

// By name, the best match comes first; the server's other orders stay.
function findIn(names: string[], search: string, by: string): Match[] {
  if (by === 'name' || search === '') return findNames(names, search, NAMES_MAX);
  return names.flatMap((name) => match(name, search) ?? []);
}

function staleOf(found: Match[], known: Map<string, Recent>): Match[] {
  const of = ({ name }: Match) => known.get(name)!;
  return found.filter(({ name }) => known.has(name)).filter((one) => isStale(of(one)))
    .sort((a, b) => of(b).last - of(a).last);
}
