// Who the user of this tab is. Kept in sessionStorage: it ends with the tab.

import { Store } from '../state/store';

export interface Login {
  header: string; // of Authorization
  name: string;
}

const KEY = 'hourcell.login';

function read(): Login | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Login | null;
  } catch {
    return null;
  }
}

export const login = new Store<Login | null>(read());
// Set when the server asked for credentials: what it said.
export const asksLogin = new Store<string | null>(null);

export function signIn(user: string, secret: string): void {
  const bytes = new TextEncoder().encode(`${user}:${secret}`);
  const basic = btoa(String.fromCharCode(...bytes));
  keep(user ? { header: `Basic ${basic}`, name: user } : { header: `Bearer ${secret}`, name: 'token' });
  asksLogin.set(null);
}

export function signOut(): void {
  keep(null);
}

function keep(value: Login | null): void {
  try {
    if (value) sessionStorage.setItem(KEY, JSON.stringify(value));
    else sessionStorage.removeItem(KEY);
  } catch {
    // The login lasts until the page is loaded again.
  }
  login.set(value);
}
