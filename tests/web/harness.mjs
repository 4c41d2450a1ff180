// A real server with real data, and a real browser that looks at it.
//
//   HOURCELL=build/release/hourcell node --test tests/web/
//
// HOURCELL_PAGE=server/web/dist serves the page's files from that folder in place of those that are
// in the program: what was just built is tested without building the program again.

import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const require = createRequire(join(root, 'server/web/package.json'));
const { chromium } = require('playwright-core');
export const axePath = require.resolve('axe-core/axe.min.js');

export const program = resolve(process.env.HOURCELL ?? join(root, 'build/release/hourcell'));
const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const built = process.env.HOURCELL_PAGE ? resolve(process.env.HOURCELL_PAGE) : '';

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

// Waits until `check` is true; fails with `what` otherwise.
export async function until(check, what, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(50);
  }
}

export class Server {
  static async create({ data = true, users = [], options = [] } = {}) {
    const server = new Server();
    server.directory = mkdtempSync(join(tmpdir(), 'hourcell-web-'));
    server.port = await freePort();
    server.options = options;
    if (data) server.import(join(root, 'tests/data/real-metrics.tsdb.gz'));
    if (users.length) server.addUsers(users);
    await server.start();
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  import(path) {
    execFileSync(program, ['import', '--data', join(this.directory, 'store'), path]);
  }

  addUsers(users) {
    const file = join(this.directory, 'users');
    const lines = users.map(([name, role]) => execFileSync(program, ['user', 'add', name, '--role', role],
      { input: `${name}-secret\n`, encoding: 'utf8' }));
    writeFileSync(file, lines.join(''), { mode: 0o600 });
    this.options = [...this.options, `--tsd.auth.file=${file}`];
  }

  async start() {
    this.process = spawn(program, ['serve', '--data', join(this.directory, 'store'), '--port',
      String(this.port), ...this.options], { stdio: 'ignore' });
    await until(() => fetch(this.url).then((answer) => answer.ok, () => false), 'server answers');
  }

  stop() {
    return new Promise((done) => {
      this.process.once('exit', done);
      this.process.kill('SIGTERM');
    });
  }

  // A page of this server has the endpoint, too; a test of it is skipped otherwise.
  async has(path) {
    const { status } = await fetch(this.url + path, { headers: { 'X-Requested-With': 'test' } });
    return status !== 404;
  }

  put(points) {
    return fetch(`${this.url}api/put`, { method: 'POST', body: JSON.stringify(points),
      headers: { 'Content-Type': 'application/json' } });
  }

  async close() {
    if (this.process.exitCode === null) await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

// A browser in which each context has a cache of its own: for measurements.
export const launch = () => chromium.launch({ executablePath: browser, headless: true, args: flags });

export class Browser {
  static async create(options = {}) {
    const one = new Browser();
    one.profile = mkdtempSync(join(tmpdir(), 'hourcell-chromium-'));
    one.context = await chromium.launchPersistentContext(one.profile, {
      executablePath: browser, headless: true, args: flags, acceptDownloads: true,
      viewport: { width: 1280, height: 860 }, locale: 'en-US', timezoneId: 'UTC', ...options,
    });
    one.context.setDefaultTimeout(15_000);
    if (built) await one.serveBuilt();
    return one;
  }

  // The headers stay the server's, so that its policy holds for these files, too.
  async serveBuilt() {
    await this.context.route(/\/$|\/#|\/assets\//, async (route) => {
      const [asset] = /assets\/[^/?#]+$/.exec(route.request().url()) ?? ['index.html'];
      if (asset !== 'index.html') return route.fulfill({ path: join(built, asset) });
      const response = await route.fetch().catch(() => null);
      if (!response?.ok()) return route.continue();
      return route.fulfill({ response, body: readFileSync(join(built, asset), 'utf8') });
    });
  }

  // A page whose errors, and requests to other hosts, are noted.
  async page(url, hash = '') {
    const page = await this.context.newPage();
    page.errors = [];
    page.foreign = [];
    page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
    page.on('pageerror', (error) => page.errors.push(String(error.stack)));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(new URL(url).origin)) {
        page.foreign.push(request.url());
      }
    });
    await page.goto(url + hash);
    return page;
  }

  async close() {
    await this.context.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}

export const CPU = '#start=2014/02/14&end=2014/02/28&m=avg:aws.ec2.cpu_utilization{instance=*}&tz=UTC';

// The rows of the legend: [label, last, min, max, avg, points].
export async function legend(page) {
  await page.waitForSelector('.legend tbody tr');
  return page.$$eval('.legend tbody tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())));
}

export const settled = (page) => page.waitForFunction(() =>
  !document.querySelector('.spinner') && /points in|No points/.test(document.querySelector('.status')?.textContent ?? ''));
