// The saved views of the server.

import { getJson, isAborted, send } from './client';
import { readDocument, type SavedGraph, type SavedView } from '../views/document';

export interface ListedView extends Partial<Omit<SavedView, 'graphs' | 'version'>> {
  name: string;
  graphs?: number;
  changed?: number;
  by?: string;
  etag?: string;
  problem?: string; // in place of the others: this server does not understand the document
}

export const listViews = (signal?: AbortSignal) =>
  getJson<{ limit: number; views: ListedView[] }>('api/views', { ...(signal && { signal }) });

const pathOf = (name: string) => `api/views/${encodeURIComponent(name)}`;

export interface StoredView { text: string; etag: string }

export async function readView(name: string, signal?: AbortSignal): Promise<StoredView> {
  const response = await send(pathOf(name), { ...(signal && { signal }) });
  return { text: await response.text(), etag: response.headers.get('ETag') ?? '' };
}

// `etag`: of the state that is replaced; '': the view is new; null: replaces any state.
export function saveView(name: string, text: string, etag: string | null): Promise<Response> {
  return send(pathOf(name), { method: etag === '' ? 'POST' : 'PUT', text, ...(etag && { etag }) });
}

export function removeView(name: string, etag: string): Promise<Response> {
  return send(pathOf(name), { method: 'DELETE', etag });
}

// A graph of a dashboard, and the view whose document has it.
export interface Panel { graph: SavedGraph; of: string; error?: unknown }

export interface LoadedView extends StoredView { view: SavedView; panels: Panel[] }

// A view with the graphs of the views that it names.
export async function loadView(name: string, signal?: AbortSignal): Promise<LoadedView> {
  const stored = await readView(name, signal);
  const view = readDocument(stored.text);
  const panelsOf = async (graph: SavedGraph): Promise<Panel[]> => {
    const of = graph.view;
    if (of === undefined) return [{ graph, of: name }];
    try {
      const { graphs, title } = readDocument((await readView(of, signal)).text);
      return graphs.filter((one) => one.view === undefined)
        .map((one) => ({ of, graph: { ...one, title: one.title || graph.title || title || '' } }));
    } catch (error) {
      if (isAborted(error)) throw error;
      return [{ graph: { title: graph.title || of }, of, error }];
    }
  };
  return { ...stored, view, panels: (await Promise.all(view.graphs.map(panelsOf))).flat() };
}
