import { Browser, Server } from './harness.mjs';
const server = await Server.create({ data: false, options: ['--tsd.http.query.allow_delete=true'] });
const begin = 1764000000;
const points = ['a', 'b'].flatMap((host) => Array.from({ length: 60 }, (_, m) => (
  { metric: 'old.name', timestamp: begin + 60 * m, value: m, tags: { host } })));
await server.put(points);
const h = { 'X-Requested-With': 'x', 'Content-Type': 'application/json' };
const say = async (p, o = {}) => { const t = Date.now(); const r = await fetch(server.url + p, { headers: h, ...o }); console.log(p, r.status, (await r.text()).slice(0, 300), Date.now() - t, 'ms'); };
await say('api/query?start=1764000000&end=1764000600&m=none:old.name{host=a}&counts=true', { method: 'DELETE' });
await say('api/uid/rename', { method: 'POST', body: JSON.stringify({ metric: 'old.name', name: 'new.name' }) });
await say('api/query?start=1&end=9999999999&m=none:new.name&dry_run=true', { method: 'DELETE' });
await say('api/query?start=1&end=9999999999&m=none:new.name&counts=true', { method: 'DELETE' });
await say('api/config');
await server.close();
