import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, CPU, Server, settled, until } from './harness.mjs';
import { standInLab, standInLoads } from './stand_in.mjs';

let server;
let browser;
let page;

before(async () => {
  server = await Server.create({ options: ['--tsd.stats.self_interval=1', '--tsd.http.query.allow_delete=true'] });
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

test('the page is served with a policy that lets nothing else in', async () => {
  page = await browser.page(server.url);
  const answer = await fetch(server.url);
  assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
  assert.doesNotMatch(answer.headers.get('content-security-policy'), /unsafe/);
  for (const [, path] of (await answer.text()).matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)) {
    assert.match((await fetch(server.url + path.slice(1))).headers.get('cache-control'), /immutable/);
  }
});

test('cardinality counts series by metric and by tag', async () => {
  page = await browser.page(server.url, '#v=cardinality');
  await page.waitForSelector('.values-list li');
  await page.click('.values-list button:has-text("twitter.mentions")');
  await page.waitForFunction(() => /symbol\s*10 values/.test(document.body.innerText));
});

test('cardinality lists the series that started or ended, with their number', async (t) => {
  const own = await Server.create({ data: false });
  t.after(() => own.close());
  const now = Math.floor(Date.now() / 1000);
  const days = (host, from, to) => Array.from({ length: (from - to) / 2 }, (_, i) => ({
    metric: 'app.pods', timestamp: now - 3600 * (from - 2 * i), value: 1, tags: { host } }));
  await own.put([...days('stays', 46, 0), ...days('new', 6, 0), ...days('gone', 46, 14)]);
  page = await browser.page(own.url, '#v=cardinality');
  const panel = page.locator('[aria-label="Series that started or ended"]');
  await panel.locator('li >> nth=1').waitFor();
  assert.equal(await panel.locator('[role=status]').innerText(), '2 of 3 series');
  assert.match((await panel.locator('li').allInnerTexts()).join(' '), /host=new\s+started[^]*host=gone\s+ended/);
  await panel.locator('select').selectOption('30d-ago');
  await page.waitForFunction(() => location.hash.includes('since=30d-ago'));
  await page.waitForFunction(() => /3 of 3 series/.test(document.querySelector('.churn').innerText));
  await panel.locator('a:has-text("host=gone")').click();
  await settled(page);
  assert.match(page.url(), /host=gone/);
});

test('a region is split and merged from the picture', async () => {
  page = await browser.page(server.url);
  await standInLoads(page);
  await page.click('nav a:has-text("Regions")');
  await page.waitForSelector('.strip button');
  await page.click('.strip button');
  await page.fill('dialog input[type=number]', '3');
  await page.click('dialog button:text-is("Preview")');
  await page.waitForFunction(() => document.querySelectorAll('dialog tbody tr').length === 3);
  assert.equal(await page.locator('.strip button').count(), 1);
  await page.click('dialog button:text-is("Preview at the hottest key")');
  await page.waitForFunction(() => document.querySelectorAll('dialog tbody tr').length === 2);
  assert.match(await page.locator('dialog p').innerText(), /writes/);
  assert.match(await page.locator('dialog tbody tr >> nth=1').innerText(), /[0-9a-f]{6}\s+[\d.]+ [KM]?i?B/);
  await page.click('dialog button:text-is("Split")');
  await page.waitForFunction(() => document.querySelectorAll('.strip button').length >= 2);
  const count = await page.locator('.strip button').count();
  await page.click('.strip button >> nth=0');
  await page.click('dialog button:has-text("Merge with")');
  await page.waitForFunction((n) => document.querySelectorAll('.strip button').length === n - 1, count);
});

test("the server's own metrics are drawn without set-up", async () => {
  // The dashboard's own queries are not listed.
  await fetch(`${server.url}api/query?start=2014/02/14&end=2014/02/15&m=avg:aws.ec2.cpu_utilization`);
  page = await browser.page(server.url, '#v=server');
  await page.waitForSelector('.health:not(.bad)');
  await until(async () => (await page.locator('.card .spark path.stroke').count()) >= 10, 'charts');
  for (const area of ['Ingest', 'Requests', 'Memory', 'Journal and seals', 'Store (LSM tree) and regions', 'Caches']) {
    assert.ok(await page.locator(`section[aria-label="${area}"] .card`).count() >= 4, area);
  }
  await until(async () => /\d (ms|µs|s)/.test(await page.locator('section[aria-label=Requests] .card').first().innerText()), 'times of queries');
  await page.click('.tabs button:has-text("Queries")');
  await page.waitForSelector('tbody tr');
  await page.click('.tabs button:has-text("Jobs")');
  await page.click('button:text-is("Flush")');
  await page.waitForSelector('.jobs .chip.done');
});

test('the load of regions over time is a heat map, with splits as events', async () => {
  page = await browser.page(server.url);
  await standInLoads(page);
  await page.click('nav a:has-text("Regions")');
  await page.waitForSelector('.events li:has-text("region 1 was split at cpu.user")');
  const map = page.locator('.heat canvas');
  const { width, height } = await map.boundingBox();
  const told = async (x, y, words) => {
    await map.hover({ position: { x: width * x, y: height * y } });
    await page.waitForFunction((text) => new RegExp(text).test(document.querySelector('.told').innerText), words);
  };
  await told(0.2, 0.8, 'region 1 from the first key: [\\d.]+ points /s');
  await told(0.9, 0.2, 'region 2 from the first key');
  await told(0.9, 0.8, 'region 3 from cpu\\.user 2026-11-24T15:00Z host=a');
  await page.selectOption('[aria-label="What the map shows"]', 'bytes');
  await page.waitForFunction(() => document.querySelector('.panel header').innerText.includes('darkest: 120 KiB'));
});

test('designs are simulated side by side, with progress, and the address keeps them', async () => {
  page = await browser.page(server.url);
  const seen = await standInLab(page);
  await page.click('nav a:has-text("Design lab")');
  await page.waitForSelector('.designs section >> nth=2');
  await page.fill('section[aria-label="Design by time"] input[list="lab-layout"]', 'hash:2+metric+hour+tags');
  await page.press('section[aria-label="Design by time"] input[list="lab-layout"]', 'Tab');
  await page.click('button:text-is("Simulate")');
  await page.waitForSelector('text=plain (1 of 3), 120 of 480 minutes');
  await page.waitForSelector('.results canvas >> nth=2');
  assert.match(seen.begun[0].designs[2], /^by time: layout=hash:2\+metric\+hour\+tags /);
  assert.ok(await page.locator('td.best').count() > 2);
  const { width, height } = await page.locator('.results canvas').first().boundingBox();
  await page.locator('.results canvas').first().hover({ position: { x: width / 2, y: height * 0.4 } });
  await page.waitForFunction(() =>
    /^2013-01-\d\d .* puts from .+ \(\\x00/.test(document.querySelector('.told').innerText));
  await page.click('.results summary >> nth=0');
  await page.waitForSelector('.results details[open] td.number');
  // The link is the whole lab.
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('section[aria-label="Design by time"]');
  assert.equal(await page.inputValue('section[aria-label="Design by time"] input[list="lab-layout"]'), 'hash:2+metric+hour+tags');
});

test('the lab takes the fleet of the store, and adds a design by its key', async () => {
  page = await browser.page(server.url);
  await page.click('nav a:has-text("Design lab")');
  await page.click('button:text-is("Fleet of this store")');
  await page.waitForSelector('[aria-label=Layouts] button:has-text("time-first") >> text=/^[0-9a-f]{26,}$/');
  assert.match(await page.inputValue('[aria-label=Fleet]'), /^metrics=\d+,tags=.+:\d+.*,interval=\d+s,duration=1d/);
  await page.click('[aria-label=Layouts] button:has-text("salted:20")');
  await page.waitForSelector('section[aria-label="Design salted 20"]');
  assert.match(page.url(), /fleet=metrics/);
  await page.click('summary:has-text("command line")');
  assert.match(await page.locator('pre').innerText(),
    /# salted 20\nhourcell migrate FROM TO --set tsd\.storage\.salt\.width=1 --set tsd\.storage\.salt\.buckets=20/);
  await page.setViewportSize({ width: 390, height: 800 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

test('a simulation is cancelled', async () => {
  page = await browser.page(server.url);
  const seen = await standInLab(page, { endless: true });
  await page.click('nav a:has-text("Design lab")');
  await page.click('button:text-is("Simulate")');
  await page.click('button:text-is("Cancel")');
  await page.waitForSelector('.chip.cancelled');
  assert.equal(seen.cancelled, 1);
});

test('the lab and the loads are those of the server', async (t) => {
  page = await browser.page(server.url);
  if (!(await server.has('api/admin/simulate')) || !(await server.has('api/admin/regions/loads'))) {
    return t.skip('this program has no such endpoints');
  }
  await page.click('nav a:has-text("Design lab")');
  await page.click('button:text-is("Simulate")');
  await page.waitForSelector('.results canvas >> nth=2', { timeout: 60_000 });
  await page.click('nav a:has-text("Regions")');
  await page.waitForSelector('section[aria-label="Load over time"]');
});

test('a slow query is explained as a tree', async () => {
  page = await browser.page(server.url, CPU);
  await settled(page);
  await page.click('.tabs button:has-text("Explain")');
  await page.waitForSelector('.explain li');
  assert.match(await page.locator('.explain').innerText(), /Read [\d\s]+ rows by .*[^]*Select 8 of 8 series/);
  await page.click('nav a:has-text("Server")');
  await page.click('.tabs button:has-text("Queries")');
  await page.click('th button:has-text("aws.ec2.cpu_utilization{instance=*}") >> nth=0');
  await page.waitForSelector('dialog .explain >> text=/Aggregate .avg. into 8 groups/');
  await page.click('dialog a:has-text("Open the graph")');
  await settled(page);
});

test('every setting has its meaning beside it', async () => {
  page = await browser.page(server.url, '#v=server');
  await page.click('.tabs button:has-text("Settings")');
  await page.waitForSelector('.settings dd');
  const bare = await page.$$eval('.settings > div', (rows) => rows
    .filter((row) => !row.querySelector('.soft')?.textContent).map((row) => row.querySelector('dt').textContent));
  assert.deepEqual(bare, []);
  await page.check('text=only changed ones');
  await page.waitForFunction(() => document.querySelector('.settings').innerText.includes('tsd.stats.self_interval'));
});

test('own queries are remembered by the browser', async () => {
  page = await browser.page(server.url, CPU);
  await settled(page);
  await page.click('nav a:has-text("Server")');
  await page.click('.tabs button:has-text("My queries")');
  await page.reload(); // the address has the tab
  await page.click('.past a');
  await settled(page);
});

test('points are deleted after their number was shown and the metric typed; names are renamed and removed', async () => {
  const begin = 1764000000;
  const points = ['a', 'b'].flatMap((host) => Array.from({ length: 60 }, (_, m) => (
    { metric: 'old.name', timestamp: begin + 60 * m, value: m, tags: { host } })));
  await server.put(points);
  page = await browser.page(server.url, `#v=cardinality&metric=old.name&start=${begin}&end=${begin + 600}`);
  const choose = async (action) => {
    await page.click('summary:text-is("Change")');
    await page.click(`.menu button:text-is("${action}")`);
  };
  const close = () => page.click('dialog button[aria-label=Close]');

  await choose('Delete points…');
  await page.fill('dialog input >> nth=0', 'old.name{host=a}');
  await page.uncheck('dialog input[type=checkbox]');
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog b:text-is("11 points of 1 series")');
  assert.ok(await page.isDisabled('dialog button.primary'));
  await page.fill('dialog input >> nth=2', String(begin)); // any change needs a new count
  await page.click('dialog button.primary:text-is("Count the points")');
  await page.waitForSelector('dialog b');
  await page.fill('dialog input[autocomplete=off]', 'old.name');
  await page.click('dialog button.primary:text-is("Delete")');
  await page.waitForSelector('dialog:has-text("Deleted 11 points of 1 series.")');
  await close();

  await choose('Rename…');
  await page.fill('dialog input >> nth=1', 'new.name');
  await page.click('dialog button.primary');
  await page.waitForSelector('h2 bdi:text-is("new.name")');

  await choose('Remove the name…');
  await page.waitForSelector('dialog:has-text("new.name has 109 points of 2 series. Delete them first")');
  assert.ok(await page.isDisabled('dialog button.primary'));
  await close();
  await choose('Delete points…');
  await page.click('dialog button.primary');
  await page.fill('dialog input[autocomplete=off]', 'new.name');
  await page.click('dialog button.primary:text-is("Delete")');
  await page.waitForSelector('dialog:has-text("Deleted 109 points")');
  await close();
  await choose('Remove the name…');
  await page.click('dialog button.primary:not([disabled])');
  await page.waitForSelector('dialog', { state: 'detached' });
  const { metrics } = await (await fetch(`${server.url}api/metrics?find=.name`)).json();
  assert.deepEqual(metrics, []);
});

test('a delete says until when it can be undone, and is undone from its dialog or from the list', async (t) => {
  const undoable = await Server.create({ data: false,
    options: ['--tsd.http.query.allow_delete=true', '--tsd.storage.undo=7d'] });
  t.after(() => undoable.close());
  const begin = 1764000000;
  await undoable.put(Array.from({ length: 60 }, (_, m) => (
    { metric: 'cpu', timestamp: begin + 60 * m, value: m, tags: { host: 'a' } })));
  page = await browser.page(undoable.url, `#start=${begin}&end=${begin + 3600}&m=sum:cpu`);
  const drawn = () => page.waitForFunction(() => /\d points in/.test(document.querySelector('.status')?.textContent ?? ''));
  const remove = async () => {
    await page.click('summary:text-is("⋯")');
    await page.click('button:text-is("Delete these points…")');
    await page.click('dialog button.primary');
    await page.waitForSelector('dialog:has-text("60 points of 1 series will be deleted. You can undo this for 7 d")');
    await page.fill('dialog input[autocomplete=off]', 'cpu');
    await page.click('dialog button.primary:text-is("Delete")');
    await page.waitForSelector('dialog:has-text("Deleted 60 points of 1 series.")');
    await page.waitForSelector('.status:has-text("No points in this range.")');
  };
  await drawn();
  await remove();
  await page.waitForFunction(() => /^Until \d{4}-\d\d-\d\d /.test(document.querySelector('dialog p + p')?.textContent ?? ''));
  await page.click('dialog button:text-is("Undo")');
  await page.waitForSelector('dialog:has-text("Undone: the points are back.")');
  await drawn();
  await page.click('dialog button[aria-label=Close]');

  await remove();
  await page.click('dialog button[aria-label=Close]');
  await page.click('nav a:has-text("Server")');
  await page.click('.tabs button:text-is("Deletes")');
  await page.waitForSelector('tbody tr:has-text("1 series of cpu")');
  await page.click('tbody button:text-is("Undo")');
  await page.waitForSelector('text=No points of deletes are stored.');
  await page.click('nav a:has-text("Graph")');
  await drawn();
});

test('renames and shorter TTLs are listed with their undo', async () => {
  const changes = await Server.create({ data: false, options: ['--tsd.http.ttl.allow_shorter=true'] });
  const post = (path, json) => fetch(changes.url + path, { method: 'POST', body: JSON.stringify(json),
    headers: { 'Content-Type': 'application/json', 'X-Requested-With': 'test' } });
  await changes.put([{ metric: 'old', timestamp: Math.floor(Date.now() / 1000), value: 1, tags: { host: 'a' } }]);
  assert.ok((await post('api/uid/rename', { metric: 'old', name: 'new' })).ok);
  assert.ok((await post('api/admin/ttl', { metric: 'new', ttl: 86400 })).ok);
  page = await browser.page(changes.url, '#v=server&tab=Deletes');
  await page.waitForSelector('text=metrics: old became new');
  await page.waitForSelector('text=TTL of new: that of the store became 24 h');
  await page.click('ul[aria-label="Other changes"] li:has-text("became new") button');
  await page.waitForSelector('text=metrics: old became new', { state: 'detached' });
  await page.click('ul[aria-label="Other changes"] button');
  await page.waitForSelector('ul[aria-label="Other changes"]', { state: 'detached' });
  const names = await (await fetch(`${changes.url}api/suggest?type=metrics`)).json();
  assert.deepEqual(names, ['old']);
  await changes.close();
});
