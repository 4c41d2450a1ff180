// The page shows what is stored: holes, numbers that are nearly equal, large integers, answers that fail.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, Server, legend, settled, until } from './harness.mjs';

const BEGIN = 1764000000; // 24 November 2025, 16:00 UTC
let server;
let browser;
let page;

const point = (metric, minute, value, host = 'a') => ({ metric, timestamp: BEGIN + 60 * minute, value, tags: { host } });
const minutes = (count, from = 0) => Array.from({ length: count }, (_, i) => from + i);

before(async () => {
  server = await Server.create({ data: false });
  await server.put([
    // An hour of points, 90 minutes of none, half an hour of points.
    ...[...minutes(60), ...minutes(30, 150)].map((m) => point('edge.gap', m, m)),
    ...minutes(60).map((m) => point('edge.near', m, 1_700_000_000 + m)),
    ...minutes(60).map((m) => point('edge.exact', m, String(9223372036854775000n + 10n * BigInt(m)))),
    ...minutes(60).map((m) => point('edge.counter', m, m < 30 ? 1e6 + 600 * m : 600 * (m - 30))), // is reset once
    ...['a', 'b', 'c'].flatMap((host) => minutes(60).map((m) => point('sys.memory.used_percent', m, 50 + m / 60, host))),
    ...minutes(60).map((m) => point('edge.huge', m, (m + 1) * 1e300)),
  ]);
  browser = await Browser.create({ timezoneId: 'Asia/Kolkata' });
});
after(async () => {
  await browser.close();
  await server.close();
});
let errors; // that a test causes on purpose
afterEach(async () => {
  assert.deepEqual(page.errors.filter((text) => !errors?.test(text)), []);
  errors = undefined;
  await page.close();
});

const open = async (query, { more = '', hours = 3 } = {}) => {
  page = await browser.page(server.url, `#start=${BEGIN - 60}&end=${BEGIN + hours * 3600}&m=${query}${more}`);
  await settled(page);
};
// The share of the columns of pixels between two minutes in which there is a line.
const drawn = (from, to, hours = 3) => page.$eval('.u-wrap canvas', (canvas, [a, b]) => {
  const { left, width, top, height } = (() => {
    const over = document.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    return { left: (over.left - box.left) * ratio, width: over.width * ratio, top: (over.top - box.top) * ratio,
      height: over.height * ratio };
  })();
  const [first, last] = [a, b].map((part) => Math.round(left + part * width));
  const { data } = canvas.getContext('2d').getImageData(first, top, last - first, height);
  const columns = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - data[i + 2]) > 60 && data[i + 3] > 100) columns.add((i / 4) % (last - first));
  }
  return columns.size / (last - first);
}, [from, to].map((minute) => (minute + 1) / (hours * 60 + 1)));
// The texts of the axis of values, which is drawn by canvas.
const ticks = async (query) => {
  page = await browser.page('about:blank');
  await page.addInitScript(() => {
    globalThis.drawnTexts = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      globalThis.drawnTexts.push(text);
      return fillText.call(this, text, ...rest);
    };
  });
  await page.goto(`${server.url}#start=${BEGIN}&end=${BEGIN + 3600}&m=${query}`);
  await settled(page);
  await page.waitForSelector('.legend tbody tr');
  const texts = await page.evaluate(() => globalThis.drawnTexts);
  return [...new Set(texts.filter((text) => !text.includes(':') && !/^\d{4}-/.test(text)))];
};

test('a hole in the data is a hole in the line', async () => {
  await open('avg:edge.gap');
  assert.ok(await drawn(2, 57) > 0.95);
  assert.equal(await drawn(62, 148), 0);
  assert.ok(await drawn(152, 177) > 0.95);
  await page.click('summary:has-text("Axes")');
  await page.check('label:has-text("lines across holes") input');
  await page.waitForFunction(() => location.hash.includes('connect'));
  assert.ok(await drawn(62, 148) > 0.95);
});

test('a hole in one series is a hole beside another', async () => {
  await open('avg:edge.gap', { more: '&m=avg:edge.near&hide=1' });
  await page.hover('.u-over', { position: { x: (await page.locator('.u-over').boundingBox()).width * 0.6, y: 50 } });
  await page.waitForSelector('.tooltip:not([hidden])');
  assert.match(await page.innerText('.tooltip'), /no point here/);
});

test('numbers of an axis differ, and the legend tells values apart', async () => {
  const near = (await ticks('avg:edge.near')).filter((text) => text.endsWith(' G'));
  assert.ok(near.length >= 4, near.join());
  const [[, last, min, max]] = await legend(page);
  assert.deepEqual([last, min, max], ['1.700000059 G', '1.7 G', '1.700000059 G']);
  await page.close();
  const huge = (await ticks('avg:edge.huge')).filter((text) => text.includes('e+301'));
  assert.ok(huge.length >= 4, huge.join());
  assert.equal((await legend(page))[0][1], '6e+301');
});

test('the last picture stays while the server does not answer, with its time', async () => {
  errors = /ERR_|503/;
  await open('avg:edge.gap', { more: '&autoreload=1' });
  const rows = await legend(page);
  await page.route('**/api/query?*', (route) => route.fulfill({ status: 503, body: '{"error":{"message":"busy"}}' }));
  await page.waitForSelector('.graph.old');
  assert.match(await page.innerText('.status'), /As of \d\d:\d\d:\d\d/);
  assert.match(await page.innerText('.problem'), /The server is busy/);
  assert.deepEqual(await legend(page), rows);
  assert.ok(await drawn(2, 57) > 0.95);
  await page.unroute('**/api/query?*');
  await page.waitForSelector('.graph:not(.old)');

  await server.stop();
  await page.waitForSelector('.graph.old');
  assert.deepEqual(await legend(page), rows);
  await server.start();
  await page.waitForSelector('.graph:not(.old)');
  await until(async () => await page.locator('.problem').count() === 0, 'the error is gone');
});

