// People in two zones look at the same moments.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, Server, legend, settled } from './harness.mjs';

const METRIC = 'avg:aws.ec2.cpu_utilization{instance=*}';
let server;
let newYork;
let berlin;
let pages = [];

before(async () => {
  server = await Server.create();
  newYork = await Browser.create({ timezoneId: 'America/New_York' });
  berlin = await Browser.create({ timezoneId: 'Europe/Berlin' });
});
after(async () => {
  await newYork.close();
  await berlin.close();
  await server.close();
});
afterEach(async () => {
  for (const page of pages) {
    assert.deepEqual(page.errors, []);
    await page.close();
  }
  pages = [];
});

const open = async (browser, hash) => {
  const page = await browser.page(server.url, hash);
  pages.push(page);
  await settled(page);
  return page;
};
const label = (page) => page.innerText('.range summary');

test('a link shows the same moments in another zone, and names the zone', async () => {
  const sender = await open(newYork, `#start=2014/02/14&end=2014/02/28&m=${METRIC}`);
  assert.match(await label(sender), /^14 Feb 2014 00:00 – 28 Feb 00:00\s+America\/New_York$/);
  const box = await sender.locator('.u-over').boundingBox();
  await sender.mouse.move(box.x + 200, box.y + 50);
  await sender.mouse.down();
  await sender.mouse.move(box.x + 500, box.y + 50, { steps: 5 });
  const [asked] = await Promise.all([sender.waitForRequest('**/api/query?*'), sender.mouse.up()]);
  await settled(sender);

  const receiver = await berlin.context.newPage();
  pages.push(Object.assign(receiver, { errors: [] }));
  const [again] = await Promise.all([receiver.waitForRequest('**/api/query?*'), receiver.goto(sender.url())]);
  await settled(receiver);

  const range = (request) => ['start', 'end'].map((key) => Number(new URL(request.url()).searchParams.get(key)));
  assert.deepEqual(range(again), range(asked));
  assert.deepEqual(await legend(receiver), await legend(sender));
  assert.match(await label(receiver), /Europe\/Berlin$/);
});

test('a date in an address becomes a moment before it can be passed on', async () => {
  const page = await open(newYork, `#start=2014/02/14&end=2014/02/15&m=${METRIC}`);
  assert.match(page.url(), /start=1392354000&end=1392440400&/); // 05:00 UTC
});

test('what people paste as a time is understood', async () => {
  const page = await open(berlin, `#start=1h-ago&m=${METRIC}`);
  await page.click('.range summary');
  const from = page.locator('.range label:has-text("From") input');
  const to = page.locator('.range label:has-text("To") input');
  await from.fill('2014-02-14T10:00:00+01:00 – 2014-02-14T12:00:00Z');
  assert.deepEqual([await from.inputValue(), await to.inputValue()],
    ['2014-02-14T10:00:00+01:00', '2014-02-14T12:00:00Z']);
  assert.match(await page.innerText('.range form'), /2014-02-14 10:00:00[^]*2014-02-14 13:00:00/);
  await page.click('.range form button');
  await page.waitForFunction(() => location.hash.includes('start=1392368400&end=1392379200'));
  await page.click('.range summary');
  await from.fill('now-3h');
  await to.fill('now');
  await page.click('.range form button');
  await page.waitForFunction(() => /start=3h-ago&m/.test(location.hash));
  assert.match(await label(page), /^Last 3 hours/);
});

test('copies of a range that moves can be fixed', async () => {
  const page = await open(newYork, `#start=20y-ago&m=${METRIC}`);
  const text = async (what) => {
    await page.click('summary:has-text("Export")');
    await page.click(`.menu button:text-is("${what}")`);
    return page.inputValue('dialog textarea');
  };
  assert.match(await text('Copy the link, fixed to these times'), /#start=\d+&end=\d+&m=/);
  await page.keyboard.press('Escape');
  assert.match(await text('Copy the link that moves on'), /#start=20y-ago&m=/);
  await page.keyboard.press('Escape');
  assert.match(await text('Copy as command line'), /^hourcell query 20y-ago -m/);
  await page.check('dialog input[type=checkbox]');
  assert.match(await page.inputValue('dialog textarea'), /^hourcell query \d+ \d+ -m/);
});
