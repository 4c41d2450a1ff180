// Answers for views whose real ones need hours of load: they have the shape of the server's own.

import { execFileSync } from 'node:child_process';
import { program } from './harness.mjs';

const STEPS = 60;
const steps = (count, of) => Array.from({ length: count }, (_, i) => of(i));

function loaded(id, start, text, first, count, rate, parents = []) {
  const points = steps(count, (i) => Math.round(rate * (1 + Math.sin(i / 5))));
  return {
    id, start, end: '', explained: { text }, parents, is_open: parents.length > 0, first_step: first,
    points_written: points, rows_written: points.map((n) => n >> 6), rows_read: steps(count, () => 3),
    rows_blocked: steps(count, () => 0), bytes: steps(count, (i) => 4096 * (i + 1)),
  };
}

// A region that is split in the middle.
export function loads() {
  const begin = Math.floor(Date.now() / 10_000) * 10_000 - STEPS * 10_000;
  return {
    table: 'data', step_ms: 10_000, start_ms: begin, steps: STEPS,
    regions: [
      loaded(1, '', 'the first key', 0, 30, 1000),
      loaded(2, '', 'the first key', 30, 30, 400, [1]),
      loaded(3, '\\x00\\x00\\x07', 'cpu.user 2026-11-24T15:00Z host=a', 30, 30, 900, [1]),
    ],
    events: [{ time_ms: begin + 300_000, kind: 'split', parents: [1], daughters: [2, 3],
      text: 'region 1 was split at cpu.user 2026-11-24T15:00Z host=a into 2 and 3' }],
  };
}

export const OFFER = {
  layouts: [{ name: 'opentsdb', fields: 'metric+hour+tags', idea: 'as OpenTSDB has it' },
    { name: 'salted:8', fields: 'salt:8+metric+hour+tags', idea: 'a bucket before the metric' },
    { name: 'time-first', fields: 'hour+metric+tags', idea: 'the newest rows at the end' }],
  layout_fields: ['metric', 'tags', 'hour'], distributors: [{ name: 'none', idea: '' }, { name: 'xxh3:64', idea: 'a hash' }],
  policies: ['ConstantSize', 'IncreasingToUpperBound'], engines: ['hourcell', 'hbase'],
  presplits: [{ name: 'salt', idea: 'one region for each bucket' }], bench: {},
  limits: { designs: 8, puts: 50000000, series: 1000000, seconds: 300, bench_cases: 64, bench_points: 1000000 },
};

// What the lab answers is what the command prints.
export function simulate({ fleet, designs }) {
  const all = JSON.parse(execFileSync(program, ['simulate', '--fleet', fleet,
    ...designs.flatMap((design) => ['--design', design]), '--format', 'json'], { encoding: 'utf8' }));
  for (const { heat } of all) heat.row_texts ??= heat.row_starts.map((key) => key && 'metric and hour');
  return all;
}

// The page may be closed by then.
const json = (route, body, status = 200) =>
  route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) }).catch(() => {});

export const standInLoads = (page) => page.route('**/api/admin/regions/loads?*', (route) => json(route, loads()));

// The lab: a job that is seen running once and then has ended. Returns the requests that began and
// cancelled jobs.
export async function standInLab(page, { endless = false } = {}) {
  const seen = { begun: [], cancelled: 0 };
  const job = { id: 7, kind: 'simulate', state: 'running', phase: 'plain (1 of 3)', done: 120, total: 480, unit: 'minutes' };
  let polls = 0;
  await page.route('**/api/admin/simulate', (route) => {
    if (route.request().method() === 'GET') return json(route, OFFER);
    seen.begun.push(route.request().postDataJSON());
    return json(route, job, 202);
  });
  await page.route('**/api/admin/jobs?id=7', (route) => {
    if (route.request().method() === 'DELETE') ++seen.cancelled;
    if (seen.cancelled) return json(route, { ...job, state: 'cancelled', status: 503, answer: { error: { code: 503, message: 'cancelled' } } });
    if (endless || ++polls < 2) return json(route, job);
    return json(route, { ...job, state: 'done', done: 480, status: 200, answer: { simulations: simulate(seen.begun.at(-1)) } });
  });
  return seen;
}
