// The metrics of a tag that moved most in the range against the range before: a row each, on one axis.

import { useState } from 'preact/hooks';
import { findChanges, type Change, type ChangeReport } from '../api/changes';
import { Sparkline } from '../plot/sparkline';
import { go, linkTo } from '../state/page';
import type { State } from '../state/state';
import { showTime } from '../time/time';
import { plural, showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Choice, Problem } from '../ui/parts';
import { moveOf, othersOf, queryOf, scopeOf } from './moved';
import { rangeOf } from './run';

export function Changes({ state, pairs }: { state: State; pairs: string[] }) {
  const { moved } = state;
  const { value, error } = useAnswer((signal) => findChanges(moved, ...rangeOf(state), signal), []);
  const chosen = moved.join(' ');
  const options = pairs.includes(chosen) ? pairs : [chosen, ...pairs];
  return (
    <section class="panel changes" aria-label="What else changed">
      <header>
        <h2>What else changed with</h2>
        <Choice label="Tag" value={chosen} options={options} onChange={(pair) => go({ moved: [pair] })} />
        <p class="soft" role="status">
          {value ? scopeOf(value) : !error && <><span class="spinner" /> comparing with the range before…</>}
        </p>
        <button class="quiet" aria-label="Close what else changed" onClick={() => go({ moved: [] })}>✕</button>
      </header>
      <Problem error={error} />
      {value && (value.changes.length ? <Rows state={state} report={value} />
        : <p class="soft">No metric moved by more than its usual spread.</p>)}
    </section>
  );
}

function Rows({ state, report }: { state: State; report: ChangeReport }) {
  const { before, start, end, changes } = report;
  const [cross, setCross] = useState<{ left: number; ms: number } | null>(null);
  // Without the date where it is that of the end, and without seconds where no one needs them.
  const print = (ms: number) => showTime(ms, state.tz).slice(0, end - start < 600e3 ? 19 : 16);
  const at = (ms: number) => print(ms).replace(`${print(end).slice(0, 10)} `, '');
  return (
    <div class={cross ? 'crossed on' : 'crossed'} style={cross ? { '--at': `${cross.left}px` } : {}}
      onPointerMove={(event) => setCross(crossAt(event, before, end))} onPointerLeave={() => setCross(null)}>
      <p class="change axis" aria-hidden="true">
        <span /><span class="times"><span>{at(before)}</span><span>{at(start)}</span><span>{at(end)}</span></span><span />
        {cross && <b class="at">{at(cross.ms)}</b>}
      </p>
      <ol>
        {changes.map((one) => <Row key={one.tsuid} state={state} report={report} one={one} />)}
      </ol>
    </div>
  );
}

// The place of the pointer on the charts, which are all at the same place of their rows.
function crossAt(event: PointerEvent & { currentTarget: HTMLElement }, from: number, to: number) {
  const row = event.currentTarget.querySelector('.change .spark')!.getBoundingClientRect();
  const part = (event.clientX - row.left) / row.width;
  if (!(part >= 0 && part <= 1)) return null;
  return { left: event.clientX - event.currentTarget.getBoundingClientRect().left, ms: from + part * (to - from) };
}

function Row({ state, report, one }: { state: State; report: ChangeReport; one: Change }) {
  const others = othersOf(one, state.moved);
  const link = linkTo({ view: 'graph', start: state.start, end: state.end, moved: state.moved,
    lines: [{ m: queryOf(one), right: false, hidden: false }] });
  return (
    <li class="change">
      <span>
        <a class="main" href={link}><bdi>{one.metric}</bdi></a>
        <small class="soft">
          {others.length > 0 && <bdi>{others.join(', ')}</bdi>}
          {one.series > 1 && <span>{showCount(one.moved)} of {plural(one.series, 'series', 'series')} moved</span>}
          {one.rate && <span>per second</span>}
        </small>
      </span>
      <Sparkline points={one.line} from={report.before} to={report.end} mark={report.start}
        label={`${one.metric}: ${moveOf(one)}`} />
      <b class="number">{moveOf(one)}</b>
    </li>
  );
}
