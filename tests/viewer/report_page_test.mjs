// The report page in a real browser: made by the panto command, opened from a file, at three sizes, dark and light.
//
//   PANTO_COMMAND=... PANTO_PAGE_WORK=... PANTO_CHROMIUM=... node report_page_test.mjs
//
// PANTO_COMMAND: the built command; PANTO_PAGE_WORK: where npm installed the page's packages; PANTO_CHROMIUM: the
// browser. PANTO_PICTURES=folder keeps a picture of every size and theme, to be looked at.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { lowContrast } from "./contrast.mjs";

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const { PANTO_COMMAND: panto, PANTO_PAGE_WORK: work, PANTO_CHROMIUM: chromium, PANTO_PICTURES: pictures } = process.env;
const driver = path.join(work ?? "", "node_modules/playwright-core/index.mjs");

// what is missing skips the test, saying so, and fails it in CI
const missing = [panto, driver, chromium].filter((file) => !file || !fs.existsSync(file));
if (missing.length > 0) {
  const inCi = process.env.CI && process.env.CI !== "false";
  const what = missing.map((file) => file || "a browser").join(", ");
  console.log(`${inCi ? "FAILED" : "SKIPPED"}: not there: ${what}; \`./dev test\` installs and builds it`);
  process.exit(inCi ? 1 : 0);
}
const { chromium: browserType } = await import(pathToFileURL(driver));

const SIZES = [[360, 740], [1024, 768], [1920, 1080]];
const FLAGS = [
  "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const MINUTE = 3_000_000; // bytes
const WALK = path.join(project, "examples/data/walk.bvh");

let folder, browser, walk, table;

function track(recording, page, ...more) {
  const file = path.join(folder, page);
  execFileSync(panto, ["track", recording, "--report", file, ...more], { stdio: ["ignore", "pipe", "pipe"] });
  return file;
}

function synthesize(name, ...more) {
  const file = path.join(folder, name);
  execFileSync(panto, ["synthesize", "walk", "-o", file, ...more]);
  return file;
}

/** A copy of a page, its run changed by `change`. */
function changed(file, name, change) {
  const opening = '<script id="panto-run" type="application/json">';
  const text = fs.readFileSync(file, "utf8");
  const start = text.indexOf(opening) + opening.length;
  const end = text.indexOf("</script>", start);
  const run = JSON.parse(text.slice(start, end));
  change(run);
  const made = path.join(folder, name);
  fs.writeFileSync(made, text.slice(0, start) + JSON.stringify(run).replace(/</g, "\\u003c") + text.slice(end));
  return made;
}

/** Opens a page, gives it to `look`, and sees to it that nothing was loaded and nothing complained. */
async function visit(file, look, { width = 1024, height = 768, theme = "light", from = browser, webgl = true } = {}) {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    // the software renderer remarks on being read back, which only a test does
    if (/GPU stall due to ReadPixels/.test(message.text())) return;
    if (["error", "warning", "assert"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  const own = pathToFileURL(file).href;
  page.on("request", (request) => {
    if (request.url() !== own && !/^(data|blob):/.test(request.url())) complaints.push(`loads ${request.url()}`);
  });
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
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "panto_page_"));
  walk = track(WALK, "walk.html", "-o", path.join(folder, "walk.csv"));
  const [heads, ...lines] = fs.readFileSync(path.join(folder, "walk.csv"), "utf8").trim().split("\n");
  const joints = heads.split(",").slice(8).map((head) => head.replace(/_rad$/, ""));
  table = { joints, rows: lines.map((line) => line.split(",").map(Number)) };
  browser = await browserType.launch({ executablePath: chromium, headless: true, args: FLAGS });
});

after(async () => {
  await browser?.close();
  if (folder) fs.rmSync(folder, { recursive: true, force: true });
});

for (const theme of ["light", "dark"]) {
  for (const [width, height] of SIZES) {
    test(`opens at ${width} x ${height}, ${theme}: fits, draws, has contrast`, async () => {
      const look = async (page) => {
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(beyond <= 0, `${beyond} px wider than the window`);
        assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
        assert.equal(await page.locator("h1").textContent(), "walk.bvh → human66");
        const colours = await page.evaluate(() => new Set(new Uint32Array(window.panto.scene.pixels().buffer)).size);
        assert.ok(colours > 50, `the replay has only ${colours} colours: nothing is drawn`);
        assert.ok((await page.locator(".chart canvas").count()) >= 6, "curves are drawn");
        if (pictures) {
          fs.mkdirSync(pictures, { recursive: true });
          await page.screenshot({ path: path.join(pictures, `report-${theme}-${width}.png`), fullPage: true });
        }
        assert.deepEqual(await page.evaluate(lowContrast), []);
      };
      await visit(walk, look, { width, height, theme });
    });
  }
}

