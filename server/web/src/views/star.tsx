// Favourites of this browser.

import { favourites, toggleFavourite } from '../state/saved';
import { useStore } from '../state/store';

export function Star({ name, link }: { name: string; link: string }) {
  const on = useStore(favourites).some((one) => one.name === name);
  return (
    <button class="quiet" aria-pressed={on} aria-label={`Favourite: ${name}`} title="Favourite of this browser"
      onClick={() => toggleFavourite(name, link)}>{on ? '★' : '☆'}</button>
  );
}

export function Favourites() {
  const all = useStore(favourites);
  if (all.length === 0) return null;
  return (
    <nav class="row" aria-label="Favourite views">
      {all.map(({ name, link }) => <a key={name} class="chip" href={link}>★ <bdi>{name}</bdi></a>)}
    </nav>
  );
}
