// Every view: for those who cannot see it, in the dark, on a phone, and under a path prefix.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { after, before, test } from 'node:test';
import { Browser, CPU, Server, axePath, legend, settled } from './harness.mjs';
import { standInLab, standInLoads } from './stand_in.mjs';

let server;
let browser;

before(async () => {
  server = await Server.create({ options: ['--tsd.stats.self_interval=1', '--tsd.http.query.allow_delete=true'] });
  browser = await Browser.create();
  await fetch(`${server.url}api/views/AWS`, { method: 'PUT', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ version: 1, title: 'AWS', graphs: [{ title: 'CPU', queries: ['avg:aws.ec2.cpu_utilization{instance=*}'] }] }) });
});
after(async () => {
  await browser.close();
  await server.close();
});

const VIEWS = {
  metrics: '#', metric: '#metric=twitter.mentions&tag=symbol', graph: CPU, table: `${CPU}&show=table`,
  compare: `${CPU}&compare=1w&threshold=50`, raw: `${CPU}&show=raw`, json: `${CPU}&show=json`, explain: `${CPU}&show=explain`,
  changes: `${CPU}&moved=instance=*`, views: '#v=views',
  dashboard: '#v=views&saved=AWS&start=2014/02/14&end=2014/02/28&tz=UTC', cardinality: '#v=cardinality',
  regions: '#v=regions', lab: '#v=lab', server: '#v=server',
};

async function open(hash, name) {
  const page = await browser.page('about:blank');
  await standInLoads(page);
  await standInLab(page);
  return { page, show: async () => {
    await page.goto(server.url + hash);
    if (name !== 'lab') return;
    await page.click('button:text-is("Simulate")');
    await page.waitForSelector('.results canvas >> nth=2');
  } };
}

async function faults(page) {
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' | ')}`);
}

for (const [name, hash] of Object.entries(VIEWS)) {
  test(`axe finds nothing in ${name}, light or dark, and it fits a phone`, async () => {
    const { page, show } = await open(hash, name);
    await show();
    await page.waitForTimeout(900);
    await page.evaluate(readFileSync(axePath, 'utf8'));
    assert.deepEqual(await faults(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector(':root[data-theme=dark]');
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 375, height: 740 });
    await page.waitForTimeout(300);
    const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= screen, `${content} px wide on ${screen}`);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
}

// Dialogs: [where, clicks that open it].
const OPENED = {
  'delete points': ['#metric=twitter.mentions', ['summary:text-is("Change")', 'button:text-is("Delete points…")']],
  rename: ['#metric=twitter.mentions', ['summary:text-is("Change")', 'button:text-is("Rename…")']],
  'remove a name': ['#metric=twitter.mentions', ['summary:text-is("Change")', 'button:text-is("Remove the name…")']],
  'save a view': [CPU, ['button:has-text("Save")']],
  'delete a view': ['#v=views&saved=AWS', ['button:text-is("Delete…")']],
  'edit a view': ['#v=views&saved=AWS', ['button:text-is("Edit as text")']],
  region: ['#v=regions', ['.strip button >> nth=0']],
};

for (const [name, [hash, clicks]] of Object.entries(OPENED)) {
  test(`axe finds nothing in the dialog: ${name}, light or dark, and it fits a phone`, async () => {
    const { page, show } = await open(hash, name);
    await show();
    for (const click of clicks) await page.locator(click).first().click();
    await page.waitForSelector('dialog[open]');
    await page.waitForTimeout(500);
    await page.evaluate(readFileSync(axePath, 'utf8'));
    assert.deepEqual(await faults(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector(':root[data-theme=dark]');
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 375, height: 740 });
    await page.waitForTimeout(300);
    const { left, right, scrolls } = await page.evaluate(() => {
      const dialog = document.querySelector('dialog[open]');
      return { ...dialog.getBoundingClientRect().toJSON(), scrolls: dialog.scrollWidth > dialog.clientWidth };
    });
    assert.ok(left >= 0 && right <= 375 && !scrolls, `${left} to ${right}, scrolls: ${scrolls}`);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
}

test('works under a path prefix, and over a slow network', async () => {
  const proxy = createServer((asked, answer) => {
    if (!asked.url.startsWith('/tools/tsd/')) return answer.writeHead(404).end();
    setTimeout(() => asked.pipe(request({ port: server.port, method: asked.method, headers: asked.headers,
      path: asked.url.slice('/tools/tsd'.length) }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    }).on('error', () => answer.destroy())), 300);
  });
  await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
  const page = await browser.page(`http://127.0.0.1:${proxy.address().port}/tools/tsd/`, CPU);
  await settled(page);
  assert.equal((await legend(page)).length, 4);
  assert.deepEqual(page.errors, []);
  await page.close();
  proxy.closeAllConnections();
  proxy.close();
});
