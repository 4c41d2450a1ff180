// The form of one query, and its text beside it: a change of either changes the other.

import { useState } from 'preact/hooks';
import { DeleteDialog } from '../admin/change';
import { can } from '../api/roles';
import { aggregators, choices } from '../query/aggregators';
import { emptyQuery, type Rate, type SubQuery } from '../query/model';
import type { TextError } from '../query/error';
import { parseQuery } from '../query/parse';
import { printQuery } from '../query/print';
import { go, page, tweak } from '../state/page';
import type { Line } from '../state/state';
import { useStore } from '../state/store';
import { Combobox } from '../ui/combobox';
import { Choice, Menu } from '../ui/parts';
import { findMetrics, metricHint } from './completions';
import { Filters } from './filters';
import { dropAt, newLine, newPromql, readLine, replaceAt } from './lines';
import { PromqlField } from './promql';

const FILLS = ['', 'none', 'nan', 'null', 'zero'].map((f) => [f, f || 'no fill'] as [string, string]);

export function Editor({ lines }: { lines: Line[] }) {
  return (
    <section class="editor" aria-label="Queries">
      {lines.map((line, at) => <LineForm key={`${at}${line.promql}`} line={line} at={at} count={lines.length} />)}
      <div class="row">
        <button class="quiet" onClick={() => go({ lines: [...lines, newLine()] })}>+ Add a query</button>
        <button class="quiet" onClick={() => go({ lines: [...lines.filter((line) => line.m), newPromql()] })}>
          + Add PromQL</button>
      </div>
    </section>
  );
}

// Of more queries than these, each is one line until it is clicked.
const OPEN_MAX = 3;

function LineForm({ line, at, count }: { line: Line; at: number; count: number }) {
  // While its text is wrong, the form shows what it was before.
  const [before, setBefore] = useState<SubQuery>(emptyQuery());
  const [asText, setAsText] = useState(false);
  const [deletes, setDeletes] = useState(false);
  const [isOpen, setOpen] = useState(line.m === '');
  const rights = useStore(can);
  const { query, error } = readLine(line);
  useStore(aggregators); // a name that was taken on trust may be wrong
  if (query && printQuery(query) !== printQuery(before)) setBefore(query);
  const shown = query ?? before;
  // A page without queries shows the form of one.
  const all = page.get().lines.length ? page.get().lines : [line];
  const setLine = (change: Partial<Line>) => replaceAt(all, at, { ...line, ...change });
  const setQuery = (next: SubQuery) => go({ lines: setLine({ m: printQuery(next) }) });
  const name = String.fromCharCode(65 + (at % 26));
  return (
    <div class={`line${line.hidden ? ' hidden' : ''}`} role="group" aria-label={`Query ${name}`}>
      <button class="letter" aria-pressed={!line.hidden} title={line.hidden ? 'Show' : 'Hide'}
        aria-label={`${line.hidden ? 'Show' : 'Hide'} query ${name}`}
        onClick={() => go({ lines: setLine({ hidden: !line.hidden }) })}>{name}</button>
      {count > OPEN_MAX && !isOpen && (query || line.promql) ? (
        <button class="link mono" title="Edit" onClick={() => setOpen(true)}><bdi>{line.m}</bdi></button>
      ) : line.promql ? (
        <PromqlField text={line.m} name={name} onChange={(m) => tweak({ lines: setLine({ m }) })} />
      ) : <div class="fields">
        <Combobox wide value={shown.metric} label="Metric" placeholder="Type a metric…"
          load={findMetrics} hint={metricHint}
          onPick={(metric) => setQuery(changeMetric(shown, metric))} />
        <Calculation query={shown} onChange={setQuery} />
        {shown.metric && <Filters query={shown} onChange={setQuery} />}
        {(asText || (error && line.m !== '')) && <QueryText line={line} error={error}
          onChange={(m) => tweak({ lines: setLine({ m }) })} />}
      </div>}
      <div class="tools">
        {line.promql ? <span class="soft">PromQL</span>
          : <button class={`toggle${asText ? ' on' : ''}`} aria-pressed={asText} title="Edit as text"
            onClick={() => setAsText(!asText)}>m=</button>}
        <Menu label="⋯">
          <button onClick={() => go({ lines: setLine({ right: !line.right }) })}>
            {line.right ? 'Draw on the left axis' : 'Draw on the right axis'}</button>
          {!line.promql && <button onClick={() => setQuery({ ...shown, explicitTags: !shown.explicitTags })}>
            {shown.explicitTags ? 'Allow other tags' : 'Only series with exactly these tags'}</button>}
          <button onClick={() => go({ lines: [...all, { ...line }] })}>Copy this query</button>
          {count > 1 && <button onClick={() => go({ lines: dropAt(all, at) })}>Remove</button>}
          {rights.admin && query && <button onClick={() => setDeletes(true)}>Delete these points…</button>}
        </Menu>
        {deletes && <DeleteDialog text={selectionOf(shown)} onClose={() => setDeletes(false)} onDone={() => {}} />}
      </div>
    </div>
  );
}

