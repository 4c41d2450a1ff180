// From a graph to the metrics of the same host that moved at the same time.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, Server, settled } from './harness.mjs';

const BEGIN = 1764000000; // 24 November 2025, 16:00 UTC
let server;
let browser;

// Two hours of minutes; the last hour of web07 differs.
const points = (metric, value, host = 'web07', more = {}) => Array.from({ length: 120 }, (_, m) => ({
  metric, timestamp: BEGIN + 60 * m, value: value(m), tags: { host, ...more } }));
const noise = (m) => Math.sin(m * 12.9898) / 2;

before(async () => {
  server = await Server.create({ data: false });
  await server.put([
    ...['web06', 'web07', 'web08'].flatMap((host) =>
      points('fleet.cpu.user', (m) => (m >= 60 && host === 'web07' ? 96 : 50) + noise(m), host)),
    ...points('fleet.cpu.iowait', (m) => (m < 60 ? 2 : 40) + noise(m)),
    ...points('fleet.disk.backup_running', (m) => (m < 60 ? 0 : 1)),
    ...points('fleet.disk.busy', (m) => (m < 60 ? 5 : 80) + noise(m), 'web07', { disk: 'sda' }),
    ...points('fleet.disk.busy', (m) => 5 + noise(m), 'web07', { disk: 'sdb' }),
    ...points('fleet.memory.used_percent', (m) => 70 + noise(m)),
    ...points('fleet.http.requests', (m) => (m < 90 ? 600 * m : 600 * (m - 90))), // is reset once
    ...points('fleet.cpu.iowait', (m) => (m < 60 ? 2 : 99), 'web06'),
  ]);
  browser = await Browser.create();
});
after(async () => {
  await browser.close();
  await server.close();
});

const GRAPH = `#start=${BEGIN + 3600}&end=${BEGIN + 7200}&m=avg:fleet.cpu.user{host=*}&tz=UTC`;
const rows = (page) => page.$$eval('.change:not(.axis)', (all) => all.map((row) => [
  row.querySelector('.main').innerText, row.querySelector('.number').innerText]));

test('a row of the legend leads to the metrics of its host that moved most', async () => {
  const page = await browser.page(server.url, GRAPH);
  await settled(page);
  await page.click('button[aria-label="What else changed with host=web07?"]');
  await page.waitForSelector('.change .main');
  assert.equal(await page.inputValue('select[aria-label="Tag"]'), 'host=web07');
  const found = await rows(page);
  assert.deepEqual(found[0], ['fleet.disk.backup_running', '0 → 1']);
  assert.deepEqual(found.slice(1, 4).map(([metric]) => metric).sort(),
    ['fleet.cpu.iowait', 'fleet.cpu.user', 'fleet.disk.busy']);
  assert.match(await page.innerText('.changes [role=status]'), /of 6 metrics, 7 series compared$/);
  assert.match(await page.innerText('.change:has-text("fleet.disk.busy") small'), /disk=sda\s+1 of 2 series moved/);
  assert.match(await page.innerText('.change.axis'), /16:00\s+17:00\s+18:00/);

  await page.click('.change .main:has-text("fleet.disk.busy")');
  // The graph may still show the query before when the click returns.
  await page.waitForFunction(() => /disk=sda/.test(document.querySelector('.legend')?.innerText));
  await settled(page);
  assert.equal((await rows(page)).length, found.length);
  await page.click('button[aria-label="Close what else changed"]');
  await page.waitForSelector('.changes', { state: 'detached' });
  assert.ok(!page.url().includes('moved='));
  assert.deepEqual([page.errors, page.foreign], [[], []]);
  await page.close();
});

test('a link keeps what else changed, and another tag can be chosen', async () => {
  const page = await browser.page(server.url, `${GRAPH}&moved=host=web06`);
  await page.waitForSelector('.change .main');
  assert.deepEqual((await rows(page))[0], ['fleet.cpu.iowait', '2 → 99']);
  await page.selectOption('select[aria-label="Tag"]', 'host=web08');
  await page.waitForFunction(() => /of 1 metric, 1 series/.test(document.querySelector('.changes')?.innerText));
  assert.ok(page.url().includes('moved=host=web08'));
  await page.close();
});

test('a range that was dragged is compared with the range before it', async () => {
  const page = await browser.page(server.url, GRAPH);
  await settled(page);
  await page.click('button:text-is("What else changed?")');
  await page.waitForSelector('.change .main');
  const box = await page.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /No metric moved/.test(document.querySelector('.changes')?.innerText));
  assert.match(await page.innerText('.changes [role=status]'), /series compared$/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('the pointer on one small chart marks its time on all', async () => {
  const page = await browser.page(server.url, `${GRAPH}&moved=host=web07`);
  await page.waitForSelector('.change .main');
  const chart = page.locator('.change .spark').nth(1);
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await page.waitForSelector('.change.axis .at');
  assert.equal(await page.innerText('.change.axis .at'), '16:30');
  const lines = await page.$$eval('.change:not(.axis)', (all) => all.map((row) => {
    const { content, left } = getComputedStyle(row, '::after');
    return content === 'none' ? NaN : row.getBoundingClientRect().left + parseFloat(left);
  }));
  assert.ok(lines.length > 2);
  for (const x of lines) assert.ok(Math.abs(x - (box.x + box.width / 4)) < 2, `${x}`);
  await page.mouse.move(box.x - 30, box.y);
  await page.waitForSelector('.change.axis .at', { state: 'detached' });
  assert.deepEqual(page.errors, []);
  await page.close();
});
