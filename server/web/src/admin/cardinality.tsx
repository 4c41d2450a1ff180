// Where the series come from: which metrics and which tags have the most, and how fast new ones
// come.

import { useState } from 'preact/hooks';
import { rankMetrics, tagsOf } from '../api/names';
import { Sparkline } from '../plot/sparkline';
import { graphOf, go, linkTo, page } from '../state/page';
import { useStore } from '../state/store';
import { plural, showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Bar, Problem } from '../ui/parts';
import { ChangeMenu } from './change';
import { Churn } from './churn';
import { createdPerMinute } from './own';

const LARGEST = 40;

export function CardinalityView() {
  const { metric } = useStore(page);
  const [changes, setChanges] = useState(0);
  const largest = useAnswer((signal) => rankMetrics('', 'series', LARGEST, signal), [changes]);
  const rows = largest.value?.metrics ?? [];
  const shown = metric || rows[0]?.metric;
  return (
    <main class="cardinality">
      <h1>Cardinality</h1>
      <p class="soft" role="status">
        {largest.value && `${showCount(largest.value.series!)} series of ${showCount(largest.value.total)} metrics${
          rows.length < largest.value.total ? `; the ${rows.length} largest are listed` : ''}`}
      </p>
      <Problem error={largest.error} />
      <div class="columns">
        <section class="panel" aria-label="Series by metric">
          <h2>Series by metric</h2>
          <ul class="values-list">
            {rows.map((row) => (
              <li key={row.metric} class={row.metric === metric ? 'on' : ''}>
                <button class="link" onClick={() => go({ metric: row.metric })}><bdi>{row.metric}</bdi></button>
                <Bar part={row.series / (rows[0]?.series || 1)} />
                <span class="number">{showCount(row.series)}</span>
              </li>
            ))}
          </ul>
        </section>
        <div>
          <NewSeries />
          {shown && <>
            <TagSizes metric={shown} changes={changes} onChange={(name) => {
              setChanges(changes + 1);
              if (name !== metric) go({ metric: name });
            }} />
            <Churn metric={shown} changes={changes} />
          </>}
        </div>
      </div>
    </main>
  );
}

function TagSizes({ metric, changes, onChange }: {
  metric: string; changes: number; onChange: (metric: string) => void;
}) {
  const { value, error } = useAnswer(() => tagsOf(metric), [metric, changes]);
  const keys = [...(value?.keys ?? [])].sort((a, b) => b[1].size - a[1].size);
  return (
    <section class="panel" aria-label="Values by tag">
      <header>
        <h2><bdi>{metric}</bdi></h2>
        <a href={graphOf(metric)}>graph</a>
        <a href={linkTo({ view: 'browse', metric })}>values</a>
        <ChangeMenu metric={metric} onDone={onChange} />
      </header>
      <Problem error={error} />
      {keys.map(([tagk, values]) => (
        <div key={tagk}>
          <h3><bdi>{tagk}</bdi> <span class="soft">{plural(values.size, 'value')}</span></h3>
          <ul class="values-list">
            {[...values].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([tagv, count]) => (
              <li key={tagv}>
                <a href={graphOf(metric, [[tagk, tagv]])}><bdi>{tagv}</bdi></a>
                <Bar part={count / (value?.listed || 1)} />
                <span class="number">{showCount(count)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function NewSeries() {
  const { value } = useAnswer(createdPerMinute, []);
  if (!value) return null;
  return (
    <section class="panel" aria-label="New series per minute">
      <header><h2>New series per minute</h2>
        <a href={linkTo({ view: 'graph', lines: [{ m: 'sum:rate:tsd.series.created', right: false,
          hidden: false }] })}>graph</a></header>
      <Sparkline points={value.points} from={value.from} to={value.to} label="New series per minute" />
    </section>
  );
}
