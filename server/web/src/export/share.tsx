// Exports of a graph: files of its data and its picture, and its query as links, commands and text.

import type uPlot from 'uplot';
import { useState } from 'preact/hooks';
import { printAnswers } from '../api/stream';
import type { ChartModel } from '../plot/model';
import type { PlotSeries } from '../plot/series';
import type { Result } from '../graph/run';
import type { State } from '../state/state';
import { printState } from '../state/url';
import { isRelative } from '../time/time';
import { dark } from '../ui/theme';
import { Check, Dialog, Menu, Problem } from '../ui/parts';
import { asCli, asCurl, asJson, asPromqlCurl, fixedRange } from './copy';
import { toCsv } from './csv';
import { download, toPng } from './png';
import { toSvg } from './svg';

// `m=` lacks times, and the API of Prometheus needs fixed times.
const FIXED = ['m=', 'curl of PromQL'];

interface Copied { title: string; textOf: (fixed: boolean) => string; fixed: boolean }

export function Share({ state, result, series, model, chart }: {
  state: State; result: Result; series: PlotSeries[]; model: ChartModel; chart: () => uPlot | null;
}) {
  const [copied, setCopied] = useState<Copied | null>(null);
  const [error, setError] = useState<unknown>(null);
  const title = state.title || state.lines.map((line) => line.m).join('  ');
  const ms = result.sent.filter((one) => one.part === 'value' && !one.stepMs).map((one) => one.m);
  const promql = result.sent.filter((one) => one.stepMs);
  const moves = isRelative(state.start) || isRelative(state.end);
  const ask = (fixed: boolean) => ({ tz: state.tz, ms, ...(fixed ? fixedRange(result.from, result.to)
    : { start: state.start, end: state.end }) });
  const link = (fixed: boolean) => (fixed
    ? `${base}#${printState({ ...state, ...fixedRange(result.from, result.to), refresh: 0 })}` : location.href);
  const copy = (what: string, textOf: Copied['textOf'], fixed = !moves) => {
    setCopied({ title: what, textOf, fixed });
    // Browsers refuse this on plain HTTP; then the user copies the text from the dialog.
    navigator.clipboard?.writeText(textOf(fixed)).catch(() => {});
  };
  const base = location.href.replace(/[#?].*$/, '').replace(/[^/]*$/, '');
  const png = () => {
    const u = chart();
    if (u) toPng(u, model, title, dark.get()).then((blob) => download(blob, 'graph.png'), setError);
    else setError(new Error('The graph is not shown; a picture is of the graph.'));
  };
  const shown = model.drawn.map((one) => one.series);
  return (
    <>
      <Menu label="Export">
        <button onClick={() => download(toCsv(shown), 'graph.csv', 'text/csv')}>CSV</button>
        <button onClick={() => download(printAnswers(result.answers), 'graph.json',
                                        'application/json')}>JSON</button>
        <button onClick={png}>PNG</button>
        <button onClick={() => download(toSvg(model, title, dark.get()), 'graph.svg',
                                        'image/svg+xml')}>SVG</button>
        <hr />
        {moves && <button onClick={() => copy('Link', link, true)}>Copy the link, fixed to these times</button>}
        <button onClick={() => copy('Link', link)}>{moves ? 'Copy the link that moves on' : 'Copy the link'}</button>
        {promql.length > 0 && <button onClick={() => copy('curl of PromQL', () => promql.map((one) =>
          asPromqlCurl(base, one, result.from, result.to)).join('\n'), true)}>Copy PromQL as curl</button>}
        {ms.length > 0 && <>
          <button onClick={() => copy('curl', (fixed) => asCurl(base, ask(fixed)))}>Copy as curl</button>
          <button onClick={() => copy('OpenTSDB JSON', (fixed) => asJson(ask(fixed)))}>Copy as OpenTSDB JSON</button>
          <button onClick={() => copy('m=', () => ms.map((m) => `m=${m}`).join('\n'))}>Copy as m=</button>
          <button onClick={() => copy('Command line', (fixed) => asCli(ask(fixed)))}>Copy as command line</button>
        </>}
      </Menu>
      <Problem error={series.length ? error : null} />
      {copied && (
        <Dialog title={copied.title} onClose={() => setCopied(null)}>
          <p class="soft">Copied, if the browser allows it:</p>
          {moves && !FIXED.includes(copied.title) && <Check label="fixed to these times" checked={copied.fixed}
            onChange={(fixed) => copy(copied.title, copied.textOf, fixed)} />}
          <textarea class="mono" rows={8} readOnly aria-label={copied.title} value={copied.textOf(copied.fixed)}
            onFocus={(event) => event.currentTarget.select()} />
        </Dialog>
      )}
    </>
  );
}