// The series of a query, as the text of a deletion.
function selectionOf({ metric, groups, only, explicitTags }: SubQuery): string {
  const text = printQuery({ ...emptyQuery(metric), only: [...groups, ...only], explicitTags });
  return text.slice(text.indexOf(':') + 1);
}

// Filters of another metric's tags would find nothing.
function changeMetric(query: SubQuery, metric: string): SubQuery {
  return query.metric === '' ? { ...query, metric } : { ...query, metric, groups: [], only: [] };
}

function QueryText({ line, error, onChange }: {
  line: Line; error: TextError | null; onChange: (m: string) => void;
}) {
  return (
    <div class="text">
      <input class="mono" aria-label="Query as text, m=" spellcheck={false} value={line.m}
        aria-invalid={error !== null} onInput={(event) => onChange(event.currentTarget.value)}
        onBlur={(event) => {
          try {
            onChange(printQuery(parseQuery(event.currentTarget.value)));
          } catch {
            // Stays as it was typed, with its error.
          }
        }} />
      {error && <pre class="caret" role="alert">{' '.repeat(error.at)}{'^'.repeat(
        Math.max(1, error.length))} {error.message}</pre>}
    </div>
  );
}

function Calculation({ query, onChange }: {
  query: SubQuery; onChange: (query: SubQuery) => void;
}) {
  const { downsample, rate } = query;
  const known = useStore(aggregators);
  return (
    <div class="calculation">
      <Choice label="Aggregator" value={query.aggregator} options={choices(known, query.aggregator)}
        onChange={(aggregator) => onChange({ ...query, aggregator })} />
      <span class="soft">every</span>
      <input class="short" aria-label="Downsample interval" placeholder="auto" spellcheck={false}
        value={downsample?.interval ?? ''} onChange={(event) => {
          const interval = event.currentTarget.value.trim();
          onChange({ ...query, downsample: interval === '' ? null : {
            interval, fn: downsample?.fn ?? 'avg', fill: downsample?.fill ?? '' } });
        }} />
      {downsample && <Choice label="Downsampling function" value={downsample.fn}
        options={choices(known, downsample.fn, 'none')}
        onChange={(fn) => onChange({ ...query, downsample: { ...downsample, fn } })} />}
      {downsample && <Choice label="Fill" value={downsample.fill}
        options={FILLS.some(([fill]) => fill === downsample.fill) ? FILLS
          : [...FILLS, [downsample.fill, downsample.fill]]}
        onChange={(fill) => onChange({ ...query, downsample: { ...downsample, fill } })} />}
      <RateForm rate={rate} onChange={(next) => onChange({ ...query, rate: next })} />
      {query.explicitTags && <span class="chip">exactly these tags</span>}
    </div>
  );
}

type RateKind = '' | 'rate' | 'counter' | 'drop';
const RATES: [RateKind, string][] = [['', 'value'], ['rate', 'rate per second'],
  ['drop', 'rate of a counter'], ['counter', 'rate of a counter that wraps at a limit']];

function RateForm({ rate, onChange }: { rate: Rate | null; onChange: (rate: Rate | null) => void }) {
  const kind: RateKind = !rate ? '' : rate.drop ? 'drop' : rate.counter ? 'counter' : 'rate';
  const number = (key: 'max' | 'reset', label: string) => rate && (
    <input class="short" aria-label={label} placeholder={label} inputMode="numeric"
      value={rate[key]} onChange={(event) => onChange({ ...rate, [key]: event.currentTarget.value })} />
  );
  return (
    <>
      <Choice label="Value or rate" value={kind} options={RATES} onChange={(next) => onChange(
        next === '' ? null : { max: '', reset: '', ...rate, counter: next === 'counter' ||
          next === 'drop', drop: next === 'drop' })} />
      {rate?.counter && number('max', 'counter max')}
      {rate?.counter && number('reset', 'reset value')}
    </>
  );
}
