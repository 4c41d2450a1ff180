// Runs a query: draws as it arrives, and ends on the server, too, when nobody wants it any more.

import { ApiError, getJson, isAborted, send } from './client';
import { can } from './roles';
import { ArrayReader, type Answer, type Plan } from './stream';

export interface QueryAsk {
  start: number;
  end: number;
  ms: string[];
  tz: string;
  notes: boolean;
  background?: boolean;
  onPlans?: (plans: Plan[]) => void; // told how each query was read
}

// Pauses between two drawings grow: the more there is, the longer one takes.
const TICK_MS = 150;
const TICK_GROWS = 1.7;
const DRAWN_SHARE = 4;

export function paramsOf(ask: QueryAsk): [string, string][] {
  const params: [string, string][] = [['start', String(ask.start)], ['end', String(ask.end)]];
  for (const m of ask.ms) params.push(['m', m]);
  for (const flag of ['ms', 'arrays', 'show_tsuids', 'show_query']) params.push([flag, 'true']);
  params.push(ask.notes ? ['global_annotations', 'true'] : ['no_annotations', 'true']);
  if (ask.tz) params.push(['tz', ask.tz]);
  if (ask.onPlans) params.push(['explain', 'true']);
  return params;
}

// Calls `progress` now and then with all series so far.
export async function runQuery(ask: QueryAsk, signal: AbortSignal,
                               progress: (answers: Answer[]) => void): Promise<Answer[]> {
  const sent = Date.now();
  try {
    const response = await send('api/query', { params: paramsOf(ask), signal, background: ask.background ?? false });
    return await readAnswers(response, progress, ask.onPlans);
  } catch (error) {
    if (isAborted(error)) void cancelOnServer(ask, Date.now() - sent);
    throw error;
  }
}

const CUT = 'The answer ended too early: the query was cancelled, or the connection was lost.';

async function readAnswers(response: Response,
                           progress: (answers: Answer[]) => void,
                           onPlans: QueryAsk['onPlans']): Promise<Answer[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const array = new ArrayReader();
  let shown = performance.now();
  let tick = TICK_MS;
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw isAborted(error) ? error : new ApiError(0, CUT);
    });
    if (done) break;
    array.push(value);
    if (performance.now() - shown < tick) continue;
    tick *= TICK_GROWS;
    const partial = array.partial();
    progress(partial ? [...array.items, partial] : array.items.slice());
    shown = performance.now();
    // Drawing goes on after this: the next time is when most of the time is left for the answer.
    const begun = shown;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      tick = Math.max(tick, DRAWN_SHARE * (performance.now() - begun));
    }));
  }
  if (!array.isComplete) throw new ApiError(0, CUT);
  onPlans?.(array.plans);
  return array.items;
}

interface Running {
  queryId: number;
  elapsed: number;
  query: { start?: number; end?: number; queries?: { metric: string }[] };
}

// The query of this page among those that run: the same times, and as old as ours at most. If two
// look alike, none is ended: the other may be somebody else's.
export function ownQuery(running: Running[], ask: QueryAsk, ageMs: number): Running | null {
  const found = running.filter(({ query, elapsed }) =>
    query.start === ask.start && query.end === ask.end &&
    query.queries?.length === ask.ms.length && elapsed <= ageMs + 1000);
  return found.length === 1 ? found[0]! : null;
}

async function cancelOnServer(ask: QueryAsk, ageMs: number): Promise<void> {
  // A short one has ended by itself before it could be found.
  if (!can.get().admin || ageMs < 100) return;
  try {
    const { running } = await getJson<{ running: Running[] }>('api/stats/query');
    const own = ownQuery(running, ask, ageMs);
    if (own) await endQuery(own.queryId);
  } catch {
    // It ends by itself; there is nothing that a person could do.
  }
}

export function endQuery(id: number): Promise<Response> {
  return send('api/stats/query', { method: 'DELETE', params: [['id', String(id)]] });
}
