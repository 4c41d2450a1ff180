import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { Browser, CPU, Server, legend, settled, until } from './harness.mjs';

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
// No test leaves an error in the console, and none asks another host for anything.
afterEach(async () => {
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.foreign, []);
  await page.close();
});

const open = async (hash = CPU) => {
  page = await browser.page(server.url, hash);
  await settled(page);
};

test('a person finds, groups, zooms and shares a metric in six actions', async () => {
  page = await browser.page(server.url);
  await page.fill('input[type=search]', 'ec2cpu');                                         // 1
  await page.waitForSelector('.card .stale'); // the card links to the day of its last point
  await page.click('.card .main >> nth=0');                                                // 2
  await settled(page);
  await page.click('[aria-label="Add a tag"]');                                            // 3
  await page.click('[role=option]:has-text("instance")');                                  // 4
  await page.waitForFunction(() => location.hash.includes('instance=*'));
  await page.waitForSelector('.legend tbody tr');
  const box = await page.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
  await page.mouse.up();                                                                   // 5
  await page.waitForFunction(() => location.hash.includes('end='));
  const link = page.url();                                                                 // 6: copied
  const before = await legend(page);
  await page.goto('about:blank');
  await page.goto(link);
  await settled(page);
  assert.deepEqual((await legend(page)).map((row) => row[0]), before.map((row) => row[0]));
});

test('a long range is downsampled, says so, and can be seen in full', async () => {
  await open();
  assert.match(await page.innerText('.status'), /one point per 1h, with min–max band/);
  assert.equal((await legend(page))[0][5], '323');
  await page.click('text=all points');
  await page.waitForFunction(() => document.querySelector('.legend td:last-child')?.textContent.replace(/\D/g, '') === '3859');
});

test('a drag zooms, and the back button undoes it', async () => {
  await open();
  const before = page.url();
  const box = await page.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + 200, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 50, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((url) => location.href !== url, before);
  const day = (url) => new Date(1e3 * /start=(\d+)&/.exec(url)[1]).toISOString().slice(0, 10);
  assert.equal(day(page.url()), '2014-02-16');
  await page.goBack();
  await page.waitForFunction((url) => location.href === url, before);
  assert.equal(day(page.url()), '2014-02-14');
});

test('the crosshair reads all series', async () => {
  await open();
  await page.hover('.u-over', { position: { x: 500, y: 100 } });
  await page.waitForSelector('.tooltip:not([hidden])');
  assert.equal(await page.locator('.tooltip bdi').count(), 4);
});

test('the legend sorts, and a click shows one series alone', async () => {
  await open();
  await page.click('.legend button:has-text("max")');
  const rows = await legend(page);
  assert.match(rows[0][0], /fe7f93/);
  assert.equal(rows[0][3], '99.668 %');
  await page.click('.legend tbody tr:first-child button');
  await page.waitForFunction(() => document.querySelectorAll('.legend tr.off').length === 3);
  assert.match(page.url(), /solo=/);
});

test('form and text are in step, with the error at its character', async () => {
  await open();
  await page.click('button:has-text("m=")');
  const text = page.locator('[aria-label^="Query as text"]');
  assert.equal(await text.inputValue(), 'avg:aws.ec2.cpu_utilization{instance=*}');
  await page.selectOption('[aria-label=Aggregator]', 'sum');
  await page.waitForFunction(() => document.querySelector('[aria-label^="Query as text"]').value.startsWith('sum:'));
  await text.fill('sum:5x-avg:aws.ec2.cpu_utilization');
  assert.match(await page.locator('pre.caret').textContent(), /^ {4}\^+ want an interval/);
  await text.fill('max:rate:1d-max:aws.ec2.cpu_utilization');
  await page.waitForFunction(() => document.querySelector('[aria-label=Aggregator]').value === 'max');
  assert.equal(await page.inputValue('[aria-label="Downsample interval"]'), '1d');
  assert.equal(await page.inputValue('[aria-label="Value or rate"]'), 'rate');
  await settled(page);
});

for (const style of ['line', 'area', 'stacked', 'points', 'bars']) {
  test(`draws as ${style}`, async () => {
    await open(`${CPU}&style=${style}&ylog&unit=percent`);
    const colored = await page.$eval('.u-wrap canvas', (canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - data[i + 2]) > 60 && data[i + 3] > 100) ++count;
      return count;
    });
    assert.ok(colored > 200, `${colored} coloured pixels`);
  });
}

