// The view of a graph: queries, chart, legend, and the numbers behind it.

import { useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { can } from '../api/roles';
import type { Annotation } from '../api/stream';
import { Share } from '../export/share';
import { Chart } from '../plot/chart';
import { DRAWN_MAX } from '../plot/model';
import { textsOf } from '../query/auto';
import { go, page } from '../state/page';
import { SHOWN, type State } from '../state/state';
import { useStore } from '../state/store';
import { showSpan, showTime } from '../time/time';
import { showCount } from '../time/units';
import { useTick } from '../ui/hooks';
import { Problem } from '../ui/parts';
import { dark } from '../ui/theme';
import { SaveDialog } from '../views/save';
import { Changes } from './changes';
import { useDrawing } from './drawn';
import { Editor } from './editor';
import { ExplainTree } from './explain';
import { Legend } from './legend';
import { newLine } from './lines';
import { Look } from './look';
import { pairsOf } from './moved';
import { NoteDialog, newNote, notesOf } from './notes';
import { zoomTo } from './range';
import { JsonText, RawPoints, Table } from './results';
import { useResult, type Result } from './run';

const TABS: Record<State['shown'], string> = {
  graph: 'Graph', table: 'Table', raw: 'Raw points', json: 'JSON', explain: 'Explain',
};

export function GraphView() {
  const state = useStore(page);
  const isDark = useStore(dark);
  const rights = useStore(can);
  const [note, setNote] = useState<Annotation | null>(null);
  const [changes, setChanges] = useState(0);
  const [saves, setSaves] = useState(false);
  const chart = useRef<uPlot | null>(null);
  const tick = useTick(state.refresh * 1000);
  const result = useResult(state, Math.min(innerWidth, 1600) - 120, tick + changes * 1e6);
  const { series, model, unitOf } = useDrawing(state, result);
  const { from, to } = result;
  const pairs = useMemo(() => pairsOf(model.drawn.map((one) => one.series)), [model]);
  const notes = useMemo(() => (state.notes ? notesOf(result.answers) : []),
                        [result.answers, state.notes]);
  return (
    <main class={`graph${isOld(result) ? ' old' : ''}`}>
      <Editor lines={state.lines.length ? state.lines : [newLine()]} />
      <div class="toolbar">
        <div class="tabs" role="group" aria-label="Shown as">
          {SHOWN.map((shown) => (
            <button key={shown} aria-pressed={state.shown === shown}
              onClick={() => go({ shown })}>{TABS[shown]}</button>
          ))}
        </div>
        {state.shown === 'graph' && <Look />}
        {rights.write && <button onClick={() => setNote(newNote((from + to) / 2 || Date.now()))}>
          Add a note</button>}
        {rights.write && state.lines.length > 0 && <button onClick={() => setSaves(true)}>Save…</button>}
        {pairs.length > 0 && <button aria-pressed={state.moved.length > 0}
          onClick={() => go({ moved: state.moved.length ? [] : pairs.slice(0, 1) })}>What else changed?</button>}
        <Share state={state} result={result} series={series} model={model}
          chart={() => chart.current} />
        <Status state={state} result={result} count={series.length} left={model.left} />
      </div>
      <Problem error={result.error} />
      <h1 class={state.title ? 'title' : 'sr'}><bdi>{state.title || 'Graph'}</bdi></h1>
      {state.shown === 'graph' && (
        <>
          <Chart model={model} notes={notes} dark={isDark} height={innerWidth < 600 ? 260 : 380}
            onZoom={zoomTo} onNote={setNote} onReady={(u) => (chart.current = u)} />
          {state.moved.length > 0 && <Changes key={`${state.moved} ${state.start} ${state.end}`} state={state}
            pairs={pairs} />}
          {series.length > 0 && <Legend state={state} series={series} unitOf={unitOf} />}
        </>
      )}
      {(state.shown === 'raw' || state.shown === 'explain') && state.lines.some((line) => line.promql) && (
        <p class="soft">Queries in PromQL are not among these.</p>)}
      {state.shown === 'table' && <Table series={model.drawn.map((one) => one.series)} tz={state.tz} />}
      {state.shown === 'raw' && <RawPoints series={series} tz={state.tz} />}
      {state.shown === 'json' && <JsonText result={result} />}
      {state.shown === 'explain' && <ExplainTree plans={result.plans} running={result.running}
        queries={textsOf(result.sent)} />}
      {saves && <SaveDialog state={state} onClose={() => setSaves(false)} />}
      {note && <NoteDialog note={note} tz={state.tz} onClose={() => setNote(null)} onDone={() => {
        setNote(null);
        setChanges(changes + 1);
      }} />}
    </main>
  );
}

// An answer that is shown because the next one failed.
const isOld = ({ error, answers }: Result) => Boolean(error) && answers.length > 0;

function Status({ state, result, count, left }: {
  state: State; result: Result; count: number; left: number;
}) {
  const points = result.answers.reduce((sum, answer) => sum + answer.dps.length, 0);
  const steps = [...new Set(result.sent.flatMap((one) => one.stepMs ?? []))];
  const isEmpty = !result.running && !result.error && result.sent.length > 0 && points === 0;
  return (
    <p class="status" role="status">
      {result.running && <span class="spinner" />}
      {result.step && state.shown !== 'raw' && (
        <span class="chip">
          one point per {result.step}{result.sent.some((one) => one.part === 'min') && ', with min–max band'}
          <button class="link" onClick={() => go({ auto: false })}>all points</button>
        </span>
      )}
      {steps.map((ms) => <span key={ms} class="chip">PromQL every {showSpan(ms)}</span>)}
      {!state.auto && <button class="link" onClick={() => go({ auto: true })}>fit points to the screen</button>}
      {state.solo.length > 0 && <span class="chip">only {state.solo.length} of {showCount(count)} shown
        <button class="link" aria-label="Show all series" onClick={() => go({ solo: [] })}>✕</button></span>}
      {left > 0 && <span class="chip">{DRAWN_MAX} of {showCount(left + DRAWN_MAX)} drawn, those with the highest maxima
        <button class="link" onClick={() => go({ every: true })}>draw all</button></span>}
      {isOld(result) && <b class="stale">As of {showTime(result.at, state.tz).slice(11)}: the last answer. </b>}
      {isEmpty ? 'No points in this range.'
        : points > 0 && `${showCount(points)} points in ${showSpan(result.tookMs)}`}
    </p>
  );
}
