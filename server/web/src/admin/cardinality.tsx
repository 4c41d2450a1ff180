// Where the series come from: which metrics and which tags have the most, and how fast new ones
// come.

import { useState } from 'preact/hooks';
import { NAMES_MAX, fewAtATime, sizeOf, suggest, tagsOf } from '../api/names';
import { Sparkline } from '../plot/sparkline';
import { graphOf, go, linkTo, page } from '../state/page';
import { useStore } from '../state/store';
import { plural, showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Bar, Problem } from '../ui/parts';
import { createdPerMinute } from './own';

const METRICS_MAX = 1000;

interface Size { metric: string; series: number }

export function CardinalityView() {
  const { metric } = useStore(page);
  const [done, setDone] = useState(0);
  const names = useAnswer((signal) => suggest('metrics', '', NAMES_MAX, signal), []);
  const sizes = useAnswer(async (signal) => {
    const found: Size[] = [];
    await fewAtATime((names.value ?? []).slice(0, METRICS_MAX), async (name) => {
      const size = await sizeOf(name).catch(() => null);
      if (size) found.push({ metric: name, series: size.series });
      if (!signal.aborted && found.length % 20 === 0) setDone(found.length);
    }, 4, signal);
    return found.sort((a, b) => b.series - a.series);
  }, [names.value]);
  const rows = sizes.value ?? [];
  const total = rows.reduce((sum, row) => sum + row.series, 0);
  const isAll = (names.value?.length ?? 0) <= METRICS_MAX;
  return (
    <main class="cardinality">
      <h1>Cardinality</h1>
      <p class="soft" role="status">
        {rows.length === 0 ? (names.value?.length ? `Counted ${done} of ${showCount(names.value.length)} metrics…` : '')
          : `${showCount(total)} series of ${showCount(rows.length)} metrics${isAll ? '' : `, the first ${showCount(METRICS_MAX)} by name`}`}
      </p>
      <Problem error={names.error ?? sizes.error} />
      <div class="columns">
        <section class="panel" aria-label="Series by metric">
          <h2>Series by metric</h2>
          <ul class="values-list">
            {rows.slice(0, 40).map((row) => (
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
          {(metric || rows[0]) && <TagSizes metric={metric || rows[0]!.metric} />}
        </div>
      </div>
    </main>
  );
}

function TagSizes({ metric }: { metric: string }) {
  const { value, error } = useAnswer(() => tagsOf(metric), [metric]);
  const keys = [...(value?.keys ?? [])].sort((a, b) => b[1].size - a[1].size);
  return (
    <section class="panel" aria-label="Values by tag">
      <header>
        <h2><bdi>{metric}</bdi></h2>
        <a href={graphOf(metric)}>graph</a>
        <a href={linkTo({ view: 'browse', metric })}>what churns</a>
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
