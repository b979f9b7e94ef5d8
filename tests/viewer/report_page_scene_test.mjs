// What the first screen of the report page shows and what its controls do. harness.mjs says what it needs.
import assert from "node:assert/strict";
import fs from "node:fs";
import { before, test } from "node:test";
import { axe, changed, PATIENCE, retarget, sensed, the, visit, WALK } from "./harness.mjs";

let g1 = "";
before(() => (g1 = retarget(WALK, "g1", "g1.html")), PATIENCE);

const scene = (page, name, ...given) => page.evaluate(([name, given]) => window.panto.scene[name](...given), [name, given]);
/** How many pixels differ between two moments. */
async function changedPixels(page, act) {
  await page.evaluate(() => (window.before = window.panto.scene.pixels()));
  await act();
  return page.evaluate(() => {
    const now = window.panto.scene.pixels();
    let count = 0;
    for (let i = 0; i < now.length; i += 4) if (now[i] !== window.before[i] || now[i + 1] !== window.before[i + 1]) ++count;
    return count;
  });
}

for (const [width, height] of [[390, 844], [1440, 900]]) {
  test(`the first screen of ${width} x ${height} is the replay, its controls and the verdict`, PATIENCE, async () => {
    for (const file of [the.walk, g1]) {
      const look = async (page) => {
        const box = (selector) => page.locator(selector).first().boundingBox();
        const stage = await box("#stage");
        assert.ok(stage.height > 0.45 * height && stage.y < 0.12 * height, `the picture is ${stage.height} px high at ${stage.y} px`);
        for (const part of [".play", "#strip", ".headline"]) {
          const { y, height: tall } = await box(part);
          assert.ok(y + Math.min(tall, 30) <= height, `${part} begins at ${y} px`);
        }
      };
      await visit(file, look, { width, height });
    }
  });
}

test("the replay plays by itself and begins again, and waits where motion is to be reduced", PATIENCE, async () => {
  const index = (page) => page.evaluate(() => window.panto.clock.index);
  const playing = async (page) => {
    await page.waitForFunction(() => window.panto.clock.index > 2);
    await page.evaluate(() => window.panto.clock.seek(1e9));
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.panto.clock.index > 2 && window.panto.clock.index < 100);
    await page.getByLabel("Speed of the replay").selectOption("4");
    // the walk is 5 s long: at this speed it has begun again
    await page.waitForFunction(() => window.panto.clock.index > 120);
    await page.waitForFunction(() => window.panto.clock.index < 60);
    await page.getByRole("button", { name: "Loop" }).click();
    await page.waitForFunction(() => window.panto.clock.index === 149);
    assert.equal(await page.locator(".play").textContent(), "Play", "without the loop it ends at the end");
  };
  await visit(the.walk, playing, { motion: "no-preference" });
  await visit(the.walk, async (page) => {
    await page.waitForTimeout(400);
    assert.equal(await index(page), 0);
  });
});

test("feet that are lit rest on the floor, the other one swings over it, and the strip says so", PATIENCE, async () => {
  for (const [file, feet] of [[the.walk, ["Left foot", "Right foot"]], [g1, ["left_ankle_roll_link", "right_ankle_roll_link"]]]) {
    await visit(file, async (page) => {
      const count = await page.evaluate(() => window.panto.run.timeline.shown);
      let lit = 0, highest = 0;
      for (let i = 0; i < count; i += 3) {
        await page.evaluate((i) => window.panto.clock.seek(window.panto.run.timeline.t[i]), i);
        const [touching, soles] = [await scene(page, "touching"), await scene(page, "soles")];
        assert.deepEqual(Object.keys(soles).sort(), feet);
        for (const foot of feet) {
          if (touching.includes(foot)) assert.ok(soles[foot] > -0.03 && soles[foot] < 0.04, `${foot} is lit ${soles[foot]} m over the floor`);
          else highest = Math.max(highest, soles[foot]);
        }
        lit += touching.length;
      }
      // a walk has one foot or two on the floor
      assert.ok(lit > 0.8 * (count / 3) && lit < 1.8 * (count / 3), `${lit} feet in ${count / 3} frames`);
      assert.ok(highest > 0.03, `the swinging foot rises ${highest} m`);
      assert.match(await page.locator(".strip-field").getAttribute("aria-label"), /Left foot in contact in \d+(\.\d+)? % of the frames/);
    });
  }
});

