// Charts of the server itself, without set-up: its counters are read every few seconds while this
// view is open. Where the server stores them (tsd.stats.self_interval), the last hour is shown.

import { useMemo } from 'preact/hooks';
import { Sparkline } from '../plot/sparkline';
import { linkTo } from '../state/page';
import { showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { storedHour } from './own';
import { pointsOf, type Track } from './track';

interface Tile { title: string; metric: string; tags?: Record<string, string>; rate: boolean; unit: string }

const TILES: Tile[] = [
  { title: 'Points written', metric: 'tsd.datapoints.added', tags: { type: 'all' }, rate: true, unit: '/s' },
  { title: 'Requests', metric: 'tsd.rpc.received', rate: true, unit: '/s' },
  { title: 'Queries', metric: 'tsd.query.queries', rate: true, unit: '/s' },
  { title: 'Errors', metric: 'tsd.rpc.errors', rate: true, unit: '/s' },
  { title: 'Connections', metric: 'tsd.connectionmgr.connections', tags: { type: 'open' }, rate: false, unit: '' },
  { title: 'Bytes received', metric: 'tsd.connectionmgr.bytes', tags: { type: 'in' }, rate: true, unit: 'bytes/s' },
  { title: 'Bytes sent', metric: 'tsd.connectionmgr.bytes', tags: { type: 'out' }, rate: true, unit: 'bytes/s' },
  { title: 'Journal', metric: 'tsd.journal.bytes', rate: false, unit: 'bytes' },
  { title: 'Open hours, in memory', metric: 'tsd.hours.bytes', rate: false, unit: 'bytes' },
  { title: 'Points sealed', metric: 'tsd.seal.points', rate: true, unit: '/s' },
  { title: 'New series', metric: 'tsd.series.created', rate: true, unit: '/s' },
  { title: 'Series cache', metric: 'tsd.series.cache-bytes', rate: false, unit: 'bytes' },
  { title: 'Regions', metric: 'tsd.region.count', rate: false, unit: '' },
];

const show = (value: number | undefined, unit: string) => (unit === '/s'
  ? `${showNumber(value)} /s` : showNumber(value, unit));

export function Dashboard({ track }: { track: Track }) {
  return <ul class="cards">{TILES.map((tile) => <Card key={tile.title} tile={tile} track={track} />)}</ul>;
}

const STORED_MS = 15e3;

function Card({ tile, track }: { tile: Tile; track: Track }) {
  const tick = useTick(STORED_MS);
  const m = graphText(tile);
  const stored = useAnswer((signal) => storedHour(m, tile.metric, signal), [m, tick]).value;
  const live = useMemo(() => pointsOf(track, tile.metric, tile.tags ?? {}, tile.rate), [track]);
  const isStored = stored !== null && stored.points.length > 1;
  const from = isStored ? stored.from : (track[0]?.at ?? 0);
  const to = isStored ? stored.to : Math.max(from + 60e3, track[track.length - 1]?.at ?? 1);
  const last = live[live.length - 1] ?? stored?.points[stored.points.length - 1];
  return (
    <li class="card">
      <a class="main" href={linkTo({ view: 'graph', lines: [{ m, right: false, hidden: false }] })}>
        {tile.title}</a>
      <Sparkline points={isStored ? stored.points : live} from={from} to={to}
        label={`${tile.title}, ${isStored ? 'last hour' : 'since this view was opened'}`} />
      <p class="facts"><span>{tile.metric}</span><em>{last ? show(last[1], tile.unit) : '…'}</em></p>
    </li>
  );
}

function graphText({ metric, tags, rate }: Tile): string {
  const groups = Object.entries(tags ?? {}).map(([tagk, tagv]) => `${tagk}=${tagv}`).join(',');
  return `sum:${rate ? 'rate{dropcounter}:' : ''}${metric}${groups ? `{${groups}}` : ''}`;
}
