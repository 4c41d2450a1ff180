// The goals of the page, measured: `scripts/web bench PROGRAM`. Wants prometheus and promtool in PATH
// for the comparison; without them it says so and measures the rest.
//
// Times are of a browser without a cache, on the machine that serves, with a window of 1280 x 860.

import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Server, freePort, launch, until } from './harness.mjs';

const RUNS = 20;
const DAY_S = 86400;
const SERIES = 10;
const STEP_S = 15;
const METRICS = Number(process.env.METRICS ?? 1_000_000);
const end = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
const directory = mkdtempSync(join(tmpdir(), 'hourcell-web-bench-'));

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const row = (what, value, goal) => console.log(`| ${what} | ${value} | ${goal} |`);

// Text in pieces of a megabyte or so: one of a million lines would be large.
function linesFile(name, lines) {
  const path = join(directory, name);
  const file = openSync(path, 'w');
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < 1 << 20) continue;
    writeSync(file, piece);
    piece = '';
  }
  writeSync(file, piece);
  closeSync(file);
  return path;
}

function* day(print) {
  for (let host = 0; host < SERIES; ++host) {
    for (let at = end - DAY_S; at < end; at += STEP_S) yield print(`web${String(host).padStart(2, '0')}`, at, (at * 7 + host * 13) % 100);
  }
}

// Milliseconds from the beginning of the navigation until `drawn`, a function of the page, is true and
// the frame that shows it was painted.
async function timeToDrawn(browser, url, drawn) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(`(() => {
    const drawn = ${drawn};
    const look = () => (drawn() ? requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now(); })) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  })()`);
  await page.goto(url);
  await page.waitForFunction(() => window.drawnAt !== undefined);
  const ms = await page.evaluate(() => window.drawnAt);
  await context.close();
  return ms;
}

const isOursDrawn = (series) => `() => document.querySelectorAll('.legend tbody tr').length === ${series} &&
  document.querySelector('.chart canvas') && !document.querySelector('.spinner')`;

async function withPrometheus(work) {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
  } catch {
    console.log('SKIPPED: no prometheus and promtool, so nothing to compare with');
    return;
  }
  const file = linesFile('open.metrics', (function* () {
    yield '# TYPE bench_cpu gauge';
    yield* day((host, at, value) => `bench_cpu{host="${host}"} ${value} ${at}`);
    yield '# EOF';
  })());
  const data = join(directory, 'prometheus');
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, data], { stdio: 'ignore' });
  const config = join(directory, 'prometheus.yml');
  writeFileSync(config, 'global: {}\n');
  const port = await freePort();
  const process = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`, '--storage.tsdb.retention.time=10y'], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  try {
    await until(() => fetch(`${url}-/ready`).then((answer) => answer.ok, () => false), 'prometheus is ready', 60_000);
    await work(url);
  } finally {
    process.kill('SIGTERM');
  }
}

// By turns, so that what else the machine does falls on both.
async function compare(browser) {
  const server = await Server.create({ data: false });
  await server.stop();
  server.import(linesFile('day.txt', day((host, at, value) => `bench.cpu ${at} ${value} host=${host}`)));
  await server.start();
  const ours = `${server.url}#start=${end - DAY_S}&end=${end}&m=avg:bench.cpu{host=*}`;
  const theirs = `graph?g0.expr=bench_cpu&g0.tab=0&g0.range_input=1d&g0.end_input=${encodeURIComponent(
    new Date(end * 1000).toISOString().slice(0, 16).replace('T', ' '))}`;
  const areDrawn = `() => document.querySelectorAll('.rickshaw_graph svg path').length >= ${SERIES}`;
  const times = { ours: [], theirs: [] };
  await withPrometheus(async (url) => {
    for (let i = 0; i < RUNS; ++i) {
      times.ours.push(await timeToDrawn(browser, ours, isOursDrawn(SERIES)));
      times.theirs.push(await timeToDrawn(browser, `${url}classic/${theirs}`, areDrawn));
    }
  });
  if (times.theirs.length) {
    const [a, b] = [median(times.ours), median(times.theirs)];
    row('from / to a drawn graph of 10 series of 24 h, median of 20', `${a.toFixed(0)} ms; Prometheus ${b.toFixed(0)} ms; ${(a / b).toFixed(2)}`, '≤ 0.5 of Prometheus');
  }
  await server.close();
}

