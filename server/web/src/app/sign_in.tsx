// Who are you? Shown when the server asks.

import { useState } from 'preact/hooks';
import { asksLogin, signIn } from '../api/login';
import { Dialog } from '../ui/parts';

export function SignIn({ reason }: { reason: string }) {
  const [user, setUser] = useState('');
  const [secret, setSecret] = useState('');
  return (
    <Dialog title="Sign in" onClose={() => asksLogin.set(null)}>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        signIn(user.trim(), secret);
      }}>
        {reason && <p class="problem" role="alert">{reason}</p>}
        <label>User <input autocomplete="username" value={user} placeholder="empty with a token"
          onInput={(event) => setUser(event.currentTarget.value)} /></label>
        <label>Password or token <input type="password" required autocomplete="current-password"
          value={secret} onInput={(event) => setSecret(event.currentTarget.value)} /></label>
        <p class="soft">Kept in this tab until it is closed.</p>
        <button class="primary">Sign in</button>
      </form>
    </Dialog>
  );
}
