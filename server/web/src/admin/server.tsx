// The server: is it well, what does it do, how is it set.

import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { can } from '../api/roles';
import { go, page } from '../state/page';
import { useStore } from '../state/store';
import { showSpan } from '../time/time';
import { showCount } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Problem } from '../ui/parts';
import { Dashboard } from './dashboard';
import { Deletes } from './deletes';
import { Jobs } from './jobs';
import { FAULTS, lsmSamples, otherErrors, readStats, sumOf, type Sample } from './own';
import { PastQueries, Queries } from './queries';
import { Settings } from './settings';
import { addSample, type Track } from './track';

const POLL_MS = 5000;
const TABS = ['Dashboard', 'Queries', 'Jobs', 'Deletes', 'Settings', 'My queries'] as const;
const OF_ADMINS: readonly string[] = ['Jobs', 'Deletes', 'Settings'];

export function ServerView() {
  const rights = useStore(can);
  const { tab: shown } = useStore(page);
  const [track, setTrack] = useState<Track>([]);
  const tick = useTick(POLL_MS);
  const version = useAnswer((signal) => getJson<Record<string, string>>('api/version', { signal }), []);
  const stats = useAnswer(async (signal) => [...await readStats(signal),
    ...(rights.admin ? await lsmSamples(signal) : [])], [tick, rights.admin]);
  useEffect(() => {
    const samples = stats.value;
    if (samples) setTrack((old) => addSample(old, samples, Date.now()));
  }, [stats.value]);
  const tabs = TABS.filter((name) => rights.admin || !OF_ADMINS.includes(name));
  const tab = tabs.find((name) => name === shown) ?? 'Dashboard';
  return (
    <main class="server">
      <div class="toolbar">
        <h1>Server</h1>
        <div class="tabs" role="group" aria-label="Parts">
          {tabs.map((name) => (
            <button key={name} aria-pressed={tab === name} onClick={() => go({ tab: name === TABS[0] ? '' : name })}>{name}</button>
          ))}
        </div>
        <p class="status">{version.value && `Hourcell ${version.value.hourcell} on ${version.value.host}`}</p>
      </div>
      <Problem error={stats.error} />
      {tab === 'Dashboard' && stats.value && <Health stats={stats.value} />}
      {tab === 'Dashboard' && <Dashboard track={track} />}
      {tab === 'Queries' && <Queries />}
      {tab === 'Jobs' && <Jobs />}
      {tab === 'Deletes' && <Deletes />}
      {tab === 'Settings' && <Settings />}
      {tab === 'My queries' && <PastQueries />}
    </main>
  );
}

function Health({ stats }: { stats: Sample[] }) {
  const others = otherErrors(stats);
  const faults = FAULTS.map(([metric, text]) => ({ count: sumOf(stats, metric), text }))
    .filter((fault) => fault.count > 0);
  const age = Date.now() - Math.max(0, ...stats.map((sample) => sample.timestamp * 1e3));
  return (
    <p class={`health${faults.length ? ' bad' : others.length ? ' fair' : ''}`} role="status">
      <span class="lamp" />
      {faults.length === 0 ? 'No data loss, no failed write, sync, seal, change of regions or expiry.'
        : faults.map((fault) => `${fault.count} × ${fault.text}`).join('; ')}
      {others.length > 0 && ` Since the start: ${others.map(([metric, count]) =>
        `${showCount(count)} × ${metric.replace(/^tsd\./, '')}`).join(', ')}.`}
      {age > 60e3 && ` The clocks of this machine and the server differ by ${showSpan(age)}.`}
    </p>
  );
}