// 100 series of 10,000 points, all of them drawn: from the answer's last byte to the painted graph, and
// frames while the pointer moves over it.
async function manyPoints(browser) {
  const [series, points] = [100, 10_000];
  const server = await Server.create({ data: false });
  await server.stop();
  server.import(linesFile('many.txt', (function* () {
    for (let i = 0; i < series; ++i) {
      for (let k = 0; k < points; ++k) yield `bench.many ${end - points + k} ${(k * (i + 3)) % 97} host=h${i}`;
    }
  })()));
  await server.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const drawn = [];
  for (let i = 0; i < 5; ++i) {
    await page.goto('about:blank');
    await page.goto(`${server.url}#start=${end - points}&end=${end}&auto=0&m=avg:bench.many{host=*}`);
    await page.waitForFunction(isOursDrawn(series), null, { polling: 'raf', timeout: 60_000 });
    drawn.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
      const bytes = performance.getEntriesByType('resource').filter((one) => /api\/query\?/.test(one.name)).at(-1);
      done(performance.now() - bytes.responseEnd);
    })))));
  }
  row('100 series of 10,000 points: last byte to drawn', `${median(drawn).toFixed(0)} ms`, '≤ 1000 ms');
  const box = await page.locator('.chart .u-over').boundingBox();
  await page.evaluate(() => {
    window.frames_ = [];
    const tick = (at) => {
      window.frames_.push(at);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const until_ = Date.now() + 3000;
  for (let i = 0; Date.now() < until_; ++i) {
    await page.mouse.move(box.x + 20 + ((i * 7) % (box.width - 40)), box.y + box.height / 2);
  }
  const frames = await page.evaluate(() => window.frames_);
  const gaps = frames.slice(1).map((at, i) => at - frames[i]).sort((a, b) => a - b);
  const rate = (1000 * gaps.length) / (frames.at(-1) - frames[0]);
  row('crosshair over them', `${rate.toFixed(0)} frames/s, longest of 99 in 100: ${gaps[Math.floor(gaps.length * 0.99)].toFixed(0)} ms`, '60 frames/s');
  await context.close();
  await server.close();
}

// From a keystroke to the list of suggestions.
async function manyMetrics(browser) {
  const server = await Server.create({ data: false });
  await server.stop();
  server.import(linesFile('metrics.txt', (function* () {
    for (let i = 0; i < METRICS; ++i) yield `app${i % 100}.service${(i / 100) % 100 | 0}.metric${i} ${end - 60} ${i % 7} host=a`;
  })()));
  await server.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const times = [];
  for (let i = 0; i < RUNS; ++i) {
    await page.goto('about:blank');
    await page.goto(`${server.url}#v=graph`);
    const field = page.locator('input[aria-label=Metric]');
    await field.click();
    await page.waitForSelector('[role=option]');
    times.push(await page.evaluate(() => new Promise((done) => {
      const input = document.querySelector('input[aria-label=Metric]');
      const begun = performance.now();
      const before = document.querySelector('[role=listbox]').textContent;
      input.value = 'app7';
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      const look = () => (document.querySelector('[role=listbox]').textContent !== before
        ? done(performance.now() - begun) : setTimeout(look));
      look();
    })));
  }
  row(`${METRICS.toLocaleString('en')} metrics: keystroke to first suggestion, median of 20`, `${median(times).toFixed(1)} ms`, '≤ 50 ms');
  await context.close();
  await server.close();
}

async function size() {
  const server = await Server.create({ data: false });
  const index = await (await fetch(server.url)).text();
  let bytes = 0;
  for (const [, path] of index.matchAll(/"\.(\/assets\/[^"]+\.(?:js|css))"/g)) {
    bytes += gzipSync(Buffer.from(await (await fetch(server.url + path.slice(1))).arrayBuffer()), { level: 9 }).length;
  }
  row('JavaScript and CSS, gzip -9', `${(bytes / 1000).toFixed(1)} kB`, '≤ 80 kB');
  await server.close();
}

const browser = await launch();
console.log('| what | measured | goal |\n|---|---|---|');
try {
  await size();
  await compare(browser);
  await manyPoints(browser);
  await manyMetrics(browser);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
