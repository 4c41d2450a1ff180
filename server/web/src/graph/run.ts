// Runs the queries of the page whenever they, or the range, change.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { deletions } from '../api/change';
import { isAborted, returns } from '../api/client';
import { runPromql } from '../api/promql';
import { runQuery, type QueryAsk } from '../api/query';
import type { Answer, Plan } from '../api/stream';
import { sentPromql, sentQueries, textsOf, type Sent } from '../query/auto';
import type { SubQuery } from '../query/model';
import { isComplete } from '../query/promql';
import { page } from '../state/page';
import { rememberQuery } from '../state/saved';
import type { State } from '../state/state';
import { useStore } from '../state/store';
import { printState } from '../state/url';
import { parseDuration, parseTime } from '../time/time';
import { readLine } from './lines';

export interface Result {
  answers: Answer[];
  before: Answer[]; // of the earlier range
  sent: Sent[];
  plans: Plan[]; // how the server read each of `sent`
  from: number;
  to: number;
  step: string; // of the automatic downsampling; '' = none
  tookMs: number;
  running: boolean;
  error: unknown; // if there are answers nevertheless, they are older
  asked: string; // what the answers are of
  at: number; // when they arrived
}

const NOTHING: Result = {
  answers: [], before: [], sent: [], plans: [], from: 0, to: 0, step: '', tookMs: 0, running: false, error: null,
  asked: '', at: 0,
};
// A pause in typing. A view that was just opened, and what was chosen, is asked for at once: only a
// text that still changes waits.
const TYPED_MS = 250;
let lastRun = -Infinity;

export function rangeOf(state: State, now = Date.now()): [number, number] {
  return [parseTime(state.start, now, state.tz), parseTime(state.end, now, state.tz)];
}

function rawQuery(query: SubQuery): SubQuery {
  return { ...query, aggregator: 'none', downsample: null, rate: null, groups: [],
    only: [...query.groups, ...query.only] };
}

function planOf(state: State, pixels: number) {
  const lines = state.lines.flatMap((line, at) => {
    const { query } = readLine(line);
    return query ? [{ query: state.shown === 'raw' ? rawQuery(query) : query, line: at }] : [];
  });
  const [from, to] = rangeOf(state);
  const auto = state.auto && state.shown !== 'raw';
  const { sent, step } = sentQueries(lines, to - from, pixels, auto);
  // PromQL calculates points; none is as it is stored.
  const promql = state.lines.flatMap(({ promql, m }, at) => (promql && m.trim() && isComplete(m) && state.shown !== 'raw'
    ? [sentPromql(m, at, to - from, pixels)] : []));
  return { sent: [...sent, ...promql], promql, step, from, to };
}

// All queries over one range. Calls `progress` now and then with the series so far.
async function runAll(ask: QueryAsk, promql: Sent[], signal: AbortSignal,
                      progress: (answers: Answer[]) => void): Promise<Answer[]> {
  let first: Answer[] = [];
  const rest: Answer[][] = promql.map(() => []);
  const tell = () => progress([first, ...rest].flat());
  const set = (answers: Answer[]) => {
    first = answers;
    tell();
  };
  await Promise.all([ask.ms.length && runQuery(ask, signal, set).then(set), ...promql.map(async (one, i) => {
    rest[i] = await runPromql(one, ask.start, ask.end, signal);
    tell();
  })]);
  return [first, ...rest].flat();
}

// The same queries over the range that the graph is compared with.
export const pastMs = (state: State) => (state.shown === 'raw' ? NaN : parseDuration(state.compare));

async function runEarlier(state: State, { onPlans: _, ...ask }: QueryAsk, promql: Sent[],
                          signal: AbortSignal): Promise<Answer[]> {
  const ms = pastMs(state);
  if (!(ms > 0)) return [];
  return runAll({ ...ask, start: ask.start - ms, end: ask.end - ms, notes: false }, promql, signal, () => {});
}

export function useResult(state: State, pixels: number, tick: number): Result {
  const [result, setResult] = useState<Result>(NOTHING);
  const good = useRef(NOTHING);
  const back = useStore(returns);
  const edits = useStore(deletions);
  const isTyped = state.view === 'graph'; // a saved view is not
  // Only what changes the answer.
  const asked = JSON.stringify([state.lines.map((line) => [line.m, line.promql]), state.start, state.end, state.tz,
    state.auto, state.notes, state.compare, state.shown === 'raw', Math.round(pixels / 200)]);
  // Not useEffect: that waits until the page was painted.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const run = async (signal: AbortSignal) => {
      const { sent, promql, step, from, to } = planOf(state, pixels);
      const ms = textsOf(sent);
      if (sent.length === 0) return setResult(NOTHING);
      if (!(from < to)) {
        const error = new Error(Number.isNaN(from + to)
          ? 'The range is not understood. Examples: 1h-ago, 2014/02/15-12:00, now.'
          : 'The range ends before it begins.');
        return setResult({ ...NOTHING, error });
      }
      const begun = performance.now();
      let plans: Plan[] = [];
      let before: Answer[] = [];
      const resultOf = (answers: Answer[], running: boolean): Result => ({
        answers, before, sent, plans, step, from, to, running, error: null, tookMs: performance.now() - begun, asked, at: Date.now(),
      });
      // An error stays until there is an answer: what is shown is old until then.
      setResult((old) => ({ ...old, running: true, error: old.asked === asked ? old.error : null }));
      try {
        const ask = { start: Math.floor(from), end: Math.ceil(to), ms, tz: state.tz,
          notes: state.notes, onPlans: (found: Plan[]) => void (plans = found) };
        const tell = (answers: Answer[]) => signal.aborted || setResult(resultOf(answers, true));
        const earlier = runEarlier(state, ask, promql, signal).then((found) => void (before = found));
        const [answers] = await Promise.all([runAll(ask, promql, signal, tell), earlier]);
        good.current = resultOf(answers, false);
        setResult(good.current);
        if (isTyped) rememberQuery(printState(page.get()), state.lines.map((line) => line.m).join('  '));
      } catch (error) {
        if (isAborted(error)) return;
        // The last picture is what one needs now. One of another question would mislead.
        setResult({ ...(good.current.asked === asked ? good.current : { ...NOTHING, sent, from, to }), error });
      }
    };
    const pause = isTyped && performance.now() - lastRun < 2 * TYPED_MS ? TYPED_MS : 0;
    if (isTyped) lastRun = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (pause) timer = setTimeout(() => void run(abort.signal), pause);
    else void run(abort.signal);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked, tick, back, edits]);
  return result;
}

