// Leaves out of uPlot what the page does not use. uPlot refers to all of its parts, so no bundler leaves
// them out.

import type { Plugin } from 'vite';

// Replaced in this order. Fails if uPlot has no such text.
const UNUSED: [text: string | RegExp, instead: string][] = [
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
  ['timeSeriesVal(_tzDate, timeSeriesStamp(sv, _fmtDate))', 'sv'], ['let uni = drag.uni;', ''],
  ['if (uni != null)', 'if (false)'],
  ['const _timeSeriesVal  = timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate));', ''],
  ['dispFills != null && (strokeWidth == 0 || dispStrokes != null)', 'false'],
  ['x0 != null && size != null', 'false'],
  ['let { x0, size } = disp;', ''], ['cursor._lock = false;', ''], ['cursor._lock = !cursor._lock;', ''],
  ['cursor._lock', 'false'],
  ['const showCursor =                cursor.show;', 'const showCursor = true;'],
  ['if (syncKey != null)', 'if (false)'],
  ['let multiPath = false;', 'const multiPath = false;'], ['multiPath = true;', ''],
  ['events.mousedown = mouseDown;', ''],
  ['events.mousemove = mouseMove;', ''], ['events.mouseup = mouseUp;', ''], ['events.dblclick = dblClick;', ''],
  ['syncOpts.setSeries', 'false'], ['let angle = axis._rotate * -PI/180;', 'const angle = 0;'],
  ['const legend     = (self.legend = assign({}, legendOpts, opts.legend));', 'const legend = {};'],
  ['const markers    = legend.markers;', ''], [/^\t\tmarkers\.\w+\s+= fnOrSelf\(markers\.\w+\);$/gm, ''],
  ['s.value = isTime ? (isStr(sv) ? sv : sv) : sv || numSeriesVal;', ''],
  ['s.label = s.label || (isTime ? timeSeriesLabel : numSeriesLabel);', ''], ['let sv = s.value;', ''],
  ['let isTime = mode == 1 && scales[s.scale].time;', ''], [/const syncOpts = assign\([^]*?cursor\.sync\);/, ''],
  [/if \(syncOpts\.match\.length == 2\)\s+.*;/, ''], ['cursor.sync = syncOpts;', ''],
  ['const syncKey = syncOpts.key;', ''],
  [/events\["setSeries"\] = [^]*?\n\t};/, ''], ['const events = {};', ''],
  // Its own texts for numbers and times: the page has others.
  [/const numFormatter = .*/, ''], ['numFormatter.format(val)', 'val'], ['av || _timeAxisVals', 'av'],
  ['av || numAxisVals', 'av'],
  ['isArr(av) && !isArr(av[0]) ?', 'false ?'], ['isStr(av) ?', 'false ?'], [/const _timeAxisVals .*/, ''],
  [/^\t(YY|MMMM|M|WWWW|WWW|H|h|AA|aa|a|m|s):\s+(d|\(d, names\)) => .*$/gm, ''],
  [/const _timeAxisStamps = \[[^]*?\n\t\];/, ''],
  ['\t\t_timeAxisStamps,\n', ''],
  ['timeIncrsMs, _timeAxisStampsMs, timeAxisSplitsMs', 'timeIncrsMs, timeAxisSplitsMs'],
  [/const \[ timeIncrsS, .*/, ''], ['ms == 1', 'true'], ['s[8] == 0', 'false'],
  // Ranges that it chooses: each scale of the page has a function for its range.
  [/sc\.range = fnOrSelf\([^]*?\n\t+\)\);/, 'sc.range = rn;'],
  ['if (scaleKey != xScaleKey || (mode == 2 && !isTime)) {', 'if (false) {'],
  ['let isTime = sc.time;\n\n\t\t\t\tlet rn', 'let rn'],
  ['scaleOpts.from != null', 'false'], ['wsc.from != null', 'false'], ['wsc.from == null', 'true'],
  ['sc.from != null', 'false'],
  ['sc.from == null', 'true'], ['sc.distr == 2', 'false'], ['scale.distr == 2', 'false'],
  ['scaleX.distr != 2 || disp != null', 'true'],
  ['genIncrs(2, -53, 53, [1])', '[]'], ['sc.distr >= 3 && sc.log == 10', 'sc.distr == 3'],
  ['sc.distr == 3 && sc.log == 2 ? log2AxisValsFilt : retArg1', 'retArg1'], ['logBase == 10 ? log10 : log2', 'log10'],
  ['base == 10 ? log10 : log2', 'log10'], ['dir == -1 ?', 'false ?'], ['if (sc.dir == -1)', 'if (false)'],
  // Ticks and borders of axes, texts that are turned, and an axis at the top.
  ['if (ticks.show) {', 'if (false) {'], ['ticks.show ? ticks.size : 0', '0'], ['if (border.show) {', 'if (false) {'],
  [/^\t+axis\.(ticks\.stroke|border\.stroke|rotate) += fnOrSelf\(axis\..*\);$/gm, ''], ['axis.alignTo == 2', 'false'],
  ['axis._rotate = side == 2 ? axis.rotate(self, values, i, _space) : 0;', ''], ['axis._rotate =\n', ''],
  ['side == 0 || side == 3', 'side == 3'], ['side === 3 || side === 0', 'side === 3'],
  ['(opts.padding || [autoPadSide,autoPadSide,autoPadSide,autoPadSide]).map(p => fnOrSelf(ifNull(p, autoPadSide)))', 'opts.padding.map(fnOrSelf)'],
  ['+ifNull(opts.pxAlign, 1)', '1'],
  ['(opts.drawOrder || ["axes", "series"]).map(key => drawOrderMap[key])', '[drawAxesGrid, drawSeries]'],
  // Crosshairs with one point, and points that it chooses; drags that zoom at once or select values.
  ['const cursorOnePt = cursorFocus && points.one;', 'const cursorOnePt = false;'],
  ['if (cursor.dataIdx == null) {', 'if (false) {'],
  ['let bias = focus.bias;', 'const bias = 0;'], ['getBBox = points.bbox;', 'getBBox;'],
  ['if (getBBox != null) {', 'if (false) {'],
  ['if (drag.setScale && hasSelect && chgSelect) {', 'if (false) {'],
  ['else if (cursor.lock) {', 'else if (false) {'],
  ['dragY = drag.y && rawDY >= drag.dist;', ''],
  ['else if (drag.x && drag.y && (dragX || dragY))', 'else if (false)'], ['if (dragY) {', 'if (false) {'],
  ['if (!dragY)', 'if (true)'], ['if (!dragX && !dragY)', 'if (!dragX)'], ['if (dragV && snapV)', 'if (false)'],
  ['if (dragH && dragV) {', 'if (false) {'], ['select.show', 'true'], ['select.over ? over : under', 'over'],
  // Bars and lines of other looks.
  ['[valRadius, baseRadius] = radiusFn(u, seriesIdx);', 'valRadius = baseRadius = 0;'],
  ['if (endRad == 0 && baseRad == 0)', 'if (true)'],
  ['let { y0, y1 } = disp;', ''], ['y0 != null && y1 != null', 'false'], ['ifNull(opts?.alignGaps, 0)', '0'],
  ['const rectV = rect(1);', ''],
  ['sx.ori == 0', 'true'], ['strokePath instanceof Map', 'false'], ['fillPath instanceof Map', 'false'],
  ['const dir = scaleX.dir * (true ? 1 : -1);', 'const dir = 1;'],
  ['const _dirX = scaleX.dir * (true ? 1 : -1);', 'const _dirX = 1;'],
  // Changes of a chart's series, and functions for plugins.
  ['if (opts.show != null) {', 'if (false) {'], ['(opts.plugins || []).forEach(', 'if (false) [].forEach('],
  ['if (opts.title) {', 'if (false) {'], ['if (opts.id != null)', 'if (false)'], ['addClass(root, opts.class);', ''],
  [/if \(opts != null\) {\n\t+if \(opts\.idxs\) {/, 'if (false) { if (true) {'], ['if (then) {', 'if (true) {'],
  ['if (then instanceof HTMLElement) {', 'if (true) {'],
  [/fire\("(addSeries|setData|setScale|drawSeries|drawAxes|syncRect|destroy|init)".*?\);/g, ''],
  ['_fire !== false && fire("setLegend");', ''],
  ['self.setData = setData;', ''], [/Object\.defineProperty\(self, 'rect', \{[^]*?\n\t\}\);/, ''],
  ...['self.addSeries = addSeries;', 'self.delSeries = delSeries;', 'self.addBand = addBand;', 'self.setBand = setBand;',
    'self.delBand = delBand;', 'self.batch = batch;', 'self.setSelect = setSelect;', 'self.setLegend = setLegend;',
    'self.posToIdx = closestIdxFromXpos;', 'self.valToIdx = val => closestIdx(val, data[0]);', 'self.pub = pub;',
    'self.setScale = setScale;', 'self.setSeries = setSeries;', 'uPlot.assign = assign;',
    'uPlot.fmtNum = fmtNum;', 'uPlot.rangeAsinh = rangeAsinh;', 'uPlot.orient   = orient;', 'uPlot.fmtDate = fmtDate;',
    'uPlot.clipGaps = clipGaps;'].map((line): [string, string] => [line, '']),
];
// The rules of its legend, which the page never shows.
const LEGEND = /\.u-(legend|inline|series|title)[^{}]*\{[^}]*\}/g;
export const slimPlot: Plugin = {
  name: 'slim-uplot',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('uPlot.min.css')) {
      if (!LEGEND.test(code)) throw new Error('uPlot has no rules of a legend');
      return code.replace(LEGEND, '');
    }
    if (!id.endsWith('uPlot.esm.js')) return null;
    return UNUSED.reduce((text, [line, instead]) => {
      const slim = typeof line === 'string' ? text.replaceAll(line, instead) : text.replace(line, instead);
      if (slim === text) throw new Error(`uPlot has no text ${line}`);
      return slim;
    }, code);
  },
};
