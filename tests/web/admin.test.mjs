import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, CPU, Server, settled, until } from './harness.mjs';

let server;
let browser;
let page;

before(async () => {
  server = await Server.create({ options: ['--tsd.stats.self_interval=1'] });
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

test('a region is split and merged from the picture', async () => {
  page = await browser.page(server.url, '#v=regions');
  await page.waitForSelector('.strip button');
  await page.click('.strip button');
  await page.fill('dialog input[type=number]', '3');
  await page.click('dialog button:has-text("Split")');
  await page.waitForFunction(() => document.querySelectorAll('.strip button').length >= 2);
  await page.waitForSelector('.events li');
  const count = await page.locator('.strip button').count();
  await page.click('.strip button >> nth=0');
  await page.click('dialog button:has-text("Merge with")');
  await page.waitForFunction((n) => document.querySelectorAll('.strip button').length === n - 1, count);
});

test("the server's own metrics are drawn without set-up", async () => {
  page = await browser.page(server.url, '#v=server');
  await page.waitForSelector('.health:not(.bad)');
  await until(async () => (await page.locator('.card .spark path.stroke').count()) >= 10, 'charts');
  await page.click('.tabs button:has-text("Queries")');
  await page.waitForSelector('tbody tr');
  await page.click('.tabs button:has-text("Jobs")');
  await page.click('button:text-is("Flush")');
  await page.waitForSelector('.jobs .chip.done');
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
  await page.click('.past a');
  await settled(page);
});
