// The page in the browser, as a visitor uses it. harness.mjs says what it needs; tools/build_web.sh builds the page.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { lowContrast } from "./contrast.mjs";
import { axe, complaintsOf, felt, fresh, PATIENCE, project, retarget, SUIT, WALK } from "./harness.mjs";

const PAGE = path.join(project, "out/web/index.html");
if (!fs.existsSync(PAGE)) {
  console.log(`SKIPPED: not there: ${PAGE}; \`./dev web\` builds it`);
  process.exit(0);
}

/** Opens the page, gives it to `look`, and sees to it that nothing leaves it and nothing complains. */
async function visit(look, { width = 1280, height = 800, hash = "", theme = "light" } = {}) {
  const context = await fresh({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const own = pathToFileURL(PAGE).href;
  // the report is shown in a frame that has no address
  const complaints = complaintsOf(page, (url) => url.split("#")[0] === own || url.startsWith("about:"));
  try {
    await page.goto(own + hash);
    await said(page, /^Ready/);
    await look(page);
    assert.deepEqual(complaints, [], "console and network stay silent");
  } finally {
    await context.close();
  }
}

const said = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.getElementById("sentence").textContent), pattern.source, { timeout: 90_000 });
const report = (page) => page.frames().find((frame) => frame.parentFrame() !== null);

async function walk(page) {
  await page.getByRole("button", { name: "Try a walk" }).click();
  await said(page, /frames in/);
  await page.waitForFunction(() => document.querySelector("#shown iframe:not(.coming)"));
}

/** Moves a slider as a hand does: values on the way, then let go. */
async function drag(page, key, value, release = true) {
  await page.evaluate(([id, to, done]) => {
    const slider = document.getElementById(id);
    slider.value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    if (done) slider.dispatchEvent(new Event("change", { bubbles: true }));
  }, [`set-${key}`, value, release]);
}

/** How often clips were solved, windows and wholes. */
const solved = (page) => page.evaluate(() => [window.pantoApp.took.window.length, window.pantoApp.took.whole.length]);
const states = (page) => report(page).evaluate(() => [...window.panto.run.timeline.s.values]);

test("a clip is solved as the command solves it", PATIENCE, async () => {
  const native = fs.readFileSync(retarget(WALK, "g1", "native.html"), "utf8");
  const run = JSON.parse(/<script id="panto-run" type="application\/json">(.*?)<\/script>/s.exec(native)[1]);
  await visit(async (page) => {
    await walk(page);
    const verdict = await report(page).evaluate(() => window.panto.run.verdict);
    assert.equal(verdict.text, run.verdict.text);
    const mean = (figures) => figures.map(({ name, value }) => [name, value]);
    for (const [i, [name, value]] of mean(verdict.figures).entries()) {
      assert.equal(name, run.verdict.figures[i].name);
      // Eigen adds in another order here: rounding, no more
      assert.ok(Math.abs(value - run.verdict.figures[i].value) <= 1e-6 * Math.max(1, Math.abs(value)), `${name}: ${value}, natively ${run.verdict.figures[i].value}`);
    }
  });
});

