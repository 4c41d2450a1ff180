import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser, CPU, Server, legend, settled } from './harness.mjs';

let server;
let browser;

before(async () => {
  server = await Server.create({ users: [['root', 'admin'], ['reader', 'read'], ['editor', 'read+write']] });
  browser = await Browser.create();
});
after(async () => {
  await browser.close();
  await server.close();
});

async function signedIn(user, hash = CPU) {
  const page = await browser.page(server.url, hash);
  await page.waitForSelector('dialog');
  await page.fill('dialog input[autocomplete=username]', user);
  await page.fill('dialog input[type=password]', `${user}-secret`);
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog', { state: 'detached' });
  return page;
}

test('the page asks who the user is, and says when that is wrong', async () => {
  const page = await browser.page(server.url, CPU);
  await page.waitForSelector('dialog');
  await page.fill('dialog input[autocomplete=username]', 'root');
  await page.fill('dialog input[type=password]', 'wrong');
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog .problem');
  await page.close();
});

test('a reader sees data, and nothing that changes it', async () => {
  const page = await signedIn('reader');
  await settled(page);
  assert.equal((await legend(page)).length, 4);
  assert.equal(await page.locator('text=Add a note').count(), 0);
  assert.equal(await page.locator('nav a:has-text("Regions")').count(), 0);
  await page.click('nav a:has-text("Server")');
  await page.waitForSelector('.card');
  assert.equal(await page.locator('.tabs button:has-text("Settings")').count(), 0);
  await page.close();
});

test('the page asks for nothing that a reader is refused', async () => {
  const page = await signedIn('reader');
  const refused = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(response.url());
  });
  await page.reload();
  await settled(page);
  assert.deepEqual(refused, []);
  await page.close();
});

test('an editor may add notes, an admin sees regions; signing out ends it', async () => {
  const editor = await signedIn('editor');
  await editor.waitForSelector('text=Add a note');
  await editor.close();
  const admin = await signedIn('root');
  await admin.waitForSelector('nav a:has-text("Regions")');
  await admin.click('text=Sign out');
  await admin.waitForSelector('dialog');
  await admin.close();
});

test('a token signs in, too, and is kept for the tab', async () => {
  const page = await browser.page(server.url, CPU);
  await page.waitForSelector('dialog');
  await page.fill('dialog input[type=password]', 'root.root-secret');
  await page.click('dialog button.primary');
  await settled(page);
  await page.reload();
  await settled(page);
  await page.close();
});

test('too large and too busy are told in words', async () => {
  const page = await signedIn('root');
  await settled(page);
  for (const [status, words] of [[413, /too large/], [503, /busy/]]) {
    await page.route('**/api/query?*', (route) => route.fulfill({ status, contentType: 'application/json',
      body: JSON.stringify({ error: { code: status, message: 'limit reached.' } }) }));
    await page.selectOption('[aria-label=Aggregator]', status === 413 ? 'sum' : 'max');
    await page.waitForFunction((text) => new RegExp(text).test(document.querySelector('.problem')?.textContent ?? ''), words.source);
    await page.unroute('**/api/query?*');
  }
  await page.close();
});

test('a server that is gone is waited for', async () => {
  const page = await signedIn('root');
  await settled(page);
  await server.stop();
  await page.selectOption('[aria-label=Aggregator]', 'sum');
  await page.waitForSelector('.offline');
  await server.start();
  await page.waitForSelector('.offline', { state: 'detached' });
  await settled(page);
  assert.equal((await legend(page)).length, 4);
  await page.close();
});

test('works under TLS', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hourcell-tls-'));
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const secure = await Server.create({ options: [`--tsd.tls.certificate=${certificate}`, `--tsd.tls.key=${key}`] });
  const other = await Browser.create({ ignoreHTTPSErrors: true });
  t.after(async () => {
    await other.close();
    await secure.close();
    rmSync(directory, { recursive: true });
  });
  const page = await other.page(secure.url.replace('http:', 'https:'), CPU);
  await settled(page);
  assert.equal((await legend(page)).length, 4);
  assert.deepEqual([page.errors, page.foreign], [[], []]);
});