test("every joint angle in the scene is that of the .csv within 0.05 deg", async () => {
  await visit(walk, async (page) => {
    const { worst, name } = await page.evaluate(({ joints, rows }) => {
      let [worst, name] = [0, ""];
      for (const row of rows) {
        window.panto.clock.seek(row[0]);
        if (Math.abs(window.panto.scene.t - row[0]) > 1e-9) throw new Error(`no frame at ${row[0]} s`);
        joints.forEach((joint, i) => {
          const difference = window.panto.scene.joint(joint) - row[8 + i];
          const error = Math.abs(Math.atan2(Math.sin(difference), Math.cos(difference)));
          if (!(error <= worst)) [worst, name] = [error, `${joint} at ${row[0]} s`];
        });
      }
      return { worst, name };
    }, table);
    assert.equal(table.rows.length, 150);
    assert.equal(table.joints.length, 66);
    assert.ok((worst * 180) / Math.PI < 0.05, `${(worst * 180) / Math.PI} deg off: ${name}`);
    assert.ok(worst > 0, "sixteen bits cannot be exact: the test compares nothing");
  });
});

test("a click on a worst moment moves replay and curves there", async () => {
  await visit(walk, async (page) => {
    const moments = page.locator("#moments button");
    assert.ok((await moments.count()) >= 3);
    for (const nth of [0, 2]) {
      const moment = moments.nth(nth);
      const t = Number(await moment.getAttribute("data-t"));
      await moment.click();
      assert.ok(Math.abs((await page.evaluate(() => window.panto.scene.t)) - t) < 1e-9, "the scene is at the moment");
      assert.equal(await moment.getAttribute("aria-current"), "true");
      assert.equal(await page.locator("output.time").textContent(), `${t.toFixed(2)} s`);
      // the line in the curves: where the axis has that time
      const [marked, expected] = await page.evaluate((time) => {
        const over = document.querySelector(".chart .u-over").getBoundingClientRect();
        const line = document.querySelector(".chart .playhead").getBoundingClientRect();
        const { t: stamps } = window.panto.run.timeline;
        const share = (time - stamps[0]) / (stamps[stamps.length - 1] - stamps[0]);
        return [line.left + 1 - over.left, share * over.width];
      }, t);
      assert.ok(Math.abs(marked - expected) < 2, `the line is at ${marked} px instead of ${expected}`);
    }
  });
});

test("a click in a curve goes there", async () => {
  await visit(walk, async (page) => {
    const over = page.locator(".chart .u-over").nth(1);
    await over.scrollIntoViewIfNeeded();
    const { width } = await over.boundingBox();
    await over.click({ position: { x: width / 2, y: 40 } });
    const t = await page.evaluate(() => window.panto.clock.t);
    assert.ok(Math.abs(t - 149 / 30 / 2) < 0.05, `${t} s`);
  });
});

test("the keyboard plays, steps and goes to the ends", async () => {
  await visit(walk, async (page) => {
    const index = () => page.evaluate(() => window.panto.clock.index);
    for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
    assert.equal(await index(), 1);
    await page.keyboard.press("End");
    assert.equal(await index(), 149);
    await page.keyboard.press("Home");
    assert.equal(await index(), 0);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.panto.clock.index > 3);
    await page.keyboard.press(" ");
    const stopped = await index();
    await page.waitForTimeout(300);
    assert.equal(await index(), stopped, "paused");
  });
});

test("the button switches the theme of page and replay", async () => {
  await visit(walk, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const picture = () => page.evaluate(() => window.panto.scene.pixels().reduce((sum, byte) => sum + byte, 0));
    const [light, drawn] = [await background(), await picture()];
    await page.locator("#theme").click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    assert.notEqual(await background(), light);
    assert.notEqual(await picture(), drawn);
    await page.locator("#theme").click();
    assert.equal(await background(), light);
  });
});

test("a minute of human66 is under 3 MB, at 60 Hz and at 120 Hz, which says that it is thinned", async () => {
  const shown = (page) => page.evaluate(() => [window.panto.run.timeline.shown, window.panto.run.timeline.stride]);
  const sixty = track(synthesize("minute.bvh", "--duration", "60"), "minute.html");
  assert.ok(fs.statSync(sixty).size < MINUTE, `${fs.statSync(sixty).size} bytes`);
  await visit(sixty, async (page) => assert.deepEqual(await shown(page), [3600, 1]));
  const faster = track(synthesize("faster.bvh", "--duration", "60", "--rate", "120"), "faster.html");
  assert.ok(fs.statSync(faster).size < MINUTE, `${fs.statSync(faster).size} bytes`);
  await visit(faster, async (page) => {
    assert.deepEqual(await shown(page), [3600, 2]);
    assert.match(await page.locator("#curves").textContent(), /3600 of 7200 frames are shown, one of 2/);
  });
});

test("a model with limits shows how many joints are on them", async () => {
  const made = track(WALK, "limits.html", "--model", "human48");
  await visit(made, async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /No joint left its limits/);
    assert.equal(await page.locator(".chart h3", { hasText: "Joints on their limits" }).count(), 1);
    assert.match(await page.locator("#transport").textContent(), /joint on a limit/);
  });
});