test("a slider moves the body at once, and the whole clip when it is let go", PATIENCE, async () => {
  await visit(async (page) => {
    await walk(page);
    const before = await states(page);
    await drag(page, "legs", -1, false);
    await page.waitForFunction(() => window.pantoApp.took.window.length > 0);
    const [, wholes] = await solved(page);
    assert.equal(wholes, 1, "while it moves, the window alone is solved");
    const during = await states(page);
    assert.ok(during.some((value, i) => Math.abs(value - before[i]) > 1e-3), "and shown");
    await drag(page, "legs", -1, true);
    await page.waitForFunction(() => window.pantoApp.took.whole.length > 1 && document.querySelector("#shown iframe:not(.coming)") && document.querySelectorAll("#shown iframe").length === 1);
    assert.match(page.url(), /#legs=-1$/, "the address carries it");
    const after = await states(page);
    assert.ok(after.some((value, i) => Math.abs(value - before[i]) > 1e-3));
  });
});

test("an address opens the settings that it carries", PATIENCE, async () => {
  await visit(async (page) => {
    assert.equal(await page.inputValue("#set-speed"), "50");
    assert.equal(await page.inputValue("#set-feet"), "soft");
    assert.equal(await page.inputValue("#body"), "icub");
    await walk(page);
    assert.equal(await report(page).evaluate(() => window.panto.run.model.name), "icub");
  }, { hash: "#speed=50&feet=soft&body=icub" });
});

test("a spoilt recording shows what holds", PATIENCE, async () => {
  await visit(async (page) => {
    await walk(page);
    await page.getByText("Break it").click();
    await drag(page, "dropped_share", 40);
    await page.waitForFunction(() => window.pantoApp.took.whole.length > 1);
    await said(page, /\b(7|8|9|10)\d frames in/);
    await page.selectOption("#set-lost_segment", "LeftHand");
    await page.waitForFunction(() => window.pantoApp.took.whole.length > 2);
  });
});

test("a motion is saved as another program's file, and the report as a page", PATIENCE, async () => {
  await visit(async (page) => {
    await walk(page);
    for (const [value, name, begins] of [["layout:mjlab", "walk_mjlab.npz", "PK"], [".csv", "walk.csv", "time_s,"], ["page", "walk.html", "<!doctype html>"]]) {
      await page.selectOption("#format", value);
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
      assert.equal(download.suggestedFilename(), name);
      const text = fs.readFileSync(await download.path(), "latin1");
      assert.ok(text.startsWith(begins), `${name} begins with ${JSON.stringify(text.slice(0, 20))}`);
    }
  });
});

test("what cannot be read is said, and the clip before stays", PATIENCE, async () => {
  await visit(async (page) => {
    await walk(page);
    const chooser = page.getByLabel("Open a clip…");
    for (const [name, content, message] of [["a.bvh", "HIERARCHY\nROOT", /a\.bvh:\d/], ["b.png", "\x89PNG", /b\.png/], ["empty.csv", "", /empty\.csv/]]) {
      await chooser.setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content, "latin1") });
      await said(page, message);
    }
    await drag(page, "arms", 0.5);
    await said(page, /frames in/);
  });
});

test("raw sensors are opened with their mountings; a magnet and a loss are felt", PATIENCE, async () => {
  const sensors = felt("suit.csv");
  await visit(async (page) => {
    const chooser = page.getByLabel("Open a clip…");
    await chooser.setInputFiles([sensors]);
    await said(page, /together with the table/);
    await chooser.setInputFiles([sensors, SUIT]);
    await said(page, /frames in/);
    await page.getByText("Break it").click();
    for (const [i, choice] of ["lost_sensor", "magnet"].entries()) {
      const before = await states(page);
      await page.selectOption(`#set-${choice}`, { index: 3 + i });
      await page.waitForFunction((count) => window.pantoApp.took.whole.length > count, i + 1);
      await page.waitForFunction(() => document.querySelectorAll("#shown iframe").length === 1 && document.querySelector("#shown iframe:not(.coming)"));
      const after = await states(page);
      assert.ok(after.some((value, k) => Math.abs(value - before[k]) > 1e-4), choice);
    }
    assert.ok(await page.locator("#set-lost_segment").isVisible());
  });
});

test("a robot's file is dropped, and takes the clip over", PATIENCE, async () => {
  const urdf = fs.readFileSync(path.join(project, "examples/data/homemade.urdf"), "utf8");
  await visit(async (page) => {
    await walk(page);
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "homemade.urdf"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, urdf);
    await page.waitForFunction(() => window.pantoApp.took.whole.length > 1 && document.querySelectorAll("#shown iframe").length === 1);
    assert.equal(await report(page).evaluate(() => window.panto.run.model.name), "homemade");
    assert.equal(await page.inputValue("#body"), "file:homemade");
  });
});

for (const [width, height, theme] of [[390, 800, "light"], [1440, 900, "dark"], [3840, 2160, "light"]]) {
  test(`at ${width} px, ${theme}: nothing overflows, and it is accessible`, PATIENCE, async () => {
    await visit(async (page) => {
      await walk(page);
      if (process.env.PANTO_PICTURES) {
        await page.waitForTimeout(1500);
        await page.screenshot({ path: path.join(process.env.PANTO_PICTURES, `app_${width}_${theme}.png`) });
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
      assert.deepEqual(await page.evaluate(lowContrast), []);
      await page.addScriptTag({ content: axe() }).catch(() => page.evaluate(axe()));
      const found = await page.evaluate(() => window.axe.run({ iframes: false }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    }, { width, height, theme });
  });
}
