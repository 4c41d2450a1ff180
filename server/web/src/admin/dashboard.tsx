// Charts of the server itself, without set-up: its counters are read every few seconds while this
// view is open. Where the server stores them (tsd.stats.self_interval), the last hour is shown.

import { useMemo } from 'preact/hooks';
import { Sparkline } from '../plot/sparkline';
import { linkTo } from '../state/page';
import { showCount, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { storedHours, type Points, type Stored } from './own';
import { readQueries, tookMs } from './queries';
import { AREAS, graphText, isStorable, otherTiles, type Tile } from './tiles';
import { pointsOf, shareOf, type Track } from './track';

const STORED_MS = 15e3;

export function Dashboard({ track }: { track: Track }) {
  const tick = useTick(STORED_MS);
  const samples = track[track.length - 1]?.samples ?? [];
  const others = otherTiles(samples);
  const tiles = [...AREAS.flatMap(([, of]) => of), ...others].filter(isStorable);
  const stored = useAnswer((signal) => storedHours(tiles.map((tile) => [graphText(tile), tile.metric]), signal),
                           [tick, others.length]).value;
  const cards = (of: Tile[]) => of.map((tile) => (
    <Card key={graphText(tile)} tile={tile} track={track} stored={stored} />));
  return (
    <>
      {AREAS.map(([area, of]) => (
        <section key={area} class="stack area" aria-label={area}>
          <h2>{area}</h2>
          <ul class="cards small">
            {area === 'Requests' && <QueryTimes />}
            {cards(of.filter((tile) => tile.metric.startsWith('tsd.') ||
              samples.some(({ metric }) => metric === tile.metric)))}
          </ul>
        </section>
      ))}
      {others.length > 0 && (
        <details class="area">
          <summary>All other counters ({showCount(others.length)} that are not zero)</summary>
          <ul class="cards small">{cards(others)}</ul>
        </details>
      )}
    </>
  );
}

function Card({ tile, track, stored }: { tile: Tile; track: Track; stored: Stored | null }) {
  const live = useMemo(() => (tile.misses ? shareOf(track, tile.metric, tile.misses)
    : pointsOf(track, tile.metric, tile.tags ?? {}, tile.rate)), [track]);
  const hour = stored?.points.get(graphText(tile)) ?? [];
  const isStored = stored !== null && hour.length > 1;
  // Of a server that was just started, what there is.
  const from = isStored ? hour[0]![0] : (track[0]?.at ?? 0);
  const to = isStored ? stored.to : Math.max(from + 60e3, track[track.length - 1]?.at ?? 1);
  const last = live[live.length - 1] ?? hour[hour.length - 1];
  const isLink = isStorable(tile);
  return (
    <li class="card">
      {isLink ? <a class="main" href={linkTo({ view: 'graph', lines: [{ m: graphText(tile), right: false, hidden: false }] })}>
        {tile.title}</a> : <span class="main">{tile.title}</span>}
      <Sparkline points={isStored ? hour : live} from={from} to={to}
        label={`${tile.title}, ${isStored ? 'the last hour' : 'since this view was opened'}`} />
      <p class="facts"><span>{isLink ? tile.metric : 'now'}</span>
        <em>{last ? showNumber(last[1], tile.unit) : '…'}</em></p>
    </li>
  );
}

const QUERIES_MS = 5e3;

// How long each of the last queries took.
function QueryTimes() {
  const tick = useTick(QUERIES_MS);
  const { value } = useAnswer(readQueries, [tick]);
  const times: Points = [...(value?.completed ?? [])].reverse()
    .map((one) => [one.queryCompletedTimestamp ?? 0, tookMs(one)]);
  const sorted = times.map(([, ms]) => ms).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return (
    <li class="card">
      <span class="main">Time of the last {plainCount(times.length)} queries</span>
      <Sparkline points={times} from={times[0]?.[0] ?? 0} to={times[times.length - 1]?.[0] ?? 1}
        label="Time of each of the last queries" />
      <p class="facts"><span>95 of 100: {showNumber(at(0.95), 'ms')}</span>
        <em>{showNumber(at(0.5), 'ms')}</em></p>
    </li>
  );
}

const plainCount = (count: number) => (count === 0 ? '' : String(count));
