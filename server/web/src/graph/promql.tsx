// The text of a query in PromQL, with completion of metrics, functions, labels and their values.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { findNames, type Match } from '../query/fuzzy';
import { WORDS, isComplete, typedIn, type Typed } from '../query/promql';
import { Marked } from '../ui/combobox';

const SHOWN_MAX = 12;

// Of a store with many names, the server sends those that contain the word.
function namesOf(typed: Typed, signal: AbortSignal): Promise<string[]> {
  const { kind, word } = typed;
  const label = kind === 'value' ? typed.label : '__name__';
  const params: [string, string][] = [['limit', '1000']];
  if (kind !== 'word' && typed.metric) params.push(['match[]', typed.metric]);
  else if (kind !== 'label' && word) {
    params.push(['match[]', `{${label}=~${JSON.stringify(`(?i).*${word.replace(/[^\w:]/g, '.')}.*`)}}`]);
  }
  const path = kind === 'label' ? 'labels' : `label/${label}/values`;
  return getJson<{ data: string[] }>(`api/v1/${path}`, { params, signal, background: true }).then(({ data }) => data);
}

async function complete(before: string, signal: AbortSignal): Promise<Match[]> {
  const typed = typedIn(before);
  const { kind, word } = typed;
  if (kind === 'word' && word === '') return [];
  const names = await namesOf(typed, signal);
  const all = kind === 'word' ? [...WORDS, ...names] : names.filter((name) => name !== '__name__');
  return findNames(all, word, SHOWN_MAX).filter(({ name }) => name !== word);
}

export function PromqlField({ text, name, onChange }: { text: string; name: string; onChange: (text: string) => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [before, setBefore] = useState<string | null>(null); // the text in front of the cursor; null: not being typed
  const [found, setFound] = useState<Match[]>([]);
  const [at, setAt] = useState(-1); // -1: none is chosen
  useEffect(() => {
    setAt(-1);
    if (before === null) return setFound([]);
    const abort = new AbortController();
    // Without names the query can still be typed.
    complete(before, abort.signal).then(setFound, () => abort.signal.aborted || setFound([]));
    return () => abort.abort();
  }, [before]);
  const pick = ({ name }: Match) => {
    const { kind, word } = typedIn(before!);
    // Inside quotes, these two end the text.
    const inserted = kind === 'value' ? name.replace(/["\\]/g, '\\$&') : name;
    const head = before!.slice(0, before!.length - word.length) + inserted;
    onChange(head + text.slice(before!.length));
    setBefore(null);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(head.length, head.length);
    });
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) setAt((at + step + found.length) % found.length);
    else if (event.key === 'Enter') {
      if (found[at]) pick(found[at]);
      else setBefore(null);
    } else if (event.key === 'Escape' && found.length) {
      event.stopPropagation();
      setBefore(null);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="combobox promql">
      <input ref={input} class="mono" role="combobox" aria-label={`PromQL of query ${name}`} aria-expanded={found.length > 0}
        aria-controls={`${id}-list`} aria-autocomplete="list" autocomplete="off" spellcheck={false}
        {...(found[at] && { 'aria-activedescendant': `${id}-${at}` })}
        placeholder="sum by (job) (rate(http_requests_total[5m]))" value={text} onKeyDown={onKey}
        onInput={(event) => {
          const { value, selectionStart } = event.currentTarget;
          onChange(value);
          setBefore(value.slice(0, selectionStart ?? value.length));
        }}
        onBlur={() => setBefore(null)} />
      <ul id={`${id}-list`} role="listbox" aria-label="Completions" hidden={found.length === 0}>
        {found.map((match, i) => (
          <li key={match.name} id={`${id}-${i}`} role="option" aria-selected={i === at}
            onMouseDown={(event) => {
              event.preventDefault();
              pick(match);
            }}><Marked match={match} /></li>
        ))}
      </ul>
      {!isComplete(text) && <small class="soft">A quote or a bracket is open.</small>}
    </div>
  );
}
