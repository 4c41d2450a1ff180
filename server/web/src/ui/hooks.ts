import { useEffect, useState } from 'preact/hooks';
import { isAborted } from '../api/client';

// What a request answers, or why it did not. Asked again when `keys` change; the one before is
// ended then.
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, keys: unknown[]): {
  value: T | null; error: unknown;
} {
  const [answer, setAnswer] = useState<{ value: T | null; error: unknown }>({
    value: null, error: null,
  });
  useEffect(() => {
    const abort = new AbortController();
    ask(abort.signal).then(
      (value) => abort.signal.aborted || setAnswer({ value, error: null }),
      (error) => isAborted(error) || abort.signal.aborted ||
        setAnswer(({ value }) => ({ value, error })),
    );
    return () => abort.abort();
  }, keys);
  return answer;
}

// Counts up every `ms` while the page can be seen; 0 = never.
export function useTick(ms: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!ms) return;
    const timer = setInterval(() => {
      if (!document.hidden) setTick((count) => count + 1);
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
  return tick;
}

// True from the moment at which the element is near the visible part of the page.
export function useSeen(host: { current: HTMLElement | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      setSeen(true);
    }, { rootMargin: '300px' });
    watch.observe(host.current!);
    return () => watch.disconnect();
  }, []);
  return isSeen;
}
