// The series of a graph with their numbers. A click on a name shows it alone.

import { columnsFor, sortSeries, type Key } from './sort';
import { pairsOf } from './moved';
import { colorOf } from '../plot/palette';
import { showValue, type PlotSeries } from '../plot/series';
import { go, tweak } from '../state/page';
import type { State } from '../state/state';
import { showCount } from '../time/units';

const ROWS_MAX = 200;

export function Legend({ state, series, unitOf }: {
  state: State; series: PlotSeries[]; unitOf: (line: number) => string;
}) {
  const rows = sortSeries(series, state.sort);
  const columns = columnsFor(series);
  const hasBreak = state.lines.length > 1;
  const head = (key: string, text: string) => {
    const on = state.sort.replace(/^-/, '') === key;
    const isDown = state.sort.startsWith('-');
    return (
      <th key={key} scope="col" class={key === 'name' ? '' : 'number'}
        aria-sort={on ? (isDown ? 'descending' : 'ascending') : 'none'}>
        <button class="head" onClick={() => tweak({ sort: on && isDown ? key : `-${key}` })}>
          {text}{on ? (isDown ? ' ↓' : ' ↑') : ''}
        </button>
      </th>
    );
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Series">
      <table class="legend">
        <thead><tr>{head('name', `${showCount(series.length)} series`)}
          {columns.map((key) => head(key, key === 'before' ? 'avg before' : key))}</tr></thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map(({ one, at }) => (
            <Row key={one.label} one={one} columns={columns} color={colorOf(at)} state={state} unit={unitOf(one.line)}
              letter={hasBreak ? String.fromCharCode(65 + one.line) : ''} />
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && <p class="soft">The first {ROWS_MAX} are listed; CSV has all.</p>}
    </div>
  );
}

// Beyond 2^53, the table of stored points has the digits.
const exactly = (value: number) => (Math.abs(value) > 2 ** 53 ? `about ${value}` : String(value));

function cellOf({ stats }: PlotSeries, key: Key, unit: string): string {
  if (key === 'points') return showCount(stats.points);
  const value = stats[key];
  if (value === undefined) return '';
  const text = showValue(value, stats, unit);
  if (key !== 'change') return text;
  const percent = Math.round((100 * value) / Math.abs(stats.before!));
  const sign = value > 0 ? '+' : '';
  return `${sign}${text}${Number.isFinite(percent) ? ` (${sign}${percent} %)` : ''}`;
}

function Row({ one, columns, color, state, unit, letter }: {
  one: PlotSeries; columns: Key[]; color: string; state: State; unit: string; letter: string;
}) {
  const isShown = state.solo.length === 0 || state.solo.includes(one.label);
  const toggle = (event: MouseEvent) => {
    const { solo } = state;
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      go({ solo: solo.includes(one.label) ? solo.filter((label) => label !== one.label)
        : [...solo, one.label] });
    } else {
      go({ solo: solo.length === 1 && solo[0] === one.label ? [] : [one.label] });
    }
  };
  const [pair] = pairsOf([one]);
  return (
    <tr class={isShown ? '' : 'off'}>
      <th scope="row">
        <button class="name" aria-pressed={state.solo.includes(one.label)} onClick={toggle}
          title="Show alone; with Ctrl: add to those shown">
          <span class="dot" style={{ background: color }} />
          {letter && <span class="soft">{letter}</span>}
          <bdi>{one.label}</bdi>
        </button>
        {pair && <button class="else" title="What else changed?" aria-label={`What else changed with ${pair}?`}
          onClick={() => go({ moved: [pair] })} />}
      </th>
      {columns.map((key) => (
        <td key={key} class="number" title={exactly(one.stats[key] ?? NaN)}>{cellOf(one, key, unit)}</td>
      ))}
    </tr>
  );
}
