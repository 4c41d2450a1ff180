// What the user may do. What may not be done is not shown.

import { Store } from '../state/store';
import { ApiError, send } from './client';
import { login } from './login';

export interface Rights { read: boolean; write: boolean; admin: boolean }

export const can = new Store<Rights>({ read: true, write: false, admin: false });

// Asks for what only the right opens. Nothing is changed by it: /api/uid/assign without names is
// refused as a bad request by those who may write.
async function may(path: string, method = 'GET'): Promise<boolean> {
  try {
    await send(path, method === 'POST' ? { method, json: {} } : { method });
    return true;
  } catch (error) {
    // Only a refusal says that something may not be done; a busy or absent server says nothing.
    if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
    return error.status === 400;
  }
}

export async function findRights(): Promise<void> {
  if (await may('api/config')) {
    can.set({ read: true, write: true, admin: true });
    return;
  }
  const read = await may('api/stats');
  const write = login.get() !== null && (await may('api/uid/assign', 'POST'));
  can.set({ read, write, admin: false });
}
