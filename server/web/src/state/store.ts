// A value that views look at.

import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  private readonly listeners = new Set<() => void>();
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }
  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState({});
  useEffect(() => store.listen(() => redraw({})), [store]);
  return store.get();
}
