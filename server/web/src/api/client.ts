// Requests to the server. Addresses are relative to the page, so that a path prefix is kept.

import { Store } from '../state/store';
import { asksLogin, login } from './login';

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly details = '') {
    super(message);
  }
}

// False while the server does not answer.
export const online = new Store(true);
// How often it answered again after that.
export const returns = new Store(0);

export interface Ask {
  method?: string;
  params?: [string, string][];
  json?: unknown;
  text?: string; // a body of JSON as text
  etag?: string; // of the state that the request changes
  signal?: AbortSignal;
  fine?: number[]; // statuses that are answers, too
  background?: boolean; // the server need not keep it in its list of queries: no person asked for it
}

export async function send(path: string, ask: Ask = {}): Promise<Response> {
  const query = (ask.params ?? []).map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&');
  // X-Requested-With: another site's page cannot send it, and the server wants to see it with
  // everything that changes something.
  const headers: Record<string, string> = {
    'X-Requested-With': ask.background ? 'explorer-background' : 'explorer' };
  const user = login.get();
  if (user) headers.Authorization = user.header;
  const body = ask.text ?? (ask.json === undefined ? null : JSON.stringify(ask.json));
  if (body !== null) headers['Content-Type'] = 'application/json';
  if (ask.etag) headers['If-Match'] = ask.etag;
  let response: Response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, {
      method: ask.method ?? 'GET',
      headers,
      body,
      signal: ask.signal ?? null,
      // The browser's own dialog would be in the way of the page's form.
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (error) {
    if (isAborted(error)) throw error;
    online.set(false);
    throw new ApiError(0, 'The server does not answer.');
  }
  if (!online.get()) returns.set(returns.get() + 1);
  online.set(true);
  if (!response.ok && !ask.fine?.includes(response.status)) throw await errorOf(response);
  return response;
}

export async function getJson<T>(path: string, ask: Ask = {}): Promise<T> {
  return (await (await send(path, ask)).json()) as T;
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  let message = response.statusText;
  let details = '';
  try {
    const said = (JSON.parse(text) as { error: string | { message: string; details?: string } }).error;
    const error: { message: string; details?: string } = typeof said === 'string' ? { message: said } : said;
    message = error.message.replace(/<\/?code>/g, '');
    details = error.details && error.details !== error.message ? error.details : '';
  } catch {
    // Not from the server itself: a proxy's page.
  }
  if (response.status === 401) asksLogin.set(login.get() ? 'These credentials are wrong.' : '');
  return new ApiError(response.status, message, details);
}

// What a person is told.
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error instanceof Error ? error.message : error);
  const text = error.details ? `${error.message} (${error.details})` : error.message;
  switch (error.status) {
    case 401: return 'Sign in to see this.';
    case 403: return `Your role does not allow this. ${text}`;
    case 412: return `Another user was faster: ${error.details}. Open it again, or replace that change.`;
    case 413: return `The query is too large: ${text} Choose a shorter range or fewer series.`;
    case 503: return `The server is busy: ${text}`;
    default: return text;
  }
}
