// Deletes points, renames and removes names. Each dialog says how many points it concerns before it acts.

import { useState } from 'preact/hooks';
import { ALWAYS, countPoints, deletePoints, KINDS, removeName, rename, undoMs, type Counts, type Kind, type Selection } from '../api/change';
import { can } from '../api/roles';
import { textOf } from '../graph/range';
import { parseQuery } from '../query/parse';
import { printName } from '../query/print';
import { page } from '../state/page';
import { useStore } from '../state/store';
import { parseTime, printUnix, showSpan } from '../time/time';
import { plural } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Check, Choice, Dialog, Menu, Problem } from '../ui/parts';
import { UndoOf } from './deletes';

export function ChangeMenu({ metric, onDone }: { metric: string; onDone: (metric: string) => void }) {
  const rights = useStore(can);
  const [open, setOpen] = useState<'' | 'delete' | 'rename' | 'remove'>('');
  if (!rights.admin) return null;
  const close = () => setOpen('');
  const done = (name: string) => {
    close();
    onDone(name);
  };
  return (
    <>
      <Menu label="Change">
        <button onClick={() => setOpen('delete')}>Delete points…</button>
        <button onClick={() => setOpen('rename')}>Rename…</button>
        <button onClick={() => setOpen('remove')}>Remove the name…</button>
      </Menu>
      {open === 'delete' && <DeleteDialog text={printName(metric)} always onClose={close} onDone={() => onDone(metric)} />}
      {open === 'rename' && <RenameDialog metric={metric} onClose={close} onDone={done} />}
      {open === 'remove' && <RemoveDialog metric={metric} onClose={close} onDone={() => done('')} />}
    </>
  );
}

const showCounts = ({ metrics, series, points, histograms }: Counts) =>
  `${plural(points, 'point')}${histograms ? ` and ${plural(histograms, 'histogram')}` : ''} of ${
    plural(series, 'series', 'series')}${metrics > 1 ? ` of ${metrics} metrics` : ''}`;

// The name that a person types to confirm.
function nameIn(text: string): string {
  try {
    return parseQuery(`none:${text}`).metric;
  } catch {
    return '';
  }
}

export function DeleteDialog({ text, always = false, onClose, onDone }: {
  text: string; always?: boolean; onClose: () => void; onDone: () => void;
}) {
  const { start, end, tz } = page.get();
  const [series, setSeries] = useState(text);
  const [all, setAll] = useState(always);
  const [from, setFrom] = useState(textOf(start, tz));
  const [to, setTo] = useState(textOf(end, tz) || 'now');
  const [typed, setTyped] = useState('');
  const [counted, setCounted] = useState<{ of: Selection; counts: Counts } | null>(null);
  const [deleted, setDeleted] = useState<Counts | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const undo = useAnswer(undoMs, []).value ?? 0;
  const now = Date.now();
  const ok = all || parseTime(from, now, tz) <= parseTime(to, now, tz);
  // Any change makes the count one of something else.
  const edit = <T,>(set: (value: T) => void) => (value: T) => {
    set(value);
    setCounted(null);
  };
  const act = (work: Promise<unknown>) => {
    setBusy(true);
    setError(null);
    void work.catch(setError).finally(() => setBusy(false));
  };
  const count = () => {
    // Moments: the same points are deleted later.
    const moment = (time: string) => printUnix(Math.round(parseTime(time, now, tz)));
    const of = { text: series, ...(all ? ALWAYS : { start: moment(from), end: moment(to) }) };
    act(countPoints(of).then((counts) => setCounted({ of, counts })));
  };
  const field = (label: string, value: string, set: (value: string) => void) => (
    <label>{label} <input value={value} spellcheck={false} onInput={(event) => edit(set)(event.currentTarget.value)} /></label>
  );
  if (deleted) {
    return (
      <Dialog title="Delete points" onClose={onClose}>
        <p role="status">Deleted {showCounts(deleted)}.</p>
        {deleted.undoId && <UndoOf id={deleted.undoId} onDone={onDone} />}
      </Dialog>
    );
  }
  return (
    <Dialog title="Delete points" onClose={onClose}>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        if (!counted) count();
        else act(deletePoints(counted.of).then(setDeleted).then(onDone));
      }}>
        {field('Series, as in m=', series, setSeries)}
        <Check label="at all times" checked={all} onChange={edit(setAll)} />
        {!all && field('From', from, setFrom)}
        {!all && field('To', to, setTo)}
        <Problem error={error} />
        {counted && <>
          <p role="status"><b>{showCounts(counted.counts)}</b> will be deleted. {undo ? `You can undo this for ${showSpan(undo)}${
            counted.counts.histograms ? ', but not for histograms' : ''}.` : 'Only a backup has them then.'}</p>
          {counted.counts.points + (counted.counts.histograms ?? 0) > 0 && <label>Type the name of the metric to confirm{' '}
            <input autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>}
        </>}
        <p>{counted ? <button class="primary" disabled={busy || !typed || typed !== nameIn(series)}>Delete</button>
          : <button class="primary" disabled={busy || !ok}>Count the points</button>}</p>
      </form>
    </Dialog>
  );
}

function RenameDialog({ metric, onClose, onDone }: {
  metric: string; onClose: () => void; onDone: (metric: string) => void;
}) {
  const [kind, setKind] = useState<Kind>('metric');
  const [name, setName] = useState(metric);
  const [next, setNext] = useState(metric);
  const [error, setError] = useState<unknown>(null);
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        void rename(kind, name, next).then(() => onDone(kind === 'metric' ? next : metric), setError);
      }}>
        <label>What <Choice label="What" value={kind} options={KINDS.map(([key, text]) => [key, text] as [Kind, string])}
          onChange={(chosen) => {
            setKind(chosen);
            setName(chosen === 'metric' ? metric : '');
            setNext('');
          }} /></label>
        <label>Name <input required value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
        <label>New name <input required value={next} onInput={(event) => setNext(event.currentTarget.value)} /></label>
        <p class="soft">{kind === 'metric' ? 'All points move to the new name, in one step.'
          : 'The name changes in the series of all metrics.'} Programs that still send the old name create it anew.</p>
        <Problem error={error} />
        <p><button class="primary" disabled={name === next}>Rename</button></p>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ metric, onClose, onDone }: { metric: string; onClose: () => void; onDone: () => void }) {
  const [problem, setProblem] = useState<unknown>(null);
  const { value, error } = useAnswer(() => countPoints({ text: printName(metric), ...ALWAYS }), []);
  const left = value ? value.points + (value.histograms ?? 0) : 1;
  return (
    <Dialog title="Remove the name" onClose={onClose}>
      <p role="status">{value && (left > 0 ? `${metric} has ${showCounts(value)}. Delete them first: without the name they cannot be found.`
        : `${metric} has no points. Its name can be removed.`)}</p>
      <Problem error={error ?? problem} />
      <p><button class="primary" disabled={left > 0} onClick={() => void removeName(metric).then(onDone, setProblem)}>Remove</button></p>
    </Dialog>
  );
}
