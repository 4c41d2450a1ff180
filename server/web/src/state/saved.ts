// What is remembered by this browser: theme, own last queries, favourite views. A browser may refuse to.

import { Store } from './store';

export function readSaved<T>(key: string, usual: T): T {
  try {
    const text = localStorage.getItem(`hourcell.${key}`);
    return text === null ? usual : (JSON.parse(text) as T);
  } catch {
    return usual;
  }
}

export function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(`hourcell.${key}`, JSON.stringify(value));
  } catch {
    // Private windows, or a full store: the page works without.
  }
}

export interface PastQuery { at: number; hash: string; title: string }

const PAST_MAX = 50;

export function rememberQuery(hash: string, title: string): void {
  const past = readSaved<PastQuery[]>('past', []).filter((query) => query.hash !== hash);
  save('past', [{ at: Date.now(), hash, title }, ...past].slice(0, PAST_MAX));
}

export interface Favourite { name: string; link: string }

export const favourites = new Store<Favourite[]>(readSaved('favourites', []));

function keepFavourites(all: Favourite[]): void {
  favourites.set(all);
  save('favourites', all);
}

export function dropFavourite(name: string): void {
  keepFavourites(favourites.get().filter((one) => one.name !== name));
}

export function moveFavourite(name: string, to: Favourite): void {
  keepFavourites(favourites.get().map((one) => (one.name === name ? to : one)));
}

export function toggleFavourite(name: string, link: string): void {
  const all = favourites.get();
  if (all.some((one) => one.name === name)) dropFavourite(name);
  else keepFavourites([...all, { name, link }]);
}
