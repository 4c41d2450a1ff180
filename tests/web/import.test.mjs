// Points that come through the page: a file that is dropped on it, one that is chosen, samples.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Browser, Server, legend, settled } from './harness.mjs';

let server;
let browser;
let page;

before(async () => {
  server = await Server.create({ data: false });
  browser = await Browser.create();
});
after(async () => {
  await browser.close();
  await server.close();
});
afterEach(() => page.close());

const lines = (metric, count) => Array.from({ length: count }, (_, i) =>
  `put ${metric} ${1356998400 + i} ${i % 100} host=web0${i % 4}`).join('\n');

const choose = async (name, bytes) => {
  await page.click('summary:has-text("Add data")');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('button:has-text("Import a file")')]);
  await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
};

test('sample data is loaded by a button, and drawn', async () => {
  page = await browser.page(server.url);
  await page.waitForSelector('text=There are no metrics yet');
  await page.click('summary:has-text("Add data")');
  await page.click('button:has-text("Load sample data")');
  await page.waitForSelector('.chart canvas');
  await settled(page);
  assert.equal((await legend(page)).length, 4);
  assert.match(await page.locator('h1').innerText(), /made up/);
  assert.deepEqual(page.errors, []);
});

test('a file that is dropped is imported, and its metric is drawn', async () => {
  page = await browser.page(server.url);
  await page.waitForSelector('.card');
  const bytes = [...gzipSync(lines('dropped.metric', 12_000))];
  const drag = await page.evaluateHandle((data) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(data)], 'points.gz'));
    return transfer;
  }, bytes);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: drag });
  await page.waitForSelector('.drop');
  await page.dispatchEvent('body', 'drop', { dataTransfer: drag });
  await page.waitForSelector('dialog >> text=/12\\D000 points stored/');
  await page.click('dialog button:has-text("Draw dropped.metric")');
  await settled(page);
  assert.equal((await legend(page)).length, 1);
  assert.deepEqual(page.errors, []);
});

test('lines that are refused are told in words, and the others are stored', async () => {
  page = await browser.page(server.url);
  await choose('points.txt', `${lines('told.metric', 3)}\nput told.metric noon 1 host=a\nput told.metric 1356998400 x host=a`);
  await page.waitForSelector('dialog >> text=3 points stored, 2 refused');
  const told = await page.locator('.faults').innerText();
  assert.match(told, /Line 4: noon is no time/);
  assert.match(told, /told\.metric 1356998400 x: .*value/);
});

test('a damaged file says so', async () => {
  page = await browser.page(server.url);
  await choose('points.gz', gzipSync(lines('damaged.metric', 100)).subarray(0, 60));
  await page.waitForSelector('dialog .problem >> text=damaged');
});

test('a long import shows how far it is, and can be cancelled', async () => {
  page = await browser.page(server.url);
  let held;
  let asked = 0;
  // The second batch stays on its way until the import is cancelled.
  await page.route('**/api/put?*', (route) => (++asked === 2 ? void (held = route) : route.continue()));
  await choose('points.txt', lines('long.metric', 20_000));
  await page.waitForSelector('dialog >> text=/5\\D000 points stored/');
  assert.match(await page.locator('dialog [role=status]').innerText(), /KiB of .* KiB/);
  assert.match(await page.locator('dialog [role=status]').innerText(), /points\/s, .* left\./);
  // Escape asks first.
  const [question] = await Promise.all([page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss();
    return dialog.message();
  }), page.keyboard.press('Escape')]);
  assert.match(question, /Stop the import/);
  assert.ok(await page.isVisible('dialog'));
  await page.click('dialog button:text-is("Cancel")');
  await page.waitForSelector('dialog >> text=/Stopped. 5\\D000 points stored/');
  assert.equal(asked, 2);
  await held.abort().catch(() => {});
});

test('the bar of a compressed file is as far as its points', async () => {
  page = await browser.page(server.url);
  let held;
  let asked = 0;
  await page.route('**/api/put?*', (route) => (++asked === 2 ? void (held = route) : route.continue()));
  await choose('points.gz', gzipSync(lines('packed.metric', 60_000)));
  await page.waitForSelector('dialog >> text=/5\\D000 points stored/');
  const width = await page.locator('dialog .bar span').evaluate((bar) => Number.parseFloat(bar.style.width));
  assert.ok(width > 3 && width < 25, `${width} % after a twelfth`);
  await page.click('dialog button:text-is("Cancel")');
  await held.abort().catch(() => {});
});
