// The graphs of a saved view, on one range of time.

import { useMemo, useRef, useState } from 'preact/hooks';
import { can } from '../api/roles';
import { loadView, removeView, type LoadedView, type Panel } from '../api/views';
import { useDrawing } from '../graph/drawn';
import { notesOf } from '../graph/notes';
import { zoomTo } from '../graph/range';
import { useResult } from '../graph/run';
import { Chart } from '../plot/chart';
import { go, linkTo, page } from '../state/page';
import { dropFavourite, moveFavourite } from '../state/saved';
import { useStore } from '../state/store';
import { plural, showCount } from '../time/units';
import { useAnswer, useSeen, useTick } from '../ui/hooks';
import { Dialog, Problem } from '../ui/parts';
import { dark } from '../ui/theme';
import { stateOf } from './document';
import { EditView } from './edit';
import { Star } from './star';

export function Dashboard({ name }: { name: string }) {
  const state = useStore(page);
  const rights = useStore(can);
  const [changes, setChanges] = useState(0);
  const [open, setOpen] = useState<'' | 'edit' | 'delete'>('');
  const tick = useTick(state.refresh * 1000);
  const { value, error } = useAnswer((signal) => loadView(name, signal), [changes]);
  const close = () => setOpen('');
  return (
    <main>
      <p><a href={linkTo({ view: 'views' })}>← All views</a></p>
      <div class="toolbar">
        <h1><bdi>{value?.view.title || name}</bdi></h1>
        <Star name={name} link={linkTo(state)} />
        {rights.write && value && <>
          <button onClick={() => setOpen('edit')}>Edit as text</button>
          <button onClick={() => setOpen('delete')}>Delete…</button>
        </>}
        <p class="status" role="status">{value && plural(value.panels.length, 'graph')}</p>
      </div>
      <Problem error={error} />
      {value?.panels.length === 0 && <p class="empty">This view has no graphs yet. Draw one, and save it here.</p>}
      <div class="dashboard">
        {value?.panels.map((panel, i) => <GraphPanel key={`${value.etag} ${i}`} panel={panel} tick={tick} />)}
      </div>
      {value && open === 'edit' && <EditView name={name} text={value.text} etag={value.etag} onClose={close}
        onDone={(next) => {
          close();
          if (next === name) return setChanges(changes + 1);
          moveFavourite(name, { name: next, link: linkTo({ ...state, saved: next }) });
          go({ saved: next });
        }} />}
      {value && open === 'delete' && <DeleteView name={name} value={value} onClose={close} />}
    </main>
  );
}

function DeleteView({ name, value, onClose }: { name: string; value: LoadedView; onClose: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const remove = () => removeView(name, value.etag).then(() => {
    dropFavourite(name);
    go({ saved: '' });
  }, setError);
  return (
    <Dialog title="Delete the view" onClose={onClose}>
      <p>Delete <b><bdi>{name}</bdi></b> with {plural(value.view.graphs.length, 'graph')}, for everyone? The points stay.</p>
      <Problem error={error} />
      <p><button class="primary" onClick={() => void remove()}>Delete</button></p>
    </Dialog>
  );
}

const HEIGHT = 240;
const KEYS_MAX = 12;

function GraphPanel({ panel, tick }: { panel: Panel; tick: number }) {
  const { start, end, tz, refresh } = useStore(page);
  const isDark = useStore(dark);
  const host = useRef<HTMLElement>(null);
  const isSeen = useSeen(host);
  const state = useMemo(() => stateOf(panel.graph, { start, end, tz, refresh }, panel.of),
                        [panel, start, end, tz, refresh]);
  const asked = useMemo(() => ({ ...state, view: 'views' as const, shown: 'graph' as const,
    lines: isSeen ? state.lines : [] }), [state, isSeen]);
  const result = useResult(asked, (host.current?.clientWidth ?? 600) - 80, tick);
  const { model } = useDrawing(asked, result);
  const notes = useMemo(() => (state.notes ? notesOf(result.answers) : []), [result.answers, state.notes]);
  const keys = model.drawn.filter((one) => !one.dashed);
  const title = state.title || state.lines.map((line) => line.m).join('  ') || panel.of;
  return (
    <section ref={host} class="panel" aria-label={title}>
      <header>
        <h2>{panel.error ? title : <a href={linkTo(state)}><bdi>{title}</bdi></a>}</h2>
        {result.running && <span class="spinner" />}
      </header>
      <Problem error={panel.error ?? result.error} />
      {!panel.error && <Chart model={model} notes={notes} dark={isDark} height={HEIGHT} onZoom={zoomTo}
        onNote={() => go(state)} numbers="Open the graph by its heading for the numbers." />}
      <p class="keys">
        {keys.slice(0, KEYS_MAX).map(({ series, color }) => (
          <span key={series.label}><span class="dot" style={{ background: color }} /> <bdi>{series.label}</bdi></span>
        ))}
        {keys.length > KEYS_MAX && <span>and {showCount(keys.length - KEYS_MAX + model.left)} more</span>}
      </p>
    </section>
  );
}
