// The state as the text after '#', and back.
//
//   start end m o ylog y2log yrange y2range ylabel y2label title autoreload style tz   OpenTSDB's
//   v show hide unit auto notes connect solo moved sort metric tag find fleet design compare
//   threshold every saved since tab table measure order job                                    ours
//
// Every `m` is followed by its `o`, as OpenTSDB counts them. A query in PromQL has `promql` in place of `m`.

import { SHOWN, START, STYLES, VIEWS, emptyState, type State, type Style } from './state';

// Names of one axis label, range and so on are the same here and in OpenTSDB.
const TEXTS = ['yrange', 'y2range', 'ylabel', 'y2label', 'title', 'unit', 'tz', 'sort', 'metric',
  'tag', 'saved', 'compare', 'threshold', 'since', 'tab', 'table', 'measure', 'order', 'job'] as const;

export function printState(state: State): string {
  const words: [string, string][] = [];
  const put = (key: string, value: string | boolean | number) => {
    if (value) words.push([key, value === true ? '' : String(value)]);
  };
  const usual = state.lines.length ? 'graph' : 'browse';
  if (state.view !== usual) put('v', state.view);
  if (state.shown !== 'graph') put('show', state.shown);
  if (state.start !== START || state.lines.length || state.saved) put('start', state.start);
  put('end', state.end);
  for (const line of state.lines) {
    words.push([line.promql ? 'promql' : 'm', line.m]);
    words.push(['o', line.right ? 'axis x1y2' : '']);
  }
  put('hide', state.lines.flatMap((line, i) => (line.hidden ? [i] : [])).join(','));
  if (state.style !== 'line') put('style', state.style);
  put('ylog', state.ylog);
  put('y2log', state.y2log);
  for (const key of TEXTS) put(key, state[key]);
  put('connect', state.connect);
  put('every', state.every);
  put('find', state.search);
  put('autoreload', state.refresh);
  if (!state.auto) put('auto', '0');
  if (!state.notes) put('notes', '0');
  for (const label of state.solo) put('solo', label);
  for (const tag of state.moved) put('moved', tag);
  put('fleet', state.fleet);
  for (const design of state.designs) put('design', design);
  return words.map(([key, value]) => `${key}=${encode(value)}`).join('&');
}

// Readable: what may stand after '#' stays as it is.
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|2F|2C|7B|7D|3D|2A|28|29|7C|5B|5D|40|24)/gi,
                                          (code) => decodeURIComponent(code));
}

export function parseState(hash: string): State {
  const params = new URLSearchParams(hash.replace(/^#/, '').replace(/^!/, ''));
  const text = (key: string) => params.get(key) ?? '';
  const state = emptyState();
  state.start = text('start') || START;
  state.end = text('end') === 'now' ? '' : text('end');
  const options = params.getAll('o');
  const hidden = text('hide').split(',').filter(Boolean).map(Number);
  state.lines = [...params].filter(([key]) => key === 'm' || key === 'promql').map(([key, m], i) => ({
    m, right: /axis +x1y2/.test(options[i] ?? ''), hidden: hidden.includes(i), ...(key === 'promql' && { promql: true }),
  }));
  state.view = oneOf(VIEWS, text('v'), state.lines.length ? 'graph' : 'browse');
  state.shown = oneOf(SHOWN, text('show'), 'graph');
  state.style = styleOf(text('style'));
  state.ylog = params.has('ylog');
  state.y2log = params.has('y2log');
  for (const key of TEXTS) state[key] = text(key);
  state.connect = params.has('connect');
  state.every = params.has('every');
  state.search = text('find');
  state.refresh = Math.max(0, Number.parseInt(text('autoreload'), 10) || 0);
  state.auto = text('auto') !== '0';
  state.notes = text('notes') !== '0';
  state.solo = params.getAll('solo');
  state.moved = params.getAll('moved');
  state.fleet = text('fleet');
  state.designs = params.getAll('design');
  return state;
}

// gnuplot's styles, which OpenTSDB's links have, are one of ours each.
function styleOf(text: string): Style {
  if (text === 'dots') return 'points';
  if (text === 'impulses' || text === 'boxes') return 'bars';
  if (text === 'filledcurves') return 'area';
  return oneOf(STYLES, text, 'line');
}

function oneOf<T extends string>(known: readonly T[], text: string, usual: T): T {
  return known.includes(text as T) ? (text as T) : usual;
}
