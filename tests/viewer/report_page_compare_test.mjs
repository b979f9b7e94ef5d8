// Two runs of one recording beside each other. harness.mjs says what it needs.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { axe, PATIENCE, retarget, the, track, visit, WALK } from "./harness.mjs";
import { flaws } from "./layout.mjs";

let planted = "", free = "";
before(() => {
  planted = retarget(WALK, "g1", "planted.html");
  free = retarget(WALK, "g1", "free.html", "--feet", "off", "--collisions", "off", "--solver", "pairwise");
}, PATIENCE);

async function compare(page, file) {
  await page.getByLabel("Report page to compare with").setInputFiles(file);
  await page.waitForFunction(() => window.panto.other !== null);
}

test("both runs' figures stand side by side, the better one marked", PATIENCE, async () => {
  await visit(planted, async (page) => {
    await compare(page, free);
    const figures = await page.evaluate(() => window.panto.other.figures);
    const [mine, theirs] = await page.evaluate(() => [window.panto.run, window.panto.other.run].map((run) => Object.fromEntries(run.verdict.figures.map(({ name, value }) => [name, value]))));
    const slide = figures.find(({ name }) => name === "feet slide in stance, 95 %");
    assert.deepEqual(slide.values, [mine[slide.name], theirs[slide.name]]);
    assert.equal(slide.better, 0, "planted feet slide less");
    for (const { name, values: [a, b], better } of figures) {
      if (a === null || b === null || a === b) assert.equal(better, null, name);
      else if (better !== null) assert.ok(better === 0 ? Math.abs(a) < Math.abs(b) : Math.abs(b) < Math.abs(a), name);
    }
    const row = page.getByRole("row", { name: /feet slide in stance/ });
    assert.match(await row.locator("td").nth(0).textContent(), /✓.*better/);
    assert.doesNotMatch(await row.locator("td").nth(1).textContent(), /better/);
    assert.match(await page.locator("#compare").textContent(), /--solver: dynamical here, pairwise in the other/);
  });
});

test("a run compared with itself is nowhere better and in the same place", PATIENCE, async () => {
  await visit(planted, async (page) => {
    await compare(page, planted);
    assert.deepEqual((await page.evaluate(() => window.panto.other.figures)).filter(({ better }) => better !== null), []);
    const off = await page.evaluate(() => {
      const { panto } = window;
      let off = 0;
      for (const t of [0, 1.3, 4.9]) {
        panto.clock.seek(t);
        for (const { name, dof } of panto.run.model.joints) if (dof !== null) off = Math.max(off, Math.abs(panto.other.joint(name) - panto.scene.joint(name)));
      }
      return off;
    });
    assert.equal(off, 0);
    assert.match(await page.locator("#compare").textContent(), /Both pages name the same settings/);
  });
});

test("the other body has the other run's joint angles at every instant, and curves of both are read out", PATIENCE, async () => {
  await visit(planted, async (page) => {
    await compare(page, free);
    const worst = await page.evaluate(() => {
      const { panto } = window;
      const { run } = panto.other;
      let worst = 0;
      for (let i = 0; i < run.timeline.shown; i += 10) {
        panto.clock.seek(run.timeline.t[i]);
        for (const { name, dof, type } of run.model.joints) {
          if (dof === null || type !== "revolute") continue;
          worst = Math.max(worst, Math.abs(Math.sin(panto.other.joint(name) - run.timeline.s.values[i * run.timeline.s.columns + dof])));
        }
      }
      return worst;
    });
    assert.ok(worst < 1e-4, `${worst} rad`);
    const knee = page.locator(".chart", { has: page.locator("select") }).nth(1);
    assert.match(await knee.locator(".readout").textContent(), /other: left_knee_joint/);
    await page.getByLabel("Where the other run is drawn").selectOption("hidden");
    assert.equal(await page.evaluate(() => window.panto.other.joint("left_knee_joint")), null);
    await page.getByRole("button", { name: "End the comparison" }).click();
    assert.equal(await page.evaluate(() => window.panto.other), null);
    assert.ok(await page.locator("#compare").isHidden());
    assert.doesNotMatch(await knee.locator(".readout").textContent(), /other/);
  });
});

test("a report that is dropped is compared, another recording is called so, and what is no report is refused", PATIENCE, async () => {
  const drop = (page, file) =>
    page.evaluate(([text, name]) => {
      const files = new DataTransfer();
      files.items.add(new File([text], name, { type: "text/html" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    }, [fs.readFileSync(file, "utf8"), path.basename(file)]);
  const wave = track(path.join(path.dirname(WALK), "wave.bvh"), "wave.html");
  const broken = path.join(the.folder, "broken.html");
  fs.writeFileSync(broken, '<script id="panto-run" type="application/json">{"version": 1</script>');
  await visit(planted, async (page) => {
    const said = page.locator("#options output").last();
    for (const [file, words] of [[WALK, /walk\.bvh is no report page of Panto/], [broken, /broken\.html cannot be read: /]]) {
      await drop(page, file);
      await page.waitForFunction((name) => document.querySelector("#options > output").textContent.includes(name), path.basename(file));
      assert.match(await said.textContent(), words);
      assert.equal(await page.evaluate(() => window.panto.other), null);
    }
    await drop(page, wave);
    await page.waitForFunction(() => window.panto.other !== null);
    assert.match(await page.locator("#compare").textContent(), /Its recording is another one, wave\.bvh/);
    await page.evaluate(() => window.panto.clock.seek(1));
  });
});

for (const [width, theme] of [[360, "dark"], [1440, "light"]]) {
  test(`a comparison fits, has contrast and is accessible at ${width}, ${theme}`, PATIENCE, async () => {
    await visit(planted, async (page) => {
      await compare(page, free);
      assert.deepEqual(await page.evaluate(flaws), []);
      assert.deepEqual(await page.evaluate(lowContrast), []);
      await page.evaluate(axe());
      assert.deepEqual(await page.evaluate(async () => (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`)), []);
    }, { width, height: 900, theme });
  });
}