test("a sole's height is that of its corners, by the link's place in the scene", PATIENCE, async () => {
  await visit(g1, async (page) => {
    const off = await page.evaluate(() => {
      const { scene, clock, run } = window.panto;
      const lowest = (name) => {
        const m = scene.link(name);
        const { corners } = run.model.links.find((link) => link.name === name);
        return Math.min(...corners.map(([x, y, z]) => m[2] * x + m[6] * y + m[10] * z + m[14]));
      };
      const floors = [0, 1, 2, 3].map((t) => {
        clock.seek(t);
        return ["left_ankle_roll_link", "right_ankle_roll_link"].map((foot) => lowest(foot) - scene.soles()[foot]);
      });
      return Math.max(...floors.flat()) - Math.min(...floors.flat());
    });
    assert.ok(off < 1e-6, `the floor moves by ${off} m`);
  });
});

test("a G1 wears the shells of its capsules, and the person it follows stands beside it, with head, hands and feet", PATIENCE, async () => {
  await visit(g1, async (page) => {
    const drawn = await scene(page, "drawn");
    const shaped = await page.evaluate(() => window.panto.run.model.links.filter((link) => link.capsules).map((link) => link.name));
    assert.ok(shaped.length >= 25 && shaped.every((link) => drawn.includes(link)), `${shaped.filter((link) => !drawn.includes(link))}`);
    for (const segment of ["Head", "RightHand", "LeftToe"]) assert.ok(Array.isArray(await scene(page, "source", segment)), segment);
    const [least, most] = await scene(page, "bounds");
    assert.ok((least[0] + most[0]) / 2 < -0.05, "the robot makes room");
    const hidden = await changedPixels(page, () => page.getByLabel("Where the source is drawn").selectOption("hidden"));
    assert.ok(hidden > 2000, `the person covered ${hidden} pixels`);
  });
});

test("a robot that walks faces where it goes, whichever way the axes of its root point", PATIENCE, async () => {
  for (const file of [g1, retarget(WALK, "icub", "icub.html")]) {
    await visit(file, async (page) => {
      const ahead = await page.evaluate(() => {
        const { values } = window.panto.run.timeline.p_WB;
        window.panto.clock.seek(1);
        const [x, y] = [0, 1].map((i) => values[values.length - 3 + i] - values[i]);
        const facing = window.panto.scene.heading();
        return (x * Math.cos(facing) + y * Math.sin(facing)) / Math.hypot(x, y);
      });
      assert.ok(ahead > 0.9, `cosine ${ahead}`);
    });
  }
});

test("every control of the picture changes it, by mouse and by key", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.evaluate(() => window.panto.clock.seek(2.2));
    for (const [name, key, least] of [["Trails", "t", 50], ["Balance", "b", 200]]) {
      const on = await changedPixels(page, () => page.getByRole("button", { name }).click());
      assert.ok(on > least, `${name} changes ${on} pixels`);
      assert.equal(await changedPixels(page, () => page.keyboard.press(key)), on, `${key} takes ${name} away`);
    }
    for (const key of ["2", "3", "4", "1"]) assert.ok((await changedPixels(page, () => page.keyboard.press(key))) > 2000, `view ${key}`);
    const apart = await changedPixels(page, () => page.getByLabel("Where the source is drawn").selectOption("beside"));
    assert.ok(apart > 2000, "the source stands beside the model");
    await page.getByLabel("One frame on", { exact: true }).click();
    assert.equal(await page.evaluate(() => window.panto.clock.index), 67);
    await page.getByLabel("One frame back", { exact: true }).click();
    assert.equal(await page.evaluate(() => window.panto.clock.index), 66);
  });
});

