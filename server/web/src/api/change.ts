// Changes of stored points and names, for admins.

import { Store } from '../state/store';
import { getJson, send } from './client';
import { forgetNames } from './names';

export interface Counts { metrics: number; series: number; points: number; histograms?: number; undoId?: number }

// What a deletion selects: the text of m= without its aggregator, and moments.
export interface Selection { text: string; start: string; end: string }

// All times that a store can have.
export const ALWAYS = { start: '1', end: '9999999999' };

const ask = ({ text, start, end }: Selection, how: string) => getJson<Counts>('api/query', {
  method: 'DELETE', params: [['start', start], ['end', end], ['m', `none:${text}`], [how, 'true']],
});

export const countPoints = (selection: Selection) => ask(selection, 'dry_run');

// How many deletions and undos ended: graphs request their points again.
export const deletions = new Store(0);

const noteChange = () => {
  forgetNames();
  deletions.set(deletions.get() + 1);
};

export const deletePoints = (selection: Selection) => ask(selection, 'counts').finally(noteChange);

// A delete whose points are still stored. Times are Unix milliseconds.
export interface Deletion {
  id: number; deleted: number; undoUntil: number; start: number; end: number; metrics: string[]; series: number;
  canBeUndone: boolean;
}

// A rename, or a TTL that became shorter: in seconds, 0 = no limit. Without a metric: of the store;
// without `before` or `since`: the metric had, or has, that of the store.
export interface Change {
  id: number; kind: 'rename' | 'ttl'; changed: number; undoUntil: number;
  type?: string; name?: string; oldName?: string; metric?: string; before?: number; since?: number;
}

export const listUndo = (signal: AbortSignal) =>
  getJson<{ deletions: Deletion[]; changes: Change[] }>('api/admin/undo', { signal });

export const undo = (id: number) =>
  send('api/admin/undo', { method: 'POST', params: [['id', String(id)], ['wait', 'true']] }).finally(noteChange);

// For how long a new delete can be undone, in ms. Bigtable removes points at once.
export async function undoMs(signal: AbortSignal): Promise<number> {
  const settings = await getJson<Record<string, string>>('api/config', { signal });
  return settings['tsd.storage.engine'] === 'bigtable' ? 0 : Number(settings['tsd.storage.undo']) * 1e3;
}

export const KINDS = [['metric', 'metric'], ['tagk', 'tag key'], ['tagv', 'tag value']] as const;
export type Kind = (typeof KINDS)[number][0];

export const rename = (kind: Kind, name: string, next: string) =>
  send('api/uid/rename', { method: 'POST', json: { [kind]: name, name: next } }).finally(forgetNames);

export const removeName = (metric: string) =>
  send('api/admin/uid', { method: 'DELETE', params: [['kind', 'metrics'], ['name', metric]] }).finally(forgetNames);
