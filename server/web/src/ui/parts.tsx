// Small parts that views are made of.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../api/client';

export function Choice<T extends string>({ label, value, options, onChange }: {
  label: string; value: T; options: readonly (T | [T, string])[]; onChange: (value: T) => void;
}) {
  return (
    <select aria-label={label} title={label} value={value}
      onChange={(event) => onChange(event.currentTarget.value as T)}>
      {options.map((option) => {
        const [key, text] = typeof option === 'string' ? [option, option] : option;
        return <option key={key} value={key}>{text}</option>;
      })}
    </select>
  );
}

export function Check({ label, checked, onChange }: {
  label: string; checked: boolean; onChange: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

export function Problem({ error }: { error: unknown }) {
  return error ? <p class="problem" role="alert">{explain(error)}</p> : null;
}

export function Bar({ part }: { part: number }) {
  return <span class="bar"><span style={{ width: `${Math.min(100, part * 100).toFixed(1)}%` }} /></span>;
}

// The browser's own dialog: it keeps the focus, and Escape closes it. It stays open if `onClose` returns
// false.
export function Dialog({ title, onClose, children, wide }: {
  title: string; onClose: () => unknown; children: ComponentChildren; wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key: Escape must find it open.
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-label={title} onClose={() => onClose() === false && dialog.current!.showModal()}>
      <header>
        <h2>{title}</h2>
        <button class="quiet" aria-label="Close" onClick={() => dialog.current!.close()}>✕</button>
      </header>
      {children}
    </dialog>
  );
}

// A button that opens a list of actions. It closes after one, and by Escape. What is in it is made
// when it is opened: the list of time zones alone took longer than the rest of a page.
export function Menu({ label, children }: { label: ComponentChildren; children: ComponentChildren }) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => details.current?.removeAttribute('open');
  return (
    <details ref={details} class="menu" onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      onFocusOut={(event) => {
        if (!details.current?.contains(event.relatedTarget as Node | null)) close();
      }}>
      <summary>{label}</summary>
      <div onClick={close}>{isOpen && children}</div>
    </details>
  );
}