test("a file's name is text and nothing else", async () => {
  const name = '<img src=x onerror="window.hacked=1">\'&amp;.bvh';
  fs.copyFileSync(WALK, path.join(folder, name));
  const made = track(path.join(folder, name), "hostile.html");
  await visit(made, async (page) => {
    assert.equal(await page.locator("h1").textContent(), `${name} → human66`);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  });
});

test("a stranger's rig, notes and names are text and nothing else", async () => {
  const evil = '</script><img src=x onerror="window.hacked=1">';
  const made = changed(walk, "rig.html", (run) => {
    run.notes = [evil];
    run.settings.push([evil, evil]);
    run.model.joints.forEach((joint) => (joint.name = `${evil}${joint.name}`));
    run.pairs.forEach((pair) => (pair.link = evil));
    run.moments.forEach((moment) => (moment.item = evil));
    const entry = {
      segment: "Pelvis", joint: evil, next: null, share: 0, confidence: 0.9, reason: evil,
      frame_confidence: 0.5, frame_reason: "bone",
    };
    run.rig = {
      family: evil, unit: 0.01, confidence: 0.5, names_swapped: true, unmapped: [evil],
      segments: [entry, { ...entry, segment: "L5", next: "Chest", share: 0.5 }, { ...entry, segment: "L3", joint: null }],
      decisions: [{ what: "up axis", answer: evil, reason: evil, confidence: 1 }],
    };
  });
  const look = async (page) => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    const rig = page.locator("section", { has: page.locator("h2", { hasText: "How the rig was understood" }) }).last();
    assert.match(await rig.textContent(), /50 % of the way from/);
    assert.match(await rig.textContent(), /not measured/);
    assert.match(await rig.textContent(), /The names say left where the body is right/);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(beyond <= 0, `${beyond} px wider than the window`);
  };
  await visit(made, look, { width: 360, height: 740 });
});

test("one frame and no frame are pages too", async () => {
  const clip = path.join(folder, "one.bvh");
  const lines = fs.readFileSync(WALK, "utf8").split("\n");
  const frames = lines.findIndex((line) => line.startsWith("Frames:"));
  fs.writeFileSync(clip, [...lines.slice(0, frames), "Frames: 1", lines[frames + 1], lines[frames + 2], ""].join("\n"));
  const one = track(clip, "one.html");
  await visit(one, async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /The one frame was answered/);
  });
  const none = changed(one, "none.html", (run) => {
    for (const part of Object.values(run.timeline)) if (part?.data) part.data = "";
    run.timeline.frames = run.timeline.shown = run.card.frames = 0;
    for (const key of Object.keys(run.card.status_counts)) run.card.status_counts[key] = 0;
    for (const key of ["angle_mean_deg", "angle_max_deg", "rate_hz", "duration_s", "step_p50_us"]) run.card[key] = null;
    run.moments = [];
  });
  const look = async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /No orientation could be judged/);
    assert.match(await page.locator("#stage").textContent(), /no frames/);
  };
  await visit(none, look, { webgl: false });
});

test("a run of which little is known is a page too", async () => {
  const made = changed(walk, "unknown.html", (run) => {
    for (const key of ["source", "angle_error", "origin_distance", "joint_speed", "turn_speed", "link_speed"]) {
      const part = run.timeline[key];
      part.data = Buffer.alloc(Buffer.from(part.data, "base64").length, 0xff).toString("base64");
    }
    for (const key of Object.keys(run.card)) {
      if (typeof run.card[key] === "number" && key !== "frames") run.card[key] = null;
    }
  });
  await visit(made, async (page) => {
    assert.match(await page.locator("#transport").textContent(), /the source has no positions/);
    assert.ok((await page.locator(".chart .absent").count()) >= 3, "empty curves say so");
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
  });
});

test("without WebGL numbers and curves work and the replay says why it is not there", async () => {
  const blind = await browserType.launch({ executablePath: chromium, headless: true, args: [...FLAGS, "--disable-3d-apis"] });
  const look = async (page) => {
    assert.match(await page.locator("#stage").textContent(), /no WebGL/);
    assert.ok((await page.locator(".chart canvas").count()) >= 6);
    const moment = page.locator("#moments button").first();
    await moment.click();
    const t = Number(await moment.getAttribute("data-t"));
    assert.ok(Math.abs((await page.evaluate(() => window.panto.clock.t)) - t) < 1e-9);
  };
  try {
    await visit(walk, look, { from: blind, webgl: false });
  } finally {
    await blind.close();
  }
});

test("versions are exact, and the lock file names no address to download from", () => {
  const own = JSON.parse(fs.readFileSync(path.join(project, "viewer/package.json"), "utf8"));
  for (const version of Object.values({ ...own.dependencies, ...own.devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+$/);
  }
  const lock = JSON.parse(fs.readFileSync(path.join(project, "viewer/package-lock.json"), "utf8"));
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, name);
    if (name !== "") assert.match(entry.integrity ?? "", /^sha512-/, name);
  }
});
