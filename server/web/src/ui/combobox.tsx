// A field that is completed from names while one types, as ARIA's combobox has it.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isAborted } from '../api/client';
import type { Match } from '../query/fuzzy';

export interface ComboboxProps {
  value: string;
  label: string;
  placeholder?: string;
  wide?: boolean;
  load: (typed: string, signal: AbortSignal) => Promise<Match[]>;
  hint?: (name: string) => Promise<string>; // beside a name: how many series it has
  onPick: (name: string) => void;
}

export function Combobox({ value, label, placeholder, wide, load, hint, onPick }: ComboboxProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null); // null: not being typed
  const [answer, setAnswer] = useState<{ of: string | null; found: Match[] }>({ of: null, found: [] });
  const [at, setAt] = useState(0);
  const { found } = answer;
  const input = useRef<HTMLInputElement>(null);
  const isOpen = typed !== null;

  useEffect(() => {
    if (typed === null) return;
    const abort = new AbortController();
    load(typed, abort.signal).then((matches) => {
      if (abort.signal.aborted) return;
      setAnswer({ of: typed, found: matches });
      setAt(Math.max(0, matches.findIndex((match) => match.name === typed)));
    }, (error) => {
      if (!isAborted(error)) setAnswer({ of: typed, found: [] });
    });
    return () => abort.abort();
  }, [typed]);

  const pick = (name: string) => {
    setTyped(null);
    if (name !== value) onPick(name);
  };
  // Enter before the names for the text have come waits for them: those in the list are for another text.
  const [entered, setEntered] = useState<string | null>(null);
  const enter = (text: string) => {
    if (answer.of === text) pick(found[at]?.name ?? text);
    else setEntered(text);
  };
  useEffect(() => {
    if (entered === null) return;
    if (typed !== entered) setEntered(null);
    else if (answer.of === entered) {
      setEntered(null);
      enter(entered);
    }
  }, [entered, typed, answer, at]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return setTyped('');
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setAt((at + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      enter(typed);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setTyped(null);
    }
  };
  return (
    <div class={`combobox${wide ? ' wide' : ''}`}>
      <input ref={input} role="combobox" aria-label={label} aria-expanded={isOpen}
        aria-controls={`${id}-list`} aria-autocomplete="list" autocomplete="off" spellcheck={false}
        {...(isOpen && found.length > 0 && { 'aria-activedescendant': `${id}-${at}` })}
        dir="auto" placeholder={(isOpen && value) || (placeholder ?? label)} value={typed ?? value}
        onInput={(event) => setTyped(event.currentTarget.value)}
        // What is typed replaces what is there.
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => !isOpen && setTyped('')} onKeyDown={onKey}
        onBlur={() => {
          // What was typed in full counts without Enter.
          if (typed) pick(typed);
          else setTyped(null);
        }} />
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen || found.length === 0}>
        {isOpen && found.map((match, i) => (
          <li key={match.name} id={`${id}-${i}`} role="option" aria-selected={i === at}
            onMouseDown={(event) => {
              event.preventDefault();
              pick(match.name);
              input.current?.blur();
            }}>
            <Marked match={match} />
            {hint && <Hint name={match.name} load={hint} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

// The letters that were typed are bold.
export function Marked({ match }: { match: Match }) {
  const at = new Set(match.at);
  const runs: { text: string; bold: boolean }[] = [];
  for (let i = 0; i < match.name.length; ++i) {
    const bold = at.has(i);
    const last = runs[runs.length - 1];
    if (last && last.bold === bold) last.text += match.name[i];
    else runs.push({ text: match.name[i]!, bold });
  }
  return <bdi>{runs.map((run) => (run.bold ? <b>{run.text}</b> : run.text))}</bdi>;
}

function Hint({ name, load }: { name: string; load: (name: string) => Promise<string> }) {
  const [text, setText] = useState('');
  useEffect(() => {
    let wanted = true;
    load(name).then((hint) => wanted && setText(hint), () => {});
    return () => void (wanted = false);
  }, [name]);
  return <small>{text}</small>;
}
