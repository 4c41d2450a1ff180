// What the page shows. All of it is in the address after '#', in OpenTSDB's own words where it has
// them: an old link of OpenTSDB's page is a link of this one.

export const VIEWS = ['graph', 'views', 'browse', 'cardinality', 'regions', 'lab', 'server'] as const;
export type View = (typeof VIEWS)[number];
export const SHOWN = ['graph', 'table', 'raw', 'json', 'explain'] as const;
export type Shown = (typeof SHOWN)[number];
export const STYLES = ['line', 'area', 'stacked', 'points', 'bars'] as const;
export type Style = (typeof STYLES)[number];

export interface Line {
  m: string; // may be wrong while it is typed
  promql?: boolean; // `m` is PromQL
  right: boolean; // drawn on the right axis
  hidden: boolean;
}

export interface State {
  view: View;
  shown: Shown;
  start: string;
  end: string; // '' = now
  lines: Line[];
  style: Style;
  ylog: boolean;
  y2log: boolean;
  compare: string; // how much earlier the dashed series are; '' = none
  threshold: string; // a number, drawn as a line
  yrange: string; // "[0:100]", either may be missing
  y2range: string;
  ylabel: string;
  y2label: string;
  title: string;
  unit: string;
  tz: string; // '' = the browser's
  refresh: number; // seconds; 0 = off
  auto: boolean; // downsample long ranges
  notes: boolean; // show annotations
  connect: boolean; // draw lines across holes
  every: boolean; // draw all series, however many
  solo: string[]; // labels of the only series that are drawn
  moved: string[]; // tags, "host=web07": shows what else changed in the range; [] = does not
  sort: string; // column of the legend, '-' before it: descending
  metric: string; // in browse
  tag: string; // in browse: broken down by it
  search: string;
  saved: string; // the view that is open, or whose graph this is
  since: string; // of the list of churn; '' = a day
  tab: string; // of the server
  table: string; // of regions; '' = data
  measure: string; // of the load of regions; '' = the first
  order: string; // of the list of metrics; '' = by name
  job: string; // id of the simulation that the design lab shows
  fleet: string; // in the design lab; '' = the first of its examples
  designs: string[]; // as texts of --design
}

// The series that are shown alone are those of the queries so far: others would not be seen.
export function changed(state: State, change: Partial<State>): State {
  const texts = ({ lines }: Pick<State, 'lines'>) => lines.map((line) => `${line.promql}${line.m}`).join('\n');
  const next = { ...state, ...change };
  return change.solo || texts(next) === texts(state) ? next : { ...next, solo: [] };
}

export const START = '1h-ago';

// The parts of views other than the graph.
export const PARTS = { since: '', tab: '', table: '', measure: '', order: '', job: '' };

export function emptyState(): State {
  return {
    view: 'browse', shown: 'graph', start: START, end: '', lines: [], style: 'line', compare: '',
    threshold: '', ylog: false,
    y2log: false, yrange: '', y2range: '', ylabel: '', y2label: '', title: '', unit: '', tz: '',
    refresh: 0, auto: true, notes: true, connect: false, every: false, solo: [], moved: [], sort: '', metric: '', tag: '', search: '', saved: '',
    ...PARTS, fleet: '', designs: [],
  };
}
