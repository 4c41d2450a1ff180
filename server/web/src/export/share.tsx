// Files of what is shown, and the query in other words.

import type uPlot from 'uplot';
import { useState } from 'preact/hooks';
import type { ChartModel } from '../plot/model';
import type { PlotSeries } from '../plot/series';
import type { Result } from '../graph/run';
import type { State } from '../state/state';
import { dark } from '../ui/theme';
import { Dialog, Menu, Problem } from '../ui/parts';
import { asCli, asCurl, asJson } from './copy';
import { toCsv } from './csv';
import { download, toPng } from './png';
import { toSvg } from './svg';

export function Share({ state, result, series, model, chart }: {
  state: State; result: Result; series: PlotSeries[]; model: ChartModel; chart: () => uPlot | null;
}) {
  const [copied, setCopied] = useState<{ title: string; text: string } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const title = state.title || state.lines.map((line) => line.m).join('  ');
  const ask = {
    start: state.start, end: state.end, tz: state.tz,
    ms: result.sent.filter((one) => one.part === 'value').map((one) => one.m),
  };
  const copy = (what: string, text: string) => {
    setCopied({ title: what, text });
    // Where the browser does not allow it (plain HTTP), the text can be copied from the dialog.
    navigator.clipboard?.writeText(text).catch(() => {});
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
        <button onClick={() => download(JSON.stringify(result.answers), 'graph.json',
                                        'application/json')}>JSON</button>
        <button onClick={png}>PNG</button>
        <button onClick={() => download(toSvg(model, title, dark.get()), 'graph.svg',
                                        'image/svg+xml')}>SVG</button>
        <hr />
        <button onClick={() => copy('Link', location.href)}>Copy the link</button>
        <button onClick={() => copy('curl', asCurl(base, ask))}>Copy as curl</button>
        <button onClick={() => copy('OpenTSDB JSON', asJson(ask))}>Copy as OpenTSDB JSON</button>
        <button onClick={() => copy('m=', ask.ms.map((m) => `m=${m}`).join('\n'))}>Copy as m=</button>
        <button onClick={() => copy('Command line', asCli(ask))}>Copy as command line</button>
      </Menu>
      <Problem error={series.length ? error : null} />
      {copied && (
        <Dialog title={copied.title} onClose={() => setCopied(null)}>
          <p class="soft">Copied, if the browser allows it:</p>
          <textarea class="mono" rows={8} readOnly aria-label={copied.title} value={copied.text}
            onFocus={(event) => event.currentTarget.select()} />
        </Dialog>
      )}
    </>
  );
}
