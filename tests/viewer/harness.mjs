// What the tests of the report page share: pages made by the panto command, and a real browser that opens them.
//
// PANTO_COMMAND: the built command; PANTO_PAGE_WORK: where npm installed the page's packages; PANTO_CHROMIUM: the
// browser. PANTO_PICTURES=folder keeps a picture of every size and theme, to be looked at.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

export const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const WALK = path.join(project, "examples/data/walk.bvh");
/** Of one test [ms]: none may hang. */
export const PATIENCE = { timeout: 180_000 };

const { PANTO_COMMAND: panto, PANTO_PAGE_WORK: work, PANTO_CHROMIUM: chromium } = process.env;
const driver = path.join(work ?? "", "node_modules/playwright-core/index.mjs");

// what is missing skips the tests, saying so, and fails them in CI
const missing = [panto, driver, chromium].filter((file) => !file || !fs.existsSync(file));
if (missing.length > 0) {
  const inCi = process.env.CI && process.env.CI !== "false";
  const what = missing.map((file) => file || "a browser").join(", ");
  console.log(`${inCi ? "FAILED" : "SKIPPED"}: not there: ${what}; \`./dev test\` installs and builds it`);
  process.exit(inCi ? 1 : 0);
}
const { chromium: browserType } = await import(pathToFileURL(driver));

const FLAGS = [
  "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** Set when the tests begin: the folder that they write to, the walk's page, and its joint angles by row. */
export const the = { folder: "", walk: "", table: { joints: [], rows: [] } };
let browser;

/** A browser of its own; the caller closes it. */
export function launch(...flags) {
  return browserType.launch({ executablePath: chromium, headless: true, args: [...FLAGS, ...flags], timeout: 60_000 });
}

/** A context of its own (cookies, storage, pages) in the browser that a file's tests share; the caller closes it. */
export const fresh = (options = {}) => browser.newContext(options);

function run(...words) {
  execFileSync(panto, words, { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
}

export function track(recording, page, ...more) {
  const file = path.join(the.folder, page);
  run("track", recording, "--report", file, ...more);
  return file;
}

export function retarget(recording, robot, page, ...more) {
  const file = path.join(the.folder, page);
  run("retarget", recording, "--robot", robot, "--report", file, ...more);
  return file;
}

/** The page of the only gesture that `motion` makes. */
export function imitate(motion, page, ...more) {
  const file = path.join(the.folder, page), recording = path.join(the.folder, `${motion}.mvnx`);
  run("synthesize", motion, "--rate", "80", "-o", recording, ...more);
  run("imitate", recording, "--report", file);
  return file;
}

/** The robot `name` as a URDF in `folder`, every link of `shapes` with those elements inside. */
export function dressed(name, folder, shapes) {
  const file = path.join(the.folder, folder, `${name}.urdf`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  run("convert", name, file);
  let text = fs.readFileSync(file, "utf8");
  for (const [link, inside] of Object.entries(shapes)) {
    const opening = `<link name="${link}">`;
    assert.ok(text.includes(opening), `no ${opening} in ${file}`);
    text = text.replace(opening, `${opening}${inside}`);
  }
  fs.writeFileSync(file, text);
  return file;
}

export function synthesize(name, ...more) {
  const file = path.join(the.folder, name);
  run("synthesize", "walk", "-o", file, ...more);
  return file;
}

/** Where seventeen sensors sit on a human. */
export const SUIT = path.join(project, "models/chains/human_sensors.toml");

/** What these sensors felt on a walk of 3 s. */
export function felt(name, ...more) {
  const file = path.join(the.folder, name);
  run("synthesize", "walk", "--model", "human48", "--rate", "100", "--duration", "3", "--seed", "3", "--sensors", SUIT, "--imu", file, ...more);
  return file;
}

/** The page of a walk that seventeen sensors with all faults felt. */
export function sensed(page, ...more) {
  return track(felt("felt.csv", "--fault", "all"), page, "--model", "human48", "--sensors", SUIT, ...more);
}

/** A copy of a page, its run changed by `change`. */
export function changed(file, name, change) {
  const opening = '<script id="panto-run" type="application/json">';
  const text = fs.readFileSync(file, "utf8");
  const start = text.indexOf(opening) + opening.length;
  const end = text.indexOf("</script>", start);
  const run = JSON.parse(text.slice(start, end));
  change(run);
  const made = path.join(the.folder, name);
  fs.writeFileSync(made, text.slice(0, start) + JSON.stringify(run).replace(/</g, "\\u003c") + text.slice(end));
  return made;
}

/** The text of axe-core, which checks a page's accessibility. */
export const axe = () => fs.readFileSync(path.join(work, "node_modules/axe-core/axe.min.js"), "utf8");

/** What a page complains of from now on, and what it loads besides its `own` addresses. */
export function complaintsOf(page, own) {
  const complaints = [];
  page.on("console", (message) => {
    // the software renderer remarks on being read back, which only a test does
    if (/GPU stall due to ReadPixels/.test(message.text())) return;
    if (["error", "warning", "assert"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!own(request.url()) && !/^(data|blob):/.test(request.url())) complaints.push(`loads ${request.url()}`);
  });
  return complaints;
}

/** Opens a page, gives it to `look`, and sees to it that nothing was loaded and nothing complained. */
export async function visit(file, look, { width = 1024, height = 768, theme = "light", from = browser, webgl = true, motion = "reduce" } = {}) {
  // with reduced motion the replay waits: what a test does is all that moves
  const context = await from.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: motion });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const own = pathToFileURL(file).href;
  const complaints = complaintsOf(page, (url) => url === own);
  try {
    await page.goto(own);
    const ready = webgl ? () => window.panto?.scene.frames >= 2 : () => window.panto;
    await page.waitForFunction(ready, null, { timeout: 60_000 });
    await look(page);
    assert.deepEqual(complaints, [], "console and network stay silent");
  } finally {
    await context.close();
  }
}

before(async () => {
  the.folder = fs.mkdtempSync(path.join(os.tmpdir(), "panto_page_"));
  the.walk = track(WALK, "walk.html", "-o", path.join(the.folder, "walk.csv"));
  const [heads, ...lines] = fs.readFileSync(path.join(the.folder, "walk.csv"), "utf8").trim().split("\n");
  const joints = heads.split(",").slice(8).map((head) => head.replace(/_rad$/, ""));
  the.table = { joints, rows: lines.map((line) => line.split(",").map(Number)) };
  browser = await launch();
}, PATIENCE);

after(async () => {
  await browser?.close();
  if (the.folder) fs.rmSync(the.folder, { recursive: true, force: true });
}, PATIENCE);
