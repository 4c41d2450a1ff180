// The answers of a state as series and as the model of its chart.

import { useMemo } from 'preact/hooks';
import { withPast } from '../plot/compare';
import { chartModel, type ChartModel } from '../plot/model';
import { seriesOf, type PlotSeries } from '../plot/series';
import type { State } from '../state/state';
import { guessUnit } from '../time/units';
import { isRate, metricIn } from '../query/promql';
import { readLine } from './lines';
import { pastMs, type Result } from './run';

export interface Drawing { series: PlotSeries[]; model: ChartModel; unitOf: (line: number) => string }

export function useDrawing(state: State, result: Result): Drawing {
  const ago = pastMs(state);
  const series = useMemo(() => withPast(seriesOf(result.answers, result.sent), ago > 0 ? seriesOf(result.before, result.sent) : [],
    state.compare, ago), [result.answers, result.before, result.sent, state.compare, ago > 0]);
  const unitOf = useMemo(() => unitsOf(state), [state.unit, state.lines, state.shown]);
  const { from, to } = result;
  const model = useMemo(() => chartModel(state, series, from, to, unitOf),
    [series, from, to, unitOf, state.style, state.ylog, state.y2log, state.yrange, state.y2range,
      state.ylabel, state.y2label, state.solo, state.tz, state.lines, state.connect, state.threshold, state.every]);
  return { series, model, unitOf };
}

// The unit of each line: the one that was chosen, or that the name of its metric tells.
function unitsOf(state: State): (line: number) => string {
  const units = state.lines.map((line) => {
    const { query } = readLine(line);
    if (line.promql) return state.unit || guessUnit(metricIn(line.m), isRate(line.m));
    return state.unit || guessUnit(query?.metric ?? '', Boolean(query?.rate) && state.shown !== 'raw');
  });
  return (line) => units[line] ?? '';
}