test('two queries, one on the right axis', async () => {
  await open(`${CPU}&m=sum:aws.elb.request_count&o=&o=axis x1y2&y2label=requests`);
  assert.equal(await page.locator('.line').count(), 2);
  await page.click('[aria-label="Hide query A"]');
  await page.waitForFunction(() => location.hash.includes('hide=0'));
});

test("OpenTSDB's old links are the same graph", async () => {
  await open('#start=2014/02/14-00:00:00&end=2014/02/28-00:00:00&m=max:6h-max:aws.ec2.cpu_utilization' +
    '%7Binstance=fe7f93%7D&o=axis%20x1y2&yrange=%5B0:%5D&wxh=800x600&key=out%20right&tz=UTC');
  const rows = await legend(page);
  assert.equal(rows.length, 1);
  assert.equal(rows[0][3], '99.668 %');
});

test('table, stored points and JSON', async () => {
  await open(`${CPU}&show=table`);
  assert.ok(await page.locator('.values tbody tr').count() > 300);
  await page.click('button:has-text("Raw points")');
  await page.waitForFunction(() => /15 436 points of 4 series/.test(document.body.innerText.replace(/\s/g, ' ')));
  await page.click('.tabs button:has-text("JSON")');
  await page.waitForFunction(() => document.querySelector('.json')?.textContent.includes('"aggregateTags"'));
});

test('CSV, JSON, PNG and SVG are saved', async () => {
  await open();
  const saved = async (what) => {
    await page.click('summary:has-text("Export")');
    const [file] = await Promise.all([page.waitForEvent('download'),
      page.click(`.menu button:text-is("${what}")`)]);
    return readFileSync(await file.path());
  };
  const csv = (await saved('CSV')).toString().split('\r\n');
  assert.equal(csv.length, 325);
  assert.match(csv[0], /^time,aws\.ec2\.cpu_utilization\{instance=/);
  assert.ok(JSON.parse((await saved('JSON')).toString()).length >= 4);
  assert.deepEqual([...(await saved('PNG')).subarray(1, 4)], [...Buffer.from('PNG')]);
  assert.match((await saved('SVG')).toString(), /^<svg [^]*<path [^]*<\/svg>/);
});

test('the query is copied in other words', async () => {
  await open();
  for (const [what, want] of [['Copy as curl', /^curl -G http.*m=avg:1h-avg-none/],
    ['Copy as OpenTSDB JSON', /"groupBy": true/], ['Copy as m=', /^m=avg:/],
    ['Copy as command line', /^hourcell query 1392336000 1393545600/]]) {
    await page.click('summary:has-text("Export")');
    await page.click(`.menu button:text-is("${what}")`);
    assert.match(await page.inputValue('dialog textarea'), want);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  }
});

test('notes are made, shown, changed and removed', async () => {
  await open();
  await page.click('text=Add a note');
  await page.fill('dialog input >> nth=0', '2014/02/20-12:00:00');
  await page.fill('dialog input >> nth=1', 'Deploy <b>1.2</b>');
  await page.click('dialog button:has-text("Save")');
  const note = page.locator('button.note');
  await note.waitFor();
  assert.equal(await note.getAttribute('title'), 'Deploy <b>1.2</b>');
  await note.click();
  await page.fill('dialog textarea', 'went well');
  await Promise.all([page.waitForResponse('**/api/query?*'), page.click('dialog button:has-text("Save")')]);
  await settled(page);
  await note.click();
  assert.equal(await page.inputValue('dialog textarea'), 'went well');
  await page.click('dialog button:has-text("Remove")');
  await note.waitFor({ state: 'detached' });
});

test('by keyboard alone: pick a metric, group, zoom', async () => {
  page = await browser.page(server.url, '#v=graph&start=2014/02/14&end=2014/02/28');
  await page.focus('[aria-label=Metric]');
  await page.keyboard.type('ec2.cpu');
  await page.waitForSelector('[role=option]');
  await page.keyboard.press('Enter');
  await settled(page);
  await page.focus('[aria-label="Add a tag"]');
  await page.keyboard.type('inst');
  await page.waitForSelector('[role=option]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.legend tbody tr').length === 4);
  await page.focus('.chart');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.tooltip:not([hidden])');
  await page.keyboard.press('+');
  await page.waitForFunction(() => /start=13925952|start=13926/.test(location.hash));
});

