import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, Server, settled } from './harness.mjs';

let server;
let browser;
let page;

before(async () => {
  server = await Server.create();
  browser = await Browser.create();
});
after(async () => {
  await browser.close();
  await server.close();
});
afterEach(async () => {
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.foreign, []);
  await page.close();
});

test('all metrics with small charts; a few letters find one', async () => {
  page = await browser.page(server.url);
  await page.waitForSelector('.card .spark path');
  assert.equal(await page.locator('.card').count(), 12);
  await page.fill('input[type=search]', 'elbreq');
  await page.waitForFunction(() => document.querySelectorAll('.card').length === 1);
  assert.equal(await page.innerText('.card .main'), 'aws.elb.request_count');
});

test('largest first, newest first, stale only', async () => {
  page = await browser.page(server.url);
  await page.selectOption('[aria-label=Order]', 'series');
  await page.waitForFunction(() => document.querySelector('.card .main')?.textContent === 'twitter.mentions');
  await server.put([{ metric: 'zz.fresh', timestamp: Math.floor(Date.now() / 1000), value: 1, tags: { a: 'b' } }]);
  await page.reload();
  await page.waitForFunction(() => document.querySelector('[aria-label=Order]')?.value === 'series');
  await page.selectOption('[aria-label=Order]', 'newest');
  await page.waitForFunction(() => document.querySelector('.card .main')?.textContent === 'zz.fresh');
  await page.selectOption('[aria-label=Order]', 'stale');
  await page.waitForFunction(() => document.querySelectorAll('.card').length === 12);
});

test('a metric has its tags and counts, is broken down, and a value leads to its graph', async () => {
  page = await browser.page(server.url, '#metric=twitter.mentions');
  await page.waitForSelector('.tagkeys .panel');
  assert.match(await page.innerText('.tagkeys .panel'), /symbol\s+10 values/);
  await page.click('a:has-text("break down")');
  await page.waitForFunction(() => document.querySelectorAll('.cards .card').length === 10);
  await page.click('.values-list a:has-text("AAPL")');
  await settled(page);
  assert.match(page.url(), /symbol=AAPL/);
});

test('names with <script>, from right to left and emoji are text', async (t) => {
  const odd = await Server.create({ data: false,
    options: ['--tsd.storage.names=utf8', '--tsd.core.tag.allow_specialchars=<>()🦊'] });
  t.after(() => odd.close());
  const now = Math.floor(Date.now() / 1000);
  const names = ['<script>alert(1)</script>', 'שלום', '🦊.fox'];
  const answer = await odd.put(names.map((name) => ({
    metric: 'odd.names', timestamp: now, value: 1, tags: { name } })));
  assert.ok(answer.ok, await answer.text());
  page = await browser.page(odd.url, '#m=sum:odd.names{name=*}&start=1h-ago');
  page.on('dialog', () => page.errors.push('a name was run as a script'));
  await settled(page);
  const text = await page.innerText('.legend');
  for (const name of names) assert.ok(text.includes(name), `${name} in ${text}`);
});

test('of more metrics than the page loads, the server finds any part of a name and the largest', async (t) => {
  const large = await Server.create({ data: false });
  t.after(() => large.close());
  const timestamp = Math.floor(Date.now() / 1000);
  const points = Array.from({ length: 5200 }, (_, i) => ({
    metric: `app${i % 7}.metric${String(i).padStart(4, '0')}`, timestamp, value: i, tags: { host: 'a' } }));
  for (let at = 0; at < points.length; at += 1000) assert.ok((await large.put(points.slice(at, at + 1000))).ok);
  await large.put(Array.from({ length: 30 }, (_, i) => ({
    metric: 'zz.biggest', timestamp, value: i, tags: { host: `h${i}` } })));
  page = await browser.page(large.url);
  await page.waitForSelector('.status:has-text("60 of 5 201 metrics")');
  await page.fill('input[type=search]', 'IGGES');
  await page.waitForFunction(() => document.querySelector('.card .main')?.textContent === 'zz.biggest');
  await page.fill('input[type=search]', '');
  await page.selectOption('[aria-label=Order]', 'series');
  await page.waitForFunction(() => document.querySelector('.card .main')?.textContent === 'zz.biggest');
  await page.goto(`${large.url}#v=cardinality`);
  await page.waitForSelector('.cardinality p:has-text("5 230 series of 5 201 metrics; the 40 largest are listed")');
  assert.match(await page.innerText('[aria-label="Series by metric"] li'), /zz\.biggest\s+30/);

  // Enter picks the typed name, also before the server answers.
  await page.route(/api\/(metrics|suggest)/, async (route) => {
    await new Promise((done) => setTimeout(done, 200));
    await route.continue();
  });
  await page.goto(`${large.url}#v=graph`);
  const field = page.locator('[aria-label="Query A"] input[aria-label=Metric]');
  await field.click();
  await page.keyboard.type('zz.biggest', { delay: 30 });
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('m='));
  assert.match(page.url(), /:zz\.biggest/);
});

test('a screen of cards is one request, and a metric that fails leaves the others', async (t) => {
  const live = await Server.create({ data: false });
  t.after(() => live.close());
  const timestamp = Math.floor(Date.now() / 1000);
  await live.put(Array.from({ length: 24 }, (_, i) => [60, 30, 0].map((ago) => ({
    metric: `app.metric${String(i).padStart(2, '0')}`, timestamp: timestamp - ago, value: i + ago, tags: { host: 'a' } }))).flat());
  page = await browser.page(live.url, '#v=views');
  const asked = [];
  page.on('request', (request) => /api\/(query|search)/.test(request.url()) && asked.push(request.url()));
  await page.goto(live.url);
  await page.waitForFunction(() => document.querySelectorAll('.card .spark path.stroke').length === 24);
  assert.equal(asked.length, 1, asked.join('\n'));
  await page.route(/api\/query\?.*app\.metric07/, (route) => route.fulfill({ status: 400,
    json: { error: { code: 400, message: 'No such name' } } }));
  await page.goto('about:blank');
  await page.goto(live.url);
  await page.waitForFunction(() => document.querySelectorAll('.card .spark path.stroke').length === 23);
  assert.equal(await page.locator('.card:has-text("app.metric07") path').count(), 0);
  page.errors = page.errors.filter((text) => !/status of 400/.test(text));
});
