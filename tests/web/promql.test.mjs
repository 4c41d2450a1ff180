// Queries in PromQL: completion, both languages in one graph, files, saved views, and faults.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser, CPU, Server, legend, settled, until } from './harness.mjs';

const EXPRESSION = 'max by (instance) (aws_ec2_cpu_utilization{instance=~".+"})';
const FIELD = '[aria-label="PromQL of query B"]';

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

const both = `${CPU}&promql=${encodeURIComponent(EXPRESSION)}&o=`;
const completions = () => page.locator('.promql [role=option]').allInnerTexts();

test('metrics, functions, labels and values are completed with the keyboard', async () => {
  page = await browser.page(server.url, CPU);
  await settled(page);
  await page.click('text=+ Add PromQL');
  await page.locator(FIELD).pressSequentially('max by (instance) (ec2_cpu');
  await until(async () => (await completions()).includes('aws_ec2_cpu_utilization'), 'the metric is offered');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator(FIELD).pressSequentially('{inst');
  await until(async () => (await completions()).includes('instance'), 'the label is offered');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator(FIELD).pressSequentially('=~"24');
  await until(async () => (await completions()).join() === '24ae8d', 'the value is offered');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator(FIELD).pressSequentially('"})');
  await settled(page);
  assert.equal(await page.inputValue(FIELD), 'max by (instance) (aws_ec2_cpu_utilization{instance=~"24ae8d"})');
  await until(async () => (await legend(page)).length === 5, 'four series of m=, and one of PromQL');
  await page.locator(FIELD).fill('quantile_over');
  await until(async () => (await completions())[0] === 'quantile_over_time', 'the function is offered');
  await page.keyboard.press('Escape');
  await page.locator(FIELD).fill(EXPRESSION);
  await settled(page);
});

test('both languages draw the same points in one graph', async () => {
  page = await browser.page(server.url, both.replace('avg:aws', 'max:1h-last-none:aws'));
  await settled(page);
  const rows = await legend(page);
  assert.equal(rows.length, 8);
  assert.match(await page.innerText('.status'), /PromQL every 60 min/);
  assert.match(rows[4][0], /B\s*\{instance=/);
  await page.click('text=Table');
  await page.waitForSelector('table.values');
  assert.match(await page.innerText('table.values thead'), /\{instance=24ae8d\}/);
  await page.click('button:text-is("Explain")');
  await page.waitForSelector('text=Queries in PromQL are not among these.');
  await page.click('button:text-is("Graph")');
});

test('a command for curl asks for the same steps', async () => {
  page = await browser.page(server.url, both);
  await settled(page);
  await page.click('summary:has-text("Export")');
  await page.click('text=Copy PromQL as curl');
  const command = await page.inputValue('dialog textarea');
  const words = [...command.matchAll(/--data-urlencode '?(\w+)=([^ ]+|.*?')(?= --|$)/g)].map((found) => found[1]);
  assert.deepEqual(words, ['query', 'start', 'end', 'step']);
  assert.match(command, /step=3600$/);
});

test('a graph with both languages is saved and drawn as a view', async () => {
  page = await browser.page(server.url, both);
  await settled(page);
  await page.click('text=Save…');
  await page.fill('dialog input[required]', 'Both');
  await page.click('dialog .primary');
  await until(async () => (await fetch(`${server.url}api/views/Both`)).ok, 'the view is stored');
  const { graphs } = await (await fetch(`${server.url}api/views/Both`)).json();
  assert.deepEqual(graphs[0].queries[1], { promql: EXPRESSION });
  await page.goto(`${server.url}#v=views&saved=Both&start=1392336000&end=1393545600`);
  await until(async () => (await page.locator('.keys > span').count()) === 8, 'the view draws all series');
});

test('a wrong expression is named with its place, and an open bracket before it is sent', async () => {
  page = await browser.page(server.url, both);
  await settled(page);
  await page.locator(FIELD).fill('sum(rate(up))');
  await page.waitForSelector('.problem');
  assert.equal(await page.innerText('.problem'), '1:10: parse error: expected type range vector in call to function "rate", got instant vector');
  // The browser notes each answer that is an error.
  assert.match(page.errors.splice(0).join(), /^(Failed to load resource: [^,]*400[^,]*,?)+$/);
  assert.equal(await page.locator('.legend tbody tr').count(), 0, 'an answer to another question would mislead');
  await page.locator(FIELD).fill('sum(');
  await page.waitForSelector('text=A quote or a bracket is open.');
  await page.locator(FIELD).fill(EXPRESSION);
  await settled(page);
  assert.equal(await page.locator('.problem').count(), 0);
});