test('an answer of another query is not kept', async () => {
  errors = /503/;
  await open('avg:edge.gap');
  await page.route('**/api/query?*', (route) => route.fulfill({ status: 503, body: '{"error":{"message":"busy"}}' }));
  await page.selectOption('[aria-label=Aggregator]', 'sum');
  await page.waitForSelector('.problem');
  assert.equal(await page.locator('.legend tbody tr').count(), 0);
});

test('stored points, table, JSON and CSV have integers in full', async () => {
  await open('none:edge.exact', { more: '&show=raw&auto=0', hours: 1 });
  assert.match(await page.innerText('[aria-label="Stored points"] pre'), /9223372036854775000[^]*9223372036854775590/);
  for (const [tab, part] of [['Table', '.values'], ['JSON', '.json']]) {
    await page.click(`.tabs button:text-is("${tab}")`);
    await page.waitForFunction((at) => document.querySelector(at)?.textContent.includes('9223372036854775590'), part);
  }
});

test('equal queries are one answer, and each line has its own', async () => {
  const rate = 'sum:rate:edge.near';
  await open(rate, { more: `&o=&m=${rate}&o=axis x1y2&m=avg:edge.gap&o=` });
  const rows = (await legend(page)).map(([name, , min]) => [name.replace(/\s+/g, ' '), min]);
  assert.deepEqual(rows.map(([name]) => name), ['A edge.near{host=a}', 'B edge.near{host=a} #2', 'C edge.gap{host=a}']);
  assert.equal(rows[2][1], '0');
  await page.click('[aria-label="Hide query C"]');
  await page.click('.tabs button:text-is("Table")');
  await page.waitForFunction(() => document.querySelectorAll('.values thead th').length === 3);
});

test('a query that is added is drawn, also if one series was shown alone', async () => {
  await open('avg:sys.memory.used_percent{host=*}');
  await page.click('.legend tbody tr:first-child button');
  await page.waitForSelector('.chip:has-text("only 1 of 3 shown")');
  await page.click('[aria-label="Show all series"]');
  await page.waitForFunction(() => !location.hash.includes('solo='));
  await page.click('.legend tbody tr:first-child button');
  await page.click('text=+ Add a query');
  await page.fill('[aria-label="Query B"] [aria-label=Metric]', 'edge.gap');
  await page.waitForSelector('[role=option]:has-text("edge.gap")');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.legend tbody tr').length === 4);
  assert.equal(await page.locator('.legend tr.off').count(), 0);
  assert.match(await page.getAttribute('.chart', 'aria-label'), /^Graph of 4 series/);
});

test('a rate of a counter has no spike where it was reset, and is per second', async () => {
  await open('sum:edge.counter');
  await page.selectOption('[aria-label="Value or rate"]', { label: 'rate of a counter' });
  await page.waitForFunction(() => location.hash.includes('rate{dropcounter}'));
  await page.waitForFunction(() => /10 \/s/.test(document.querySelector('.legend tbody td:nth-child(4)')?.textContent));
});

test('each line and axis has its unit', async () => {
  await open('avg:sys.memory.used_percent', { more: '&o=&m=avg:edge.gap&o=axis x1y2' });
  const [[, percent], [, plain]] = await legend(page);
  assert.match(percent, / %$/);
  assert.match(plain, /\d$/);
});

test('small charts and look-ups do not fill the list of queries', async () => {
  page = await browser.page(server.url);
  await page.waitForSelector('.card .stale');
  await page.waitForTimeout(500);
  const { completed } = await (await fetch(`${server.url}api/stats/query`)).json();
  assert.deepEqual(completed.filter(({ query }) => query.type === 'SUGGEST' || query.type === 'LOOKUP').map(({ query }) => query), []);
  await page.goto(`${server.url}#start=${BEGIN}&end=${BEGIN + 60}&m=sum:edge.gap`);
  await settled(page);
  const after = await (await fetch(`${server.url}api/stats/query`)).json();
  assert.equal(after.completed[0].query.queries[0].metric, 'edge.gap');
});

test('an earlier range is drawn on the times of the present one, with the difference as a column', async () => {
  // The second hour of three against the first: 60 minutes higher.
  page = await browser.page(server.url, `#start=${BEGIN + 9000}&end=${BEGIN + 10740}&m=avg:edge.gap&compare=150m`);
  await settled(page);
  const heads = await page.$$eval('.legend thead th', (cells) => cells.map((cell) => cell.textContent.trim()));
  assert.deepEqual(heads.slice(-2), ['avg before', 'change']);
  const [row] = await legend(page);
  assert.match(row[row.length - 1], /^\+150 \(\+1034 %\)$/);
  assert.match(await page.getAttribute('.chart', 'aria-label'), /^Graph of 2 series/);
  await page.selectOption('[aria-label="Compare with"]', { label: 'a week before' });
  await page.waitForFunction(() => location.hash.includes('compare=1w'));
  await page.waitForFunction(() => document.querySelectorAll('.legend thead th').length === 6);
});

test('a threshold is a line, and the axis has room for it', async () => {
  await open('avg:edge.gap', { more: '&threshold=5000' });
  const red = await page.$eval('.u-wrap canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] < 60 && data[i + 2] < 60) ++count;
    return count;
  });
  assert.ok(red > 300, `${red} red pixels`);
});
