// A metric of the list: its name, how many series it has, and its last hour.

import { useRef } from 'preact/hooks';
import type { Match } from '../query/fuzzy';
import { Sparkline } from '../plot/sparkline';
import { graphOf, linkTo } from '../state/page';
import { showSpan } from '../time/time';
import { guessUnit, showCount, showNumber } from '../time/units';
import { Marked } from '../ui/combobox';
import { useAnswer, useSeen } from '../ui/hooks';
import { isStale, rangeFor, recentOf, type Recent } from './recent';

export function MetricCard({ match }: { match: Match }) {
  const card = useRef<HTMLLIElement>(null);
  const { name } = match;
  const isSeen = useSeen(card);
  const recent = useAnswer(async (signal) => (isSeen ? recentOf(name, signal) : null), [name, isSeen]).value;
  const last = recent?.points[recent.points.length - 1]?.[1];
  return (
    <li ref={card} class="card">
      <a class="main" href={graphOf(name, [], rangeFor(recent))}><Marked match={match} /></a>
      <Sparkline points={recent?.points ?? []} from={recent?.from ?? 0} to={recent?.to ?? 1}
        label={`${name}, recent values`} />
      <p class="facts">
        <span>{recent ? `${showCount(recent.series)} series` : '…'}</span>
        {recent && <span class={isStale(recent) ? 'stale' : ''}>{age(recent)}</span>}
        <em>{last === undefined ? '' : showNumber(last, guessUnit(name))}</em>
        <a href={linkTo({ view: 'browse', metric: name })}>tags<span class="sr"> of {name}</span></a>
      </p>
    </li>
  );
}

function age(recent: Recent): string {
  if (!recent.last) return 'no recent point';
  return isStale(recent) ? `${showSpan(Date.now() - recent.last)} ago` : 'live';
}
