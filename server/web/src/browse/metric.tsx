// One metric: its tags, their values, and how many series have each; broken down by one of them.

import { useState } from 'preact/hooks';
import { ChangeMenu } from '../admin/change';
import { Churn } from '../admin/churn';
import { tagsOf } from '../api/names';
import { limitsOf, Sparkline } from '../plot/sparkline';
import { go, graphOf, linkTo, page } from '../state/page';
import { showSpan, showTime } from '../time/time';
import { guessUnit, plural, showCount, showNumber } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Bar, Check, Problem } from '../ui/parts';
import { byDistance } from './outliers';
import { breakDown, isStale, rangeFor, recentOf, type Recent } from './recent';

const VALUES_MAX = 50;

export function MetricPage({ metric, tag }: { metric: string; tag: string }) {
  const [changes, setChanges] = useState(0);
  const tags = useAnswer(() => tagsOf(metric), [metric, changes]);
  const recent = useAnswer((signal) => recentOf(metric, signal), [metric]);
  const range = rangeFor(recent.value);
  return (
    <main class="metric">
      <p><a href={linkTo({ view: 'browse' })}>← All metrics</a></p>
      <div class="toolbar">
        <h1><bdi>{metric}</bdi></h1>
        <a class="button primary" href={graphOf(metric, [], range)}>Graph</a>
        <ChangeMenu metric={metric} onDone={(name) => {
          setChanges(changes + 1);
          if (name !== metric) go({ metric: name });
        }} />
        <p class="status" role="status">
          {tags.value && `${showCount(tags.value.total)} series`}
          {recent.value && recent.value.last > 0 && isStale(recent.value) &&
            `, last point ${showSpan(Date.now() - recent.value.last)} ago`}
        </p>
      </div>
      <Problem error={tags.error ?? recent.error} />
      {recent.value && <div class="wide-spark"><Sparkline points={recent.value.points}
        from={recent.value.from} to={recent.value.to} label={`${metric}, recent values`} /></div>}
      {tags.value && tags.value.listed < tags.value.total && <p class="soft">Counted from the
        first {showCount(tags.value.listed)} series.</p>}
      <div class="tagkeys">
        {tags.value && [...tags.value.keys].sort().map(([tagk, values]) => (
          <TagKey key={tagk} metric={metric} tagk={tagk} values={values} range={range}
            isOpen={tag === tagk} />
        ))}
      </div>
      {tag && recent.value && <BreakDown metric={metric} tagk={tag} recent={recent.value} />}
      <Churn metric={metric} changes={changes} />
    </main>
  );
}

function TagKey({ metric, tagk, values, range, isOpen }: {
  metric: string; tagk: string; values: Map<string, number>; isOpen: boolean;
  range: { start: string; end: string };
}) {
  const rows = [...values].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const most = rows[0]?.[1] ?? 1;
  return (
    <section class="panel" aria-label={`Tag ${tagk}`}>
      <header>
        <h2><bdi>{tagk}</bdi></h2>
        <span class="soft">{plural(values.size, 'value')}</span>
        <a href={graphOf(metric, [[tagk, '*']], range)}>group</a>
        {!isOpen && <a href={linkTo({ view: 'browse', metric, tag: tagk })}>break down</a>}
      </header>
      <ul class="values-list">
        {rows.slice(0, VALUES_MAX).map(([tagv, count]) => (
          <li key={tagv}>
            <a href={graphOf(metric, [[tagk, tagv]], range)}><bdi>{tagv}</bdi></a>
            <Bar part={count / most} /><span class="number">{showCount(count)}</span>
          </li>
        ))}
      </ul>
      {rows.length > VALUES_MAX && <p class="soft">and {showCount(rows.length - VALUES_MAX)} more</p>}
    </section>
  );
}

const SLICES_MAX = 100;

function BreakDown({ metric, tagk, recent }: { metric: string; tagk: string; recent: Recent }) {
  const { value, error } = useAnswer(
    (signal) => breakDown(metric, tagk, Math.floor(recent.from), Math.ceil(recent.to), signal),
    [metric, tagk, recent]);
  const [common, setCommon] = useState(true);
  const [outliers, setOutliers] = useState(false);
  const range = rangeFor(recent);
  const slices = outliers ? byDistance(value ?? []) : value ?? [];
  const limits = common && slices.length ? limitsOf(slices.flatMap(({ points }) => points)) : undefined;
  return (
    <section class="stack" aria-label={`By ${tagk}`}>
      <h2>By <bdi>{tagk}</bdi> <span class="soft">values that have points from {showTime(recent.from, page.get().tz)} to {showTime(recent.to, page.get().tz)}</span></h2>
      <div class="toolbar">
        <Check label="common scale" checked={common} onChange={setCommon} />
        <Check label="by distance from the others" checked={outliers} onChange={setOutliers} />
        {slices.length > SLICES_MAX && <p class="soft">{SLICES_MAX} of {showCount(slices.length)} values</p>}
      </div>
      <Problem error={error} />
      <ul class="cards">
        {slices.slice(0, SLICES_MAX).map(({ tagv, points }) => (
          <li key={tagv} class="card">
            <a class="main" href={graphOf(metric, [[tagk, tagv]], range)}><bdi>{tagv}</bdi></a>
            <Sparkline points={points} from={recent.from} to={recent.to} label={`${tagk}=${tagv}`}
              limits={limits} />
            <p class="facts"><span>{plural(points.length, 'point')}</span>
              <em>{showNumber(points[points.length - 1]?.[1], guessUnit(metric))}</em></p>
          </li>
        ))}
      </ul>
    </section>
  );
}
