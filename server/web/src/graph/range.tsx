// The range of time: a list of usual ones, or any two times; and the zone they are in.

import { useState } from 'preact/hooks';
import { go, page } from '../state/page';
import { useStore } from '../state/store';
import { isZone, parseTime, pinTime, printUnix, showRange, showTime, zoneName } from '../time/time';
import { Choice, Menu } from '../ui/parts';
import { rangeOf } from './run';

const USUAL = ['5m-ago', '30m-ago', '1h-ago', '6h-ago', '1d-ago', '1w-ago', '30d-ago', '1y-ago'];
const REFRESH: [string, string][] = [['0', 'no refresh'], ['5', 'every 5 s'], ['15', 'every 15 s'],
  ['60', 'every minute'], ['300', 'every 5 min']];

export function Range() {
  const state = useStore(page);
  const refresh = String(state.refresh);
  return (
    <div class="range" role="group" aria-label="Range of time">
      <button aria-label="Earlier" title="Earlier" onClick={() => move(-0.5)}>‹</button>
      <Menu label={<>{showRange(state.start, state.end, Date.now(), state.tz)}
        <small> {zoneName(state.tz)}</small></>}>
        {USUAL.map((start) => (
          <button key={start} onClick={() => go({ start, end: '' })}>{showRange(start, '', 0, '')}</button>
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
  // Whole seconds where they do: that reads better in an address.
  const print = (ms: number) => printUnix(to - from > 20e3 ? Math.round(ms / 1e3) * 1e3 : Math.round(ms));
  go({ start: print(from), end: print(to), refresh: 0 });
}

// As people read it: they change a part of it.
export const textOf = (text: string, tz: string) => (/^\d+(\.\d+)?$/.test(text)
  ? showTime(parseTime(text, 0, tz), tz) + (Number(text) < 1e11 ? '' : `.${text.slice(-3)}`) : text);

function RangeForm() {
  const state = page.get();
  const [from, setFrom] = useState(textOf(state.start, state.tz));
  const [to, setTo] = useState(textOf(state.end, state.tz) || 'now');
  const [zone, setZone] = useState(state.tz);
  const now = Date.now();
  const known = isZone(zone);
  const read = (text: string) => (known ? parseTime(text, now, zone) : NaN);
  const ok = read(from) < read(to);
  const field = (label: string, text: string, set: (text: string) => void) => (
    <label>{label} <input value={text} onInput={(event) => {
      const typed = event.currentTarget.value;
      // Two times that are pasted together fill both fields.
      const [first, last, more] = typed.split(/ +(?:[–—-]|to) +|\/(?=\d{4}-\d\d-\d\dT)/);
      if (last && more === undefined && !Number.isNaN(read(first!) + read(last))) {
        setFrom(first!);
        setTo(last);
      } else set(typed);
    }} /><small role="status">{Number.isNaN(read(text)) ? 'not understood' : showTime(read(text), zone)}</small></label>
  );
  return (
    <form class="form" onClick={(event) => event.stopPropagation()} onSubmit={(event) => {
      event.preventDefault();
      if (ok) go({ start: pinTime(from, now, zone), end: pinTime(to, now, zone), tz: zone });
    }}>
      {field('From', from, setFrom)}
      {field('To', to, setTo)}
      <label>Time zone <input list="zones" placeholder={zoneName('')} value={zone}
        onInput={(event) => setZone(event.currentTarget.value)} /></label>
      <datalist id="zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((tz) => <option key={tz} value={tz} />)}
      </datalist>
      <p class="soft">2014-02-15T12:00Z, 2014/02/15-12:00, 10:00, yesterday, now-3h, seconds since 1970</p>
      <button class="primary" disabled={!ok}>Apply</button>
    </form>
  );
}
