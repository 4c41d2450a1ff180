// Light or dark: as the system has it, until one is chosen.

import { readSaved, save } from '../state/saved';
import { Store } from '../state/store';

const system = matchMedia('(prefers-color-scheme: dark)');
export const dark = new Store(isDark());

function isDark(): boolean {
  const chosen = readSaved<string>('theme', '');
  return chosen ? chosen === 'dark' : system.matches;
}

function apply(): void {
  document.documentElement.dataset.theme = dark.get() ? 'dark' : 'light';
}

export function startTheme(): void {
  system.addEventListener('change', () => dark.set(isDark()));
  dark.listen(apply);
  apply();
}

export function toggleTheme(): void {
  save('theme', dark.get() ? 'light' : 'dark');
  dark.set(!dark.get());
}
