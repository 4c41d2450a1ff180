import { defineConfig, type Plugin } from 'vite';

// Addresses in the built page are relative, so that it works behind any path prefix.
// Only for development: requests for data go to a running server.
const server = process.env.HOURCELL ?? 'http://127.0.0.1:4242';

// Parts of uPlot that the page does not use. uPlot refers to all of them, so no bundler leaves them out.
// Fails if uPlot has no such line.
const UNUSED: [text: string, instead: string][] = [
  ['(paths.stepped = stepped);', ''], ['(paths.spline  = monotoneCubic);', ''], ['uPlot.tzDate  = tzDate;', ''],
  ['uPlot.addGap = addGap;', ''], ['uPlot.join = join;', ''],
  // Its legend, and charts that share a crosshair.
  ['const showLegend = legend.show;', 'const showLegend = false;'], ['legend.show && legend.live', 'false'],
  ['legend.live', 'false'], ['uPlot.sync = _sync;', ''], ['const sync = _sync(syncKey);', ''],
  ['if (syncOpts.filters.pub(type, src, x, y, w, h, i))', ''], ['sync.pub(type, src, x, y, w, h, i);', ''],
  ['sync.sub(self);', ''], ['sync.unsub(self);', ''], ['if (src != null)', 'if (false)'],
  ['if (e != null)', 'if (true)'],
  // Charts of points (mode 2), a vertical axis of times, and scales other than linear and logarithmic.
  ['const mode = u.mode;', 'const mode = 1;'], ['const mode = self.mode;', 'const mode = 1;'],
  ['let mode = self.mode;', 'const mode = 1;'], ['scaleX.ori == 0', 'true'], ['scaleX.ori == 1', 'false'],
  ['sc.distr == 4', 'false'], ['distr == 4', 'false'], ['sc.distr == 100', 'false'], ['distr == 100', 'false'],
  ['xScaleDistr == 2', 'false'],
  // Times in seconds, dates beside a crosshair, drags in two directions, bars with colours of their own.
  ['const ms = opts.ms || 1e-3;', 'const ms = 1;'], [' || _timeSeriesVal', ''],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(sv, _fmtDate))', 'sv'], ['let uni = drag.uni;', ''], ['if (uni != null)', 'if (false)'],
  ['const _timeSeriesVal  = timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate));', ''],
  ['dispFills != null && (strokeWidth == 0 || dispStrokes != null)', 'false'], ['x0 != null && size != null', 'false'],
  ['let { x0, size } = disp;', ''], ['cursor._lock = false;', ''], ['cursor._lock = !cursor._lock;', ''], ['cursor._lock', 'false'],
  ['const showCursor =                cursor.show;', 'const showCursor = true;'], ['if (syncKey != null)', 'if (false)'],
  ['let multiPath = false;', 'const multiPath = false;'], ['multiPath = true;', ''], ['events.mousedown = mouseDown;', ''],
  ['events.mousemove = mouseMove;', ''], ['events.mouseup = mouseUp;', ''], ['events.dblclick = dblClick;', ''],
  ['syncOpts.setSeries', 'false'], ['let angle = axis._rotate * -PI/180;', 'const angle = 0;'],
  // Changes of a chart's series, and functions for plugins.
  ...['self.addSeries = addSeries;', 'self.delSeries = delSeries;', 'self.addBand = addBand;', 'self.setBand = setBand;',
    'self.delBand = delBand;', 'self.batch = batch;', 'self.setSelect = setSelect;', 'self.setLegend = setLegend;',
    'self.posToIdx = closestIdxFromXpos;', 'self.valToIdx = val => closestIdx(val, data[0]);', 'self.pub = pub;',
    'self.setScale = setScale;', 'self.setSeries = setSeries;', 'uPlot.assign = assign;',
    'uPlot.fmtNum = fmtNum;', 'uPlot.rangeAsinh = rangeAsinh;', 'uPlot.orient   = orient;', 'uPlot.fmtDate = fmtDate;',
    'uPlot.clipGaps = clipGaps;'].map((line): [string, string] => [line, '']),
];
// The rules of its legend, which the page never shows.
const LEGEND = /\.u-(legend|inline|series|title)[^{}]*\{[^}]*\}/g;
const slimPlot: Plugin = {
  name: 'slim-uplot',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('uPlot.min.css')) {
      if (!LEGEND.test(code)) throw new Error('uPlot has no rules of a legend');
      return code.replace(LEGEND, '');
    }
    if (!id.endsWith('uPlot.esm.js')) return null;
    return UNUSED.reduce((text, [line, instead]) => {
      if (!text.includes(line)) throw new Error(`uPlot has no line ${line}`);
      return text.replaceAll(line, instead);
    }, code);
  },
};

export default defineConfig({
  base: './',
  plugins: [slimPlot],
  // Not the automatic runtime: calls of h() are shorter.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: "import { h, Fragment } from 'preact'",
  },
  build: {
    target: 'es2022',
    // Nothing may be inlined: the page's Content-Security-Policy has no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/api': server, '/q': server } },
});
