// Queries that run on the server, with a button to end them; those that ended, the slowest first;
// and those that were made in this browser.

import { useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { endQuery } from '../api/query';
import { can } from '../api/roles';
import { readSaved, type PastQuery } from '../state/saved';
import { useStore } from '../state/store';
import { showSpan } from '../time/time';
import { showCount, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Problem } from '../ui/parts';

interface Listed {
  queryId: number;
  query: { type?: string; names?: string; q?: string; metric?: string;
    queries?: { metric?: string; aggregator?: string; downsample?: string | null }[] };
  remote: string;
  queryStartTimestamp: number;
  queryCompletedTimestamp?: number;
  elapsed?: number;
  exception?: string | null;
  stats: { series: number; rows: number; points: number; bytes: number; memory: number };
}

function textOf({ query }: Listed): string {
  if (query.type === 'SUGGEST') return `names of ${query.names}: ${query.q}`;
  if (query.type === 'LOOKUP') return `series of ${query.metric}`;
  const parts = (query.queries ?? []).map((one) =>
    [one.aggregator, one.downsample, one.metric].filter(Boolean).join(':'));
  return `${query.type === 'LAST' ? 'last points of ' : ''}${parts.join('  ')}`;
}

const tookMs = (one: Listed) => one.elapsed ??
  (one.queryCompletedTimestamp ?? 0) - one.queryStartTimestamp;

export function Queries() {
  const rights = useStore(can);
  const [ended, setEnded] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const tick = useTick(2000);
  const { value, error } = useAnswer((signal) => getJson<{ running: Listed[]; completed: Listed[] }>(
    'api/stats/query', { signal }), [tick, ended]);
  const end = (id: number) => endQuery(id).then(() => setEnded(ended + 1), setProblem);
  const slow = [...(value?.completed ?? [])].sort((a, b) => tookMs(b) - tookMs(a)).slice(0, 30);
  return (
    <>
      <Problem error={error ?? problem} />
      <h2>Running</h2>
      {value?.running.length === 0 && <p class="soft">No query is running.</p>}
      {value && value.running.length > 0 && (
        <QueryTable rows={value.running} {...(rights.admin && { onEnd: (id: number) => void end(id) })} />
      )}
      <h2>Slowest of the last {value?.completed.length ?? 0}</h2>
      <QueryTable rows={slow} />
    </>
  );
}

function QueryTable({ rows, onEnd }: { rows: Listed[]; onEnd?: (id: number) => void }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Queries">
      <table>
        <thead><tr><th scope="col">Query</th><th scope="col" class="number">Time</th>
          <th scope="col" class="number">Series</th><th scope="col" class="number">Rows</th>
          <th scope="col" class="number">Points</th><th scope="col" class="number">Memory</th>
          <th scope="col">From</th>{onEnd && <th scope="col">End</th>}</tr></thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.queryId}>
              <th scope="row" class="mono"><bdi>{textOf(one)}</bdi>
                {one.exception && <span class="stale"> {one.exception}</span>}</th>
              <td class="number">{showSpan(tookMs(one))}</td>
              <td class="number">{showCount(one.stats.series)}</td>
              <td class="number">{showCount(one.stats.rows)}</td>
              <td class="number">{showCount(one.stats.points)}</td>
              <td class="number">{showNumber(one.stats.memory, 'bytes')}</td>
              <td>{one.remote}</td>
              {onEnd && <td><button onClick={() => onEnd(one.queryId)}>Cancel</button></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function PastQueries() {
  const past = readSaved<PastQuery[]>('past', []);
  return (
    <>
      <h2>Last queries of this browser</h2>
      {past.length === 0 && <p class="soft">None yet.</p>}
      <ul class="past">
        {past.map((query) => (
          <li key={query.hash}><a class="mono" href={`#${query.hash}`}><bdi>{query.title}</bdi></a>
            <span class="soft">{showSpan(Date.now() - query.at)} ago</span></li>
        ))}
      </ul>
    </>
  );
}
