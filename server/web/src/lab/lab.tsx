// The design lab: designs of row keys and regions, simulated on the server and compared.

import { useEffect, useState } from 'preact/hooks';
import { getJson, send } from '../api/client';
import { can } from '../api/roles';
import { quote } from '../export/copy';
import { go, page, tweak } from '../state/page';
import { useStore } from '../state/store';
import { showCount } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Bar, Choice, Problem } from '../ui/parts';
import { migrateOf, parseDesign, printDesign, stepsOf, type Design, type Part } from './design';
import { LabReport } from './report';
import type { Simulated } from './result';

interface Named { name: string; idea: string; fields?: string; key?: string }
interface Offer {
  layouts: Named[]; distributors: Named[]; presplits: Named[]; policies: string[]; engines: string[];
  limits: { designs: number; puts: number };
  store?: { fleet: string; metric: string };
}
interface Job {
  id: number; state: string; phase: string; done: number; total: number; unit: string;
  answer?: { simulations?: Simulated[]; error?: { message: string } };
}

const FLEETS: [string, string][] = [
  ['metrics=10,tags=host:100,interval=1m,duration=2d', '10 metrics of 100 hosts, two days'],
  ['metrics=10,tags=host:1000,interval=1m,duration=3d', '10 metrics of 1,000 hosts, three days'],
  ['metrics=50,tags=host:100,interval=1m,duration=1d,skew=1', '50 metrics, a few of them large'],
  ['metrics=10,tags=host:500,interval=1m,duration=2d,churn=0.2', 'hosts that come and go'],
];
export const FLEET = FLEETS[0]![0];
// Regions are small, so that a small fleet shows what a large one does.
const SMALL = 'tsd.region.flush_bytes=256KiB tsd.region.split.max_bytes=2MiB';
export const DESIGNS = ['plain: layout=opentsdb', 'salted: layout=salted:8 presplit=salt',
  'by time: layout=time-first'].map((text) => `${text} ${SMALL}`);

const POLL_MS = 600;

const readJob = (id: string) => getJson<Job>('api/admin/jobs', { params: [['id', id]] });

export function LabView() {
  const rights = useStore(can);
  if (!rights.admin) return <main><h1>Design lab</h1><p class="empty">The design lab is for admins.</p></main>;
  return <Lab />;
}

function Lab() {
  const state = useStore(page);
  const fleet = state.fleet || FLEET;
  const designs = (state.designs.length ? state.designs : DESIGNS).map(parseDesign);
  const offer = useAnswer((signal) => getJson<Offer>('api/admin/simulate', { signal }), []);
  const [job, setJob] = useState<Job | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const isRunning = job?.state === 'running';
  const tick = useTick(isRunning ? POLL_MS : 0);
  useEffect(() => {
    if (!job || !isRunning) return;
    readJob(String(job.id)).then(setJob, setProblem);
  }, [tick]);
  // A link has the simulation that its sender saw, until the server drops it from its list.
  useEffect(() => {
    if (state.job && state.job !== String(job?.id)) readJob(state.job).then(setJob, () => {});
  }, [state.job]);
  const [own, setOwn] = useState<Offer | null>(null);
  const fill = () => getJson<Offer>('api/admin/simulate?store').then((answer) => {
    setOwn(answer);
    go({ fleet: answer.store!.fleet, designs: designs.map(printDesign) });
  }).catch(setProblem);
  const isFull = designs.length >= (offer.value?.limits.designs ?? 8);
  const set = (next: Design[]) => go({ fleet, designs: next.map(printDesign) });
  const run = () => {
    setProblem(null);
    go({ fleet, designs: designs.map(printDesign) });
    send('api/admin/simulate', { method: 'POST', json: {
      fleet, designs: designs.map(printDesign), heat_steps: stepsOf(fleet) } })
      .then((answer) => answer.json() as Promise<Job>).then((begun) => {
        setJob(begun);
        tweak({ job: String(begun.id) });
      }).catch(setProblem);
  };
  const cancel = () => void send('api/admin/jobs', { method: 'DELETE', params: [['id', String(job!.id)]] })
    .catch(setProblem);
  return (
    <main class="lab">
      <div class="toolbar">
        <h1>Design lab</h1>
        <p class="soft">What becomes of a fleet's points under different row keys and regions: predicted by
          the server, nothing is written.</p>
      </div>
      <Problem error={offer.error} />
      <div class="row">
        <Choice label="A fleet to begin with" value={FLEETS.some(([text]) => text === fleet) ? fleet : ''}
          options={[...FLEETS, ['', 'another fleet'] as [string, string]]}
          onChange={(text) => text && go({ fleet: text, designs: designs.map(printDesign) })} />
        <input class="search mono" aria-label="Fleet" spellcheck={false} value={fleet}
          onChange={(event) => tweak({ fleet: event.currentTarget.value.trim() })} />
        <button onClick={fill}>Fleet of this store</button>
      </div>
      {own && <div class="row" role="group" aria-label="Layouts">
        <span class="soft">Keys of a series of <bdi>{own.store!.metric}</bdi>:</span>
        {own.layouts.map(({ name, idea, key }) => (
          <button key={name} title={idea} disabled={isFull} onClick={() => set([...designs, parseDesign(
            `${name.replace(':', ' ')}: layout=${name} ${SMALL}`)])}>{name} <span class="soft mono prewrap">{key}</span></button>
        ))}
      </div>}
      <div class="designs">
        {designs.map((design, at) => (
          <DesignForm key={at} design={design} offer={offer.value}
            onChange={(next) => set(designs.map((old, i) => (i === at ? next : old)))}
            {...(designs.length > 1 && { onDrop: () => set(designs.filter((_, i) => i !== at)) })} />
        ))}
      </div>
      <div class="row">
        <button class="primary" disabled={isRunning} onClick={run}>Simulate</button>
        {!isFull && (
          <button onClick={() => set([...designs, { ...designs[designs.length - 1]!,
            name: `design ${designs.length + 1}` }])}>+ Add a design</button>
        )}
        {isRunning && <button onClick={cancel}>Cancel</button>}
        {job && <JobState job={job} />}
      </div>
      <Problem error={problem ?? (job?.answer?.error && new Error(job.answer.error.message))} />
      {job?.answer?.simulations && <LabReport results={job.answer.simulations} />}
      <details class="area"><summary>The same on the command line</summary>
        <pre class="prewrap">{['hourcell simulate --fleet', quote(fleet), ...designs.map((design) =>
          `\\\n    --design ${quote(printDesign(design))}`)].join(' ')}
          {designs.map((design) => `\n\n# ${design.name}\n${migrateOf(design)}`)}</pre></details>
    </main>
  );
}

