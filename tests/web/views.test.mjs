// Saved views: a graph is kept under a name, views are lists of graphs on one range, and two editors.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, Server, settled } from './harness.mjs';

const BEGIN = 1764000000; // 24 November 2025, 16:00 UTC
let server;
let browser;

before(async () => {
  server = await Server.create({ data: false, users: [['reader', 'read'], ['anna', 'read+write'], ['bert', 'read+write']] });
  browser = await Browser.create();
  const points = ['cpu.user', 'net.in'].flatMap((metric) => Array.from({ length: 120 }, (_, m) => (
    { metric, timestamp: BEGIN + 60 * m, value: m % 7, tags: { host: 'a' } })));
  await fetch(`${server.url}api/put`, { method: 'POST', body: JSON.stringify(points), headers: headersOf('anna') });
});
after(async () => {
  await browser.close();
  await server.close();
});

const headersOf = (user) => ({ 'Content-Type': 'application/json',
  Authorization: `Basic ${Buffer.from(`${user}:${user}-secret`).toString('base64')}` });

const api = (method, name, user, body) => fetch(`${server.url}api/views/${encodeURIComponent(name)}`,
  { method, headers: headersOf(user), ...(body && { body: JSON.stringify(body) }) });

async function signedIn(user, hash) {
  const page = await browser.page(server.url, hash);
  await page.waitForSelector('dialog');
  await page.fill('dialog input[autocomplete=username]', user);
  await page.fill('dialog input[type=password]', `${user}-secret`);
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog', { state: 'detached' });
  return page;
}

const RANGE = `start=${BEGIN}&end=${BEGIN + 7200}&tz=UTC`;
const panels = (page) => page.$$eval('.dashboard h2', (all) => all.map((one) => one.innerText));
const drawn = (page, count) => page.waitForFunction((wanted) =>
  document.querySelectorAll('.dashboard .keys bdi').length === wanted, count);

test('a graph is saved under a name, and a second one beside it; both follow one range', async () => {
  const page = await signedIn('anna', `#${RANGE}&m=sum:cpu.user{host=*}&title=CPU&style=area`);
  await settled(page);
  await page.click('button:text-is("Save…")');
  await page.fill('dialog input', 'Web / servers');
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog .problem'); // a name is one part of a path
  await page.fill('dialog input', 'Web servers');
  await page.click('dialog button.primary');
  await page.click('dialog a:has-text("Open Web servers")');
  await drawn(page, 1);
  assert.deepEqual(await panels(page), ['CPU']);

  await page.goto(`${server.url}#${RANGE}&m=sum:net.in&saved=Web%20servers`);
  await settled(page);
  await page.click('button:text-is("Save…")');
  await page.click('dialog button:text-is("Add as one more graph")');
  await page.click('dialog a:has-text("Open Web servers")');
  await drawn(page, 2);
  assert.deepEqual(await panels(page), ['CPU', 'sum:net.in']);
  const stored = await (await api('GET', 'Web servers', 'reader')).json();
  assert.deepEqual(stored.graphs[0].look, { style: 'area' });

  const box = await page.locator('.dashboard .u-over').first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((start) => !location.hash.includes(`start=${start}&`), BEGIN);
  await drawn(page, 2);
  await page.click('.dashboard h2 bdi:text-is("CPU")');
  await settled(page);
  assert.ok(page.url().includes('style=area') && page.url().includes('saved=Web%20servers'));
  assert.deepEqual(page.foreign, []);
  await page.close();
});

test('a dashboard draws the graphs of the views that it names', async () => {
  await api('PUT', 'Disks', 'anna', { version: 1, title: 'Disks', graphs: [{ queries: ['sum:net.in'] }, { view: 'All' }] });
  await api('PUT', 'All', 'anna', { version: 1, graphs: [{ view: 'Disks' }, { title: 'gone', view: 'nosuch' },
    { title: 'CPU', queries: ['sum:cpu.user'] }] });
  const page = await signedIn('reader', `#v=views&saved=All&${RANGE}`);
  await drawn(page, 2);
  assert.deepEqual(await panels(page), ['Disks', 'gone', 'CPU']);
  assert.match(await page.innerText('.dashboard .problem'), /not found/);
  assert.equal(await page.locator('button:text-is("Edit as text")').count(), 0);
  await page.close();
});

test('an error of the text is marked, and the second of two editors is told', async () => {
  await api('PUT', 'Shared', 'anna', { version: 1, graphs: [] });
  const page = await signedIn('anna', `#v=views&saved=Shared&${RANGE}`);
  await page.click('button:text-is("Edit as text")');
  await page.fill('textarea', '{"version": 1,\n "graphs": [{"queries": ["sum"]}]}');
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog .problem');
  assert.match(await page.innerText('dialog .problem'), /line 2, character 26: graphs\[0\]\.queries\[0\]/);
  assert.equal(await page.$eval('textarea', (area) => area.value.slice(area.selectionStart)), '"sum"]}]}');

  await api('PUT', 'Shared', 'bert', { version: 1, title: 'of bert', graphs: [] });
  await page.fill('textarea', '{"version": 1, "title": "of anna", "graphs": []}');
  await page.click('dialog button.primary');
  await page.waitForFunction(() => /changed by bert/.test(document.querySelector('dialog .problem')?.textContent ?? ''));
  await page.click('button:text-is("Replace the other change")');
  await page.waitForSelector('h1:has-text("of anna")');

  await page.click('button[aria-label="Favourite: Shared"]');
  await page.click('button:text-is("Edit as text")');
  await page.fill('dialog input', 'Renamed');
  await page.click('dialog button.primary');
  await page.waitForSelector('button[aria-label="Favourite: Renamed"][aria-pressed=true]');
  assert.equal((await api('GET', 'Shared', 'reader')).status, 404);

  await page.click('button:text-is("Delete…")');
  await page.click('dialog button:text-is("Delete")');
  await page.waitForSelector('h1:text-is("Views")');
  assert.equal((await api('GET', 'Renamed', 'reader')).status, 404);
  await page.close();
});

test('favourites come first, and stay in the browser', async () => {
  for (const name of ['A', 'B', 'C']) await api('PUT', name, 'anna', { version: 1, start: '6h-ago', graphs: [] });
  const page = await signedIn('reader', '#v=views');
  await page.click('button[aria-label="Favourite: C"]');
  await page.reload();
  await page.waitForSelector('tbody tr');
  assert.equal(await page.innerText('tbody tr:first-child th'), 'C');
  await page.goto(`${server.url}#`);
  await page.click('nav[aria-label="Favourite views"] a');
  await page.waitForSelector('h1 bdi:text-is("C")');
  assert.ok(page.url().includes('start=6h-ago'));
  assert.deepEqual(page.foreign, []);
  await page.close();
});
