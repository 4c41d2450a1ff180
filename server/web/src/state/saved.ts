// What is remembered by this browser: theme, own last queries. A browser may refuse to.

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