function JobState({ job }: { job: Job }) {
  if (job.state !== 'running') return <span class={`chip ${job.state}`} role="status">{job.state}</span>;
  return (
    <span class="row" role="status">
      <Bar part={job.total ? job.done / job.total : 0.05} />
      <span class="soft">{job.phase}{job.total > 0 && `, ${showCount(job.done)} of ${showCount(job.total)} ${job.unit}`}</span>
    </span>
  );
}

const LABELS: [Part, string][] = [['layout', 'Layout'], ['distributor', 'Distributor'],
  ['presplit', 'Pre-split'], ['policy', 'Split policy'], ['engine', 'Engine']];

function DesignForm({ design, offer, onChange, onDrop }: {
  design: Design; offer: Offer | null; onChange: (design: Design) => void; onDrop?: () => void;
}) {
  const named: Record<Part, Named[]> = {
    layout: offer?.layouts ?? [], distributor: offer?.distributors ?? [], presplit: offer?.presplits ?? [],
    policy: (offer?.policies ?? []).map((name) => ({ name, idea: '' })),
    engine: (offer?.engines ?? []).map((name) => ({ name, idea: '' })),
  };
  const idea = named.layout.find((one) => one.name === design.layout);
  return (
    <section class="panel form" aria-label={`Design ${design.name}`}>
      <div class="row">
        <input aria-label="Name of the design" class="name-input" value={design.name} onChange={(event) =>
          onChange({ ...design, name: event.currentTarget.value.replace(/:/g, ' ').trim() })} />
        {onDrop && <button class="quiet" aria-label={`Remove ${design.name}`} onClick={onDrop}>✕</button>}
      </div>
      {LABELS.map(([part, label]) => (
        <label key={part}>{label}
          <input list={`lab-${part}`} value={design[part]} placeholder="default" spellcheck={false}
            onChange={(event) => onChange({ ...design, [part]: event.currentTarget.value.trim() })} />
          <datalist id={`lab-${part}`}>
            {named[part].map((one) => <option key={one.name} value={one.name}>{one.fields ?? one.idea}</option>)}
          </datalist>
        </label>
      ))}
      <label>Other settings <input value={design.more} spellcheck={false} placeholder="setting=value …"
        onChange={(event) => onChange({ ...design, more: event.currentTarget.value.trim() })} /></label>
      {idea && <p class="soft">{idea.fields}{idea.idea && `: ${idea.idea}`}</p>}
    </section>
  );
}