test("a press on the strip goes there, and frames without an answer are on it", PATIENCE, async () => {
  const lost = changed(the.walk, "lost.html", (run) => {
    const bytes = Buffer.from(run.timeline.status.data, "base64");
    const failed = run.statuses.findIndex((status) => !["solved", "saturated", "stuck"].includes(status));
    bytes.fill(failed, 60, 90);
    run.timeline.status.data = bytes.toString("base64");
  });
  await visit(lost, async (page) => {
    const { x, y, width, height } = await page.locator(".strip-field").boundingBox();
    await page.mouse.click(x + 0.25 * width, y + 0.5 * height);
    const t = await page.evaluate(() => window.panto.clock.t);
    assert.ok(Math.abs(t - 0.25 * (149 / 30)) < 0.03, `${t} s`);
    assert.match(await page.locator(".strip-labels").textContent(), /Gaps/);
    assert.match(await page.locator(".strip-field").getAttribute("aria-label"), /not solved in 20 % of the frames/);
  });
});

test("curves go to radians and to a CSV that holds the run's own values", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const chart = page.locator(".chart").nth(1);
    await page.evaluate(() => window.panto.clock.seek(1));
    const [degrees] = /([−\d.]+)°/.exec(await chart.locator(".readout").textContent());
    await page.getByRole("button", { name: "Radians" }).click();
    assert.match(await chart.locator("h3").textContent(), /\[rad\]/);
    const [, radians] = /([−\d.]+)\srad/.exec(await chart.locator(".readout").textContent());
    const number = (text) => parseFloat(text.replace("−", "-"));
    assert.ok(Math.abs((number(radians) * 180) / Math.PI - number(degrees)) < 0.5, `${radians} rad, ${degrees}`);
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const [head, ...rows] = fs.readFileSync(await (await waiting).path(), "utf8").trim().split("\n");
    const heads = head.slice(1, -1).split('","');
    assert.equal(rows.length, 150);
    const knee = heads.findIndex((name) => /Right Knee about y \[rad\]/.test(name));
    const joint = the.table.joints.indexOf("jRightKnee_roty");
    rows.forEach((row, i) => assert.ok(Math.abs(Number(row.split(",")[knee]) - the.table.rows[i][8 + joint]) < 1e-3, `row ${i}`));
  });
});

test("an axis leaves out a rare peak and says so", PATIENCE, async () => {
  const spiked = changed(the.walk, "spiked.html", (run) => {
    const { link_speed: speed } = run.timeline;
    const bytes = Buffer.from(speed.data, "base64");
    speed.scale[0] = 1e-3;
    for (let i = 0; i < 150; ++i) bytes.writeUInt16LE(i === 75 ? 60000 : 1000 + (i % 7) * 50, 2 * i);
    speed.data = bytes.toString("base64");
  });
  await visit(spiked, async (page) => {
    const chart = page.locator(".chart", { has: page.locator("h3", { hasText: "Link speed" }) });
    assert.match(await chart.textContent(), /leaves out a peak of 60(\.\d+)?\sm\/s/);
    assert.doesNotMatch(await page.locator(".chart", { has: page.locator("h3", { hasText: "Turning speed" }) }).textContent(), /leaves out/);
  });
});

for (const theme of ["light", "dark"]) {
  test(`axe-core finds nothing to mend, ${theme}`, PATIENCE, async () => {
    for (const file of [the.walk, g1, sensed("suit.html")]) {
      const look = async (page) => {
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        await page.evaluate(axe());
        const found = await page.evaluate(async () => (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`));
        assert.deepEqual(found, []);
      };
      await visit(file, look, { theme });
    }
  });
}
