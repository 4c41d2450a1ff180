// What the user may do. What may not be done is not shown.

import { Store } from '../state/store';
import { getJson } from './client';
import { asksLogin, login } from './login';

export interface Rights { read: boolean; write: boolean; admin: boolean }

export const can = new Store<Rights>({ read: true, write: false, admin: false });

interface Who { user: string; role: string; mode: string; has_users: boolean }

export async function findRights(): Promise<void> {
  const who = await getJson<Who>('api/whoami');
  const admin = who.role === 'admin';
  const may = who.role.split('+');
  can.set({ read: admin || may.includes('read'), write: admin || may.includes('write'), admin });
  if (who.role === 'none' && who.has_users && login.get() === null) asksLogin.set('');
}
