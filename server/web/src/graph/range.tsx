// The range of time: a list of usual ones, or any two times; and the zone they are in.

import { useState } from 'preact/hooks';
import { go, page } from '../state/page';
import { useStore } from '../state/store';
import { isZone, parseTime, printTime } from '../time/time';
import { Choice, Menu } from '../ui/parts';
import { rangeOf } from './run';

const USUAL: [string, string][] = [['5m-ago', 'Last 5 minutes'], ['30m-ago', 'Last 30 minutes'],
  ['1h-ago', 'Last hour'], ['6h-ago', 'Last 6 hours'], ['1d-ago', 'Last day'],
  ['1w-ago', 'Last week'], ['30d-ago', 'Last 30 days'], ['1y-ago', 'Last year']];
const REFRESH: [string, string][] = [['0', 'no refresh'], ['5', 'every 5 s'], ['15', 'every 15 s'],
  ['60', 'every minute'], ['300', 'every 5 min']];

export function Range() {
  const state = useStore(page);
  const usual = state.end === '' ? USUAL.find(([start]) => start === state.start)?.[1] : undefined;
  const refresh = String(state.refresh);
  return (
    <div class="range" role="group" aria-label="Range of time">
      <button aria-label="Earlier" title="Earlier" onClick={() => move(-0.5)}>‹</button>
      <Menu label={usual ?? `${state.start} – ${state.end || 'now'}`}>
        {USUAL.map(([start, text]) => (
          <button key={start} onClick={() => go({ start, end: '' })}>{text}</button>
        ))}
        <RangeForm key={`${state.start} ${state.end} ${state.tz}`} />
      </Menu>
      <button aria-label="Later" title="Later" onClick={() => move(0.5)}>›</button>
      <button aria-label="Zoom out" title="Zoom out" onClick={() => move(0)}>−</button>
      <Choice label="Refresh" value={refresh}
        options={REFRESH.some(([s]) => s === refresh) ? REFRESH
          : [...REFRESH, [refresh, `every ${refresh} s`]]}
        onChange={(seconds) => go({ refresh: Number(seconds) })} />
    </div>
  );
}

// By a part of its length; 0: twice as long.
function move(by: number): void {
  const [from, to] = rangeOf(page.get());
  const span = to - from;
  if (by === 0) zoomTo(from - span / 2, to + span / 2);
  else zoomTo(from + span * by, to + span * by);
}

export function zoomTo(from: number, to: number): void {
  const { tz } = page.get();
  // Whole seconds where they do: that reads better in an address.
  const print = (ms: number) => (to - from > 20e3 ? printTime(ms, tz) : String(Math.round(ms)));
  go({ start: print(from), end: print(to), refresh: 0 });
}

function RangeForm() {
  const state = page.get();
  const [from, setFrom] = useState(state.start);
  const [to, setTo] = useState(state.end || 'now');
  const [zone, setZone] = useState(state.tz);
  const ok = [from, to].every((text) => !Number.isNaN(parseTime(text, Date.now(), zone))) &&
    isZone(zone);
  return (
    <form class="form" onClick={(event) => event.stopPropagation()} onSubmit={(event) => {
      event.preventDefault();
      if (ok) go({ start: from, end: to === 'now' ? '' : to, tz: zone });
    }}>
      <label>From <input value={from} onInput={(event) => setFrom(event.currentTarget.value)} /></label>
      <label>To <input value={to} onInput={(event) => setTo(event.currentTarget.value)} /></label>
      <label>Time zone <input list="zones" placeholder="this browser's" value={zone}
        onInput={(event) => setZone(event.currentTarget.value)} /></label>
      <datalist id="zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((tz) => <option key={tz} value={tz} />)}
      </datalist>
      <p class="soft">2014/02/15-12:00, 3h-ago, seconds since 1970, now</p>
      <button class="primary" disabled={!ok}>Apply</button>
    </form>
  );
}
