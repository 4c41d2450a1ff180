// A saved view as the server stores it (docs/views.md), and its graphs as states of the page.

import { PARTS, START, type Line, type State } from '../state/state';
import { parseState, printState } from '../state/url';

export interface SavedGraph {
  title?: string;
  queries?: (string | { promql: string })[];
  look?: Record<string, string>; // words of the address
  view?: string; // the graphs of that view, in place of queries
}

export interface SavedView {
  version: number;
  title?: string;
  start?: string;
  end?: string;
  tz?: string;
  refresh?: number;
  graphs: SavedGraph[];
}

type RangeKey = 'start' | 'end' | 'tz' | 'refresh';
export type ViewRange = Pick<State, RangeKey>;

// The graph of a state, without its range.
export function graphIn(state: State): SavedGraph {
  const lines = state.lines.filter((line) => line.m !== '');
  const numbers = (has: (line: Line) => boolean) =>
    lines.flatMap((line, i) => (has(line) ? [i] : [])).join(',');
  const look = Object.fromEntries(new URLSearchParams(printState({
    ...state, view: 'browse', shown: 'graph', lines: [], start: START, end: '', tz: '', refresh: 0, title: '',
    ...PARTS, solo: [], moved: [], sort: '', metric: '', tag: '', search: '', saved: '', fleet: '', designs: [],
  })));
  const right = numbers((line) => line.right);
  const hide = numbers((line) => line.hidden);
  if (right) look.right = right;
  if (hide) look.hide = hide;
  return {
    ...(state.title && { title: state.title }), queries: lines.map(({ m, promql }) => (promql ? { promql: m } : m)),
    ...(Object.keys(look).length > 0 && { look }),
  };
}

// The state in which the page draws a graph of the view `saved`.
export function stateOf(graph: SavedGraph, range: ViewRange, saved: string): State {
  const { right = '', hide = '', ...look } = graph.look ?? {};
  const has = (numbers: string, i: number) => numbers.split(',').includes(String(i));
  return {
    ...parseState(String(new URLSearchParams(look))), ...range, view: 'graph', title: graph.title ?? '', saved,
    lines: (graph.queries ?? []).map((query, i) => ({
      ...(typeof query === 'string' ? { m: query } : { m: query.promql, promql: true }),
      right: has(right, i), hidden: has(hide, i),
    })),
  };
}

export function rangeIn({ start, end, tz, refresh }: Pick<SavedView, RangeKey>): ViewRange {
  return { start: start || START, end: end === 'now' ? '' : end ?? '', tz: tz ?? '', refresh: refresh ?? 0 };
}

// A view of the graph that is drawn.
export function viewIn(state: State): SavedView {
  const { start, end, tz, refresh } = state;
  return { version: 1, start, ...(end && { end }), ...(tz && { tz }), ...(refresh > 0 && { refresh }),
    graphs: [graphIn(state)] };
}

export function printView(view: SavedView): string {
  return `${JSON.stringify(view, null, 2)}\n`;
}

export function readDocument(text: string): SavedView {
  const view = JSON.parse(text) as SavedView;
  if (view.version !== 1) throw new Error(`This page reads views of version 1; this one has version ${view.version}.`);
  return view;
}

// The place in a text that an error names, "line 3, character 12"; -1: none.
export function placeIn(text: string, error: string): number {
  const [, line, at] = /\bline (\d+), character (\d+)/.exec(error) ?? [];
  if (!line || !at) return -1;
  const lines = text.split('\n');
  const before = lines.slice(0, Number(line) - 1).reduce((sum, one) => sum + one.length + 1, 0);
  // The server counts characters.
  return before + [...(lines[Number(line) - 1] ?? '')].slice(0, Number(at) - 1).join('').length;
}