test('a new keystroke ends the query before', async () => {
  await open();
  let ended = 0;
  await page.route('**/api/query?*', async (route) => {
    await new Promise((done) => setTimeout(done, 600));
    await route.continue().catch(() => ++ended);
  });
  page.on('requestfailed', (request) => request.url().includes('/api/query?') && ++ended);
  await page.selectOption('[aria-label=Aggregator]', 'sum');
  await page.waitForTimeout(400);
  await page.selectOption('[aria-label=Aggregator]', 'max');
  await until(() => ended > 0, 'the first query is ended');
  await settled(page);
});

test('refresh asks again', async () => {
  await open(`${CPU}&autoreload=1`);
  let count = 0;
  page.on('request', (request) => request.url().includes('/api/query?') && ++count);
  await until(() => count >= 2, 'two more queries');
});

test('the box at the crosshair stays over a refresh, and a click pins its values, which are copied', async () => {
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(`${CPU}&autoreload=5`);
  const box = await page.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.waitForSelector('.tooltip:not([hidden])');
  await page.evaluate(() => document.querySelector('.tooltip').classList.add('before'));
  await page.waitForSelector('.tooltip:not([hidden]):not(.before)'); // of the next answer
  const time = await page.innerText('.tooltip b');
  await page.mouse.down();
  await page.mouse.up();
  const pinned = page.locator('[aria-label="Pinned values"]');
  assert.equal(await pinned.locator('h2').innerText(), time);
  assert.equal(await pinned.locator('bdi').count(), 4);
  await page.mouse.move(box.x + box.width / 4, box.y + 60);
  await pinned.locator('button:text-is("Copy")').click();
  await pinned.locator('button:text-is("Copied")').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, new RegExp(`^${time}(\\n\\S.*\\t[\\d.]+ ?%){4}$`));
  await pinned.locator('button[aria-label=Unpin]').click();
  await pinned.waitFor({ state: 'detached' });
});

test('on a phone the chart comes before the form; a finger zooms, two fingers stretch', async (t) => {
  const phone = await Browser.create({ viewport: { width: 390, height: 844 }, hasTouch: true });
  t.after(() => phone.close());
  page = await phone.page(server.url, CPU);
  await settled(page);
  const chart = await page.locator('.chart').boundingBox();
  const form = await page.locator('.editor').boundingBox();
  const rows = await page.locator('.legend').boundingBox();
  assert.ok(chart.y < 500 && chart.y < form.y && form.y < rows.y, `${chart.y}, ${form.y}, ${rows.y}`);
  const range = () => page.evaluate(() => ['start', 'end'].map((word) => Number(new URLSearchParams(location.hash.slice(1)).get(word))));
  const { x, y, width } = await page.locator('.u-over').boundingBox();
  await page.touchscreen.tap(x + width / 2, y + 80);
  const box = await page.locator('.tooltip').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390, `${box.x}, ${box.width}`);
  await page.click('button[aria-label=Unpin]'); // a tap pins, too
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...parts) => client.send('Input.dispatchTouchEvent', { type,
    touchPoints: parts.map((part, id) => ({ x: x + width * part, y: y + 80, id })) });
  const [start, end] = await range();
  await touch('touchStart', 0.25);
  for (const part of [0.35, 0.5, 0.65, 0.75]) await touch('touchMove', part);
  await touch('touchEnd');
  await page.waitForFunction((old) => !location.hash.includes(`start=${old}&`), start);
  const [from, to] = await range();
  assert.ok(Math.abs((to - from) / (end - start) - 0.5) < 0.05, `${from} to ${to}`);
  await settled(page);
  await touch('touchStart', 0.4, 0.6);
  for (const by of [0.05, 0.1]) await touch('touchMove', 0.4 - by, 0.6 + by);
  await touch('touchEnd');
  await page.waitForFunction((old) => !location.hash.includes(`start=${old}&`), from);
  const [first, last] = await range();
  assert.ok(Math.abs((last - first) / (to - from) - 0.5) < 0.05, `${first} to ${last}`);
});

test('of many queries, each is one line until it is clicked', async () => {
  await open(`${CPU}${'&m=avg:aws.ec2.cpu_utilization'.repeat(5)}`);
  assert.equal(await page.locator('.editor input[aria-label=Metric]').count(), 0);
  await page.click('.editor .line >> nth=2 >> .link');
  assert.equal(await page.locator('.editor input[aria-label=Metric]').count(), 1);
});
