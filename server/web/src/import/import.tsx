// Import: a file that is dropped on the page or chosen, or made-up sample data, with how far it is.

import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted } from '../api/client';
import { can } from '../api/roles';
import { forgetMetrics } from '../graph/completions';
import { emptyQuery } from '../query/model';
import { printQuery } from '../query/print';
import { go } from '../state/page';
import { Store, useStore } from '../state/store';
import { showSpan } from '../time/time';
import { plural, showCount, showNumber } from '../time/units';
import { Bar, Dialog, Menu, Problem } from '../ui/parts';
import { batchesOf, store, type Progress } from './run';
import { SAMPLE_POINTS, SAMPLE_QUERY, sampleBatches } from './sample';

interface Source { title: string; isSample: boolean; file?: File }

// What is being imported; null = nothing.
const source = new Store<Source | null>(null);

const take = (file: File | undefined) => file && source.set({ title: file.name, isSample: false, file });

export function AddData() {
  const picker = useRef<HTMLInputElement>(null);
  if (!useStore(can).write) return null;
  return (
    <>
      <Menu label="Add data">
        <button onClick={() => picker.current!.click()}>Import a file…</button>
        <button onClick={() => source.set({ title: 'Sample data', isSample: true })}>Load sample data</button>
        <p class="soft">A file can be dropped anywhere on the page.</p>
      </Menu>
      <input ref={picker} type="file" hidden aria-label="File to import" onChange={(event) => {
        take(event.currentTarget.files?.[0]);
        event.currentTarget.value = '';
      }} />
    </>
  );
}

export function Import() {
  const current = useStore(source);
  const { write } = useStore(can);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!write) return;
    const abort = new AbortController();
    const listen = (type: string, act: (event: DragEvent) => void) => addEventListener(type, (event) => {
      if (!(event as DragEvent).dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      act(event as DragEvent);
    }, { signal: abort.signal });
    listen('dragover', () => setOver(true));
    listen('dragleave', (event) => event.relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      setOver(false);
      take(event.dataTransfer!.files[0]);
    });
    return () => abort.abort();
  }, [write]);
  return (
    <>
      {isOver && <div class="drop">Drop a file of lines to import it: plain or gzip</div>}
      {current && <ImportDialog key={current.title} source={current} />}
    </>
  );
}

function ImportDialog({ source: { title, isSample, file } }: { source: Source }) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [end, setEnd] = useState<'running' | 'done' | 'cancelled'>('running');
  const [error, setError] = useState<unknown>(null);
  const abort = useRef(new AbortController());
  const begun = useRef(performance.now());
  useEffect(() => {
    const { signal } = abort.current;
    const batches = file ? batchesOf(file) : sampleBatches(Date.now() / 1e3);
    store(batches, file?.size ?? SAMPLE_POINTS, signal, setProgress).then((last) => {
      setProgress(last);
      setEnd('done');
      if (isSample) show(last);
    }, (problem) => {
      setEnd('cancelled');
      if (!isAborted(problem)) setError(problem);
    }).finally(forgetMetrics);
    return () => abort.current.abort();
  }, []);
  const show = (last: Progress) => {
    source.set(null);
    go({
      view: 'graph', start: isSample ? '1d-ago' : String(Math.floor(last.from / 1e3)),
      end: isSample ? '' : String(Math.ceil(last.to / 1e3) + 1),
      title: isSample ? 'Sample data, made up' : '',
      lines: [{ m: isSample ? SAMPLE_QUERY : printQuery(emptyQuery(last.first!.metric)), right: false, hidden: false }],
    });
  };
  // Not an end without a word: a half of a file looks like all of it.
  useEffect(() => {
    if (end !== 'running') return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [end]);
  const seconds = (performance.now() - begun.current) / 1e3;
  const pace = progress && progress.done > 0 && `${showCount(progress.stored / seconds)} points/s, ${
    showSpan(1e3 * seconds * (progress.total / progress.done - 1))} left. `;
  const amount = (n: number) => (isSample ? showCount(n) : showNumber(n, 'bytes'));
  return (
    <Dialog title={`Import: ${title}`} onClose={() => {
      if (end === 'running' && !confirm('Stop the import? Points that are stored stay.')) return false;
      return source.set(null);
    }}>
      <Bar part={progress?.total ? progress.done / progress.total : 0} />
      <p role="status">
        {end === 'running' && pace}
        {end === 'running' && `${amount(progress?.done ?? 0)} of ${amount(progress?.total ?? file?.size ?? SAMPLE_POINTS)}. `}
        {end === 'cancelled' && 'Stopped. '}
        {plural(progress?.stored ?? 0, 'point')} stored{progress?.refused ? `, ${showCount(progress.refused)} refused` : ''}.
      </p>
      <Problem error={error} />
      {progress && progress.faults.length > 0 && (
        <ul class="faults scroll" tabIndex={0} aria-label="Refused">{progress.faults.map((fault) => (
          <li key={fault}><bdi>{fault}</bdi></li>))}</ul>
      )}
      <div class="row">
        {end === 'running' && <button onClick={() => abort.current.abort()}>Cancel</button>}
        {end === 'done' && progress!.stored > 0 && (
          <button class="primary" onClick={() => show(progress!)}>Draw {progress!.first?.metric}</button>
        )}
      </div>
    </Dialog>
  );
}
