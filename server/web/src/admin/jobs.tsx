// Long work on the server, with how far it is.

import { useState } from 'preact/hooks';
import { getJson, send } from '../api/client';
import { showSpan } from '../time/time';
import { showCount, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Bar, Problem } from '../ui/parts';

interface Job {
  id: number; kind: string; state: string; ms: number; phase: string; done: number; total: number;
  unit: string; status?: number;
}

const STARTS: [string, string, unknown][] = [
  ['api/admin/seal', 'Seal', {}], ['api/admin/flush', 'Flush', {}], ['api/admin/compact', 'Compact', {}],
  ['api/admin/backup', 'Back up', {}], ['api/admin/fsck', 'Check the store', {}],
];

export function Jobs() {
  const [count, setCount] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const tick = useTick(1500);
  const { value, error } = useAnswer((signal) => getJson<{ jobs: Job[] }>('api/admin/jobs', { signal }),
                                     [tick, count]);
  const act = (work: Promise<unknown>) => {
    setProblem(null);
    work.then(() => setCount(count + 1), setProblem);
  };
  return (
    <>
      <div class="row">
        {STARTS.map(([path, text, json]) => (
          <button key={path} onClick={() => act(send(path, {
            method: 'POST', json, params: [['async', 'true']] }))}>{text}</button>
        ))}
      </div>
      <Problem error={error ?? problem} />
      {value?.jobs.length === 0 && <p class="soft">No job has run since the server was started.</p>}
      <ul class="jobs">
        {[...(value?.jobs ?? [])].reverse().map((job) => (
          <li key={job.id} class="panel">
            <b>{job.kind}</b> <span class={`chip ${job.state}`}>{job.state}</span>
            {job.state === 'running' && <Bar part={job.total ? job.done / job.total : 0.05} />}
            <span class="soft">{job.phase} {amount(job)} {showSpan(job.ms)}</span>
            {job.state === 'running' && <button onClick={() => act(send('api/admin/jobs', {
              method: 'DELETE', params: [['id', String(job.id)]] }))}>Cancel</button>}
          </li>
        ))}
      </ul>
    </>
  );
}

function amount({ done, total, unit }: Job): string {
  if (!total) return '';
  const show = (n: number) => (unit === 'bytes' ? showNumber(n, 'bytes') : `${showCount(n)} ${unit}`);
  return `${show(done)} of ${show(total)},`;
}
