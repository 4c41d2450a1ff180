// The numbers behind the graph: as a table, as they are stored, as JSON.

import type { PlotSeries } from '../plot/series';
import { onAxis, unionOf } from '../plot/align';
import { printAnswers } from '../api/stream';
import type { Result } from './run';
import { showTime, zoneName } from '../time/time';
import { plural, showCount } from '../time/units';

const ROWS_MAX = 500;
const COLUMNS_MAX = 30;
const JSON_MAX = 200_000;

export function Table({ series, tz }: { series: PlotSeries[]; tz: string }) {
  const shown = series.slice(0, COLUMNS_MAX);
  const axis = unionOf(shown.map((one) => one.xs));
  const columns = shown.map((one) => onAxis(axis, one.xs, one.texts));
  const from = Math.max(0, axis.length - ROWS_MAX);
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Values">
      <table class="values">
        <thead><tr><th scope="col">Time, {zoneName(tz)}</th>
          {shown.map((one) => <th key={one.label} scope="col" class="number"><bdi>{one.label}</bdi></th>)}
        </tr></thead>
        <tbody>
          {axis.slice(from).reverse().map((ms, i) => (
            <tr key={ms}><th scope="row">{showTime(ms, tz)}</th>
              {columns.map((column, k) => (
                <td key={k} class="number">{column[axis.length - 1 - i] ?? ''}</td>
              ))}</tr>
          ))}
        </tbody>
      </table>
      <Cut what="times" shown={axis.length - from} all={axis.length} />
      <Cut what="series" shown={shown.length} all={series.length} />
    </div>
  );
}

function Cut({ what, shown, all }: { what: string; shown: number; all: number }) {
  if (shown === all) return null;
  return <p class="soft">{showCount(shown)} of {showCount(all)} {what} are shown. CSV has all.</p>;
}

// Points as they are stored: each series by itself, with times to the millisecond.
export function RawPoints({ series, tz }: { series: PlotSeries[]; tz: string }) {
  const total = series.reduce((sum, one) => sum + one.xs.length, 0);
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Stored points">
      <p class="soft">{plural(total, 'point')} of {showCount(series.length)} series, as they are stored</p>
      {series.slice(0, COLUMNS_MAX).map((one) => (
        <details key={one.label} open={series.length === 1}>
          <summary><bdi>{one.label}</bdi> <span class="soft">{plural(one.xs.length, 'point')}</span></summary>
          <pre>{one.xs.slice(-ROWS_MAX).map((ms, i) =>
            `${showTime(ms, tz)}.${String(ms % 1000).padStart(3, '0')}  ${
              one.texts[Math.max(0, one.xs.length - ROWS_MAX) + i]}`).join('\n')}</pre>
          <Cut what="points" shown={Math.min(ROWS_MAX, one.xs.length)} all={one.xs.length} />
        </details>
      ))}
      <Cut what="series" shown={Math.min(COLUMNS_MAX, series.length)} all={series.length} />
    </div>
  );
}

export function JsonText({ result }: { result: Result }) {
  const text = printAnswers(result.answers, 1).replace(/\[\s+(-?[\d.e+]+),\s+([^\]]*?)\s+\]/g,
                                                              '[$1, $2]');
  return (
    <pre class="scroll tall json" tabIndex={0} role="region" aria-label="Answer as JSON">
      {text.length > JSON_MAX ? `${text.slice(0, JSON_MAX)}\n… ${text.length - JSON_MAX} characters more` : text}
    </pre>
  );
}
