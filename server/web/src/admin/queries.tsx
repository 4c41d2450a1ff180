// Queries that run on the server, with a button to end them; those that ended, the slowest first;
// how the server read each; and those that were made in this browser.

import { useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { endQuery } from '../api/query';
import type { Plan } from '../api/stream';
import { ExplainTree } from '../graph/explain';
import { can } from '../api/roles';
import { textOfListed, type ListedSub } from '../query/listed';
import { linkTo, page } from '../state/page';
import { readSaved, type PastQuery } from '../state/saved';
import { useStore } from '../state/store';
import { showSpan, showTime } from '../time/time';
import { showCount, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Dialog, Problem } from '../ui/parts';

interface Listed {
  queryId: number;
  query: { type?: string; names?: string; q?: string; metric?: string; start?: number; end?: number;
    queries?: ListedSub[] };
  remote: string;
  queryStartTimestamp: number;
  queryCompletedTimestamp?: number;
  elapsed?: number;
  exception?: string | null;
  explain?: Plan[];
  stats: { series: number; rows: number; points: number; bytes: number; memory: number };
}

export interface ListedQueries { running: Listed[]; completed: Listed[]; slow?: Listed[] }

export const readQueries = (signal: AbortSignal) =>
  getJson<ListedQueries>('api/stats/query', { signal });

const subTexts = ({ query }: Listed) => (query.queries ?? []).map(textOfListed);

function textOf(one: Listed): string {
  const { query } = one;
  if (query.type === 'SUGGEST') return `names of ${query.names}: ${query.q}`;
  if (query.type === 'LOOKUP') return `series of ${query.metric}`;
  return `${query.type === 'LAST' ? 'last points of ' : ''}${subTexts(one).join('  ')}`;
}

export const tookMs = (one: Listed) => one.elapsed ??
  (one.queryCompletedTimestamp ?? 0) - one.queryStartTimestamp;

export function Queries() {
  const rights = useStore(can);
  const [cancelled, setCancelled] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const [explained, setExplained] = useState<number | null>(null);
  const tick = useTick(2000);
  const { value, error } = useAnswer(readQueries, [tick, cancelled]);
  const end = (id: number) => endQuery(id).then(() => setCancelled(cancelled + 1), setProblem);
  const ended = [...(value?.completed ?? []), ...(value?.slow ?? [])];
  const slow = [...ended].sort((a, b) => tookMs(b) - tookMs(a)).slice(0, 30);
  const chosen = [...(value?.running ?? []), ...ended]
    .find((one) => one.queryId === explained);
  return (
    <>
      <Problem error={error ?? problem} />
      <h2>Running</h2>
      {value?.running.length === 0 && <p class="soft">No query is running.</p>}
      {value && value.running.length > 0 && (
        <QueryTable rows={value.running} onExplain={setExplained}
          {...(rights.admin && { onEnd: (id: number) => void end(id) })} />
      )}
      <h2>Slowest of a day and of the last {value?.completed.length ?? 0}</h2>
      <QueryTable rows={slow} onExplain={setExplained} />
      {chosen && <QueryDialog one={chosen} onClose={() => setExplained(null)} />}
    </>
  );
}

function QueryTable({ rows, onExplain, onEnd }: {
  rows: Listed[]; onExplain: (id: number) => void; onEnd?: (id: number) => void;
}) {
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
              <th scope="row"><QueryName one={one} onExplain={onExplain} />
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

function QueryName({ one, onExplain }: { one: Listed; onExplain: (id: number) => void }) {
  const text = <bdi>{textOf(one)}</bdi>;
  if (!one.query.queries?.length) return <span class="mono">{text}</span>;
  return <button class="link mono" title="Explain" onClick={() => onExplain(one.queryId)}>{text}</button>;
}

// One query: how the server read it, and the way to its graph.
function QueryDialog({ one, onClose }: { one: Listed; onClose: () => void }) {
  const { start = 0, end = 0 } = one.query;
  const texts = subTexts(one);
  const graph = linkTo({
    view: 'graph', start: String(start), end: String(end),
    lines: texts.map((m) => ({ m, right: false, hidden: false })),
  });
  return (
    <Dialog title="How the server read it" onClose={onClose} wide>
      <p class="soft">{showTime(start, page.get().tz)} to {showTime(end, page.get().tz)}, {showSpan(tookMs(one))}
        {one.elapsed !== undefined ? ' until now' : ''}</p>
      <ExplainTree plans={one.explain ?? []} queries={texts} running={one.elapsed !== undefined} />
      {!one.query.type && <p><a class="button" href={graph}>Open the graph</a></p>}
    </Dialog>
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
