// What the report page finds in a motion: strides, uncertainty of limbs, parts in each other. harness.mjs says what it
// needs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { before, test } from "node:test";
import { changed, PATIENCE, retarget, sensed, the, track, visit, WALK } from "./harness.mjs";

let g1 = "", running = "", suit = "";
before(() => {
  g1 = retarget(WALK, "g1", "g1.html");
  const run = path.join(the.folder, "run.mvnx");
  execFileSync(process.env.PANTO_COMMAND, ["synthesize", "run", "-o", run], { stdio: "ignore" });
  running = track(run, "running.html");
  suit = sensed("suit.html", "--cov");
}, PATIENCE);

const ask = (page, name) => page.evaluate((name) => window.panto[name], name);
const FRAME = 1 / 30;
/** The walk's right foot strikes at multiples of this, the left one half a stride later [s]. */
const STRIDE = 1 / 0.9;

test("strides of a walk of known strikes are found within a frame", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const { strides } = await ask(page, "gait");
    assert.ok(strides.filter(({ side }) => side === "left").length >= 3 && strides.length >= 7, `${strides.length} strides`);
    for (const { side, from, to, off } of strides) {
      const begin = side === "right" ? 0 : STRIDE / 2;
      for (const strike of [from, to]) {
        const early = (strike - begin + 10 * STRIDE) % STRIDE;
        assert.ok(Math.min(early, STRIDE - early) < 1.05 * FRAME, `${side} strike at ${strike} s`);
      }
      // feet of walkers stand for 60 to 65 % of the stride
      assert.ok(off > 0.55 && off < 0.7, `off at ${off}`);
    }
  });
});

test("curves over the stride are the mean of the .csv over strides", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const { strides, cycles } = await ask(page, "gait");
    assert.deepEqual(cycles.map(({ title }) => title), ["Hip flexion", "Knee flexion", "Ankle dorsiflexion"]);
    const knee = 8 + the.table.joints.indexOf("jRightKnee_roty");
    const at = (t) => {
      const i = Math.min(Math.floor(t / FRAME + 1e-6), the.table.rows.length - 2);
      const [a, b] = [the.table.rows[i], the.table.rows[i + 1]];
      return a[knee] + ((b[knee] - a[knee]) * (t - a[0])) / (b[0] - a[0]);
    };
    const right = strides.filter(({ side }) => side === "right");
    for (const share of [0, 10, 25, 37]) {
      const mean = right.reduce((sum, { from, to }) => sum + at(from + (2 * share * (to - from)) / 100), 0) / right.length;
      assert.ok(Math.abs(cycles[1].right.mean[share] - (mean * 180) / Math.PI) < 0.05, `${2 * share} %`);
    }
    assert.equal(await page.locator("#gait canvas").count(), 3);
  });
});

test("a robot that walks has strides; who gestures or marches in place has none", PATIENCE, async () => {
  await visit(g1, async (page) => {
    const { cycles } = await ask(page, "gait");
    assert.deepEqual(cycles.map(({ title }) => title), ["hip pitch joint", "knee joint", "ankle pitch joint"]);
  });
  const marching = changed(the.walk, "marching.html", ({ timeline }) => {
    const bytes = Buffer.from(timeline.p_WB.data, "base64");
    for (let i = 0; i < bytes.length; i += 12) bytes.writeFloatLE(bytes.readFloatLE(0), i);
    timeline.p_WB.data = bytes.toString("base64");
  });
  for (const file of [track(path.join(path.dirname(WALK), "wave.bvh"), "wave.html"), marching]) {
    await visit(file, async (page) => {
      assert.equal(await ask(page, "gait"), null);
      assert.ok(await page.locator("#gait").isHidden());
    });
  }
});

/** Correlation of two curves. */
const alike = (a, b) => {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [p, q] = [a, b].map((values) => values.map((value) => value - mean(values)));
  const times = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  return times(p, q) / Math.sqrt(times(p, p) * times(q, q));
};

/** Where the hip's chart has the colour of the healthy band and nothing above it: how many pixels, and the rows [from, to] that
 * it spans at these shares of the stride [%]. */
const shaded = (page, shares = []) =>
  page.locator("#gait .cycle").first().evaluate((cycle, shares) => {
    const canvas = cycle.querySelector("canvas");
    const fill = getComputedStyle(document.documentElement).getPropertyValue("--norm-fill").trim();
    const [red, green, blue, alpha] = [1, 3, 5, 7].map((i) => parseInt(fill.slice(i, i + 2), 16));
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    // colours are kept times their opacity: a few steps are lost
    const grey = (i) => Math.abs(data[i + 3] - alpha) <= 2 && [red, green, blue].every((value, k) => Math.abs(data[i + k] - value) <= 4);
    const found = Array.from({ length: data.length / 4 }, (_, i) => i).filter((i) => grey(4 * i));
    const [page, plot] = [canvas, cycle.querySelector(".u-over")].map((part) => part.getBoundingClientRect());
    const spans = shares.map((share) => {
      const column = Math.round(((plot.left - page.left + (share / 100) * plot.width) * canvas.width) / page.width);
      const rows = found.filter((i) => i % width === column).map((i) => Math.floor(i / width));
      return [Math.min(...rows), Math.max(...rows) + 1];
    });
    return { count: found.length, spans };
  }, shares);

test("behind a person's curves lies the published band of healthy adults, with its source", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const { cycles } = await ask(page, "gait");
    const [hip, knee, ankle] = cycles.map(({ norm }) => norm);
    for (const { mean, sd } of [hip, knee, ankle]) assert.deepEqual([mean.length, sd.length], [51, 51]);
    // Fukuchi et al. 2018, 24 young adults, T05, at 40 %: 3.43993 ± 3.93470; the others at 0 and 64 %
    assert.deepEqual([knee.mean[20], knee.sd[20]], [3.4, 3.9]);
    assert.deepEqual([hip.mean[0], hip.sd[0], ankle.mean[32], ankle.sd[32]], [29.9, 6.4, -13.2, 5.5]);
    // flexion is positive on both: the two agree in shape, whatever their zero
    for (const { title, left, norm } of cycles) assert.ok(alike(left.mean, norm.mean) > 0.95, `${title}: ${alike(left.mean, norm.mean)}`);
    assert.match(await page.locator("#gait .hint").last().innerText(), /^Grey: .*24 healthy adults .*1\.24 ± 0\.15 m\/s.*Fukuchi.*e4640.*offset/);
    const plot = page.locator("#gait .cycle .u-over").nth(1);
    await plot.scrollIntoViewIfNeeded();
    const { width, height } = await plot.boundingBox();
    await plot.hover({ position: { x: 0.4 * width, y: height / 2 } });
    assert.match(await page.locator("#gait .cycle .readout").nth(1).innerText(), /40 %[^]*Healthy 3\.4° ± 3\.9/);
    // drawn: 13.9 ± 7.0 at 24 %, 30.8 ± 6.6 at 84 %, where no line of the walk covers an edge
    const { count, spans } = await shaded(page, [24, 84]);
    assert.ok(count > 500, `${count} grey pixels`);
    const [low, high] = spans.map(([from, to]) => (from + to) / 2);
    const row = (low - high) / (30.8 - 13.9);
    spans.forEach(([from, to], k) => assert.ok(Math.abs(to - from - 2 * [7, 6.6][k] * row) < 2.5, `rows ${from} to ${to}, ${row} a degree`));
  });
});

test("a robot has no band of healthy adults, nor has who runs", PATIENCE, async () => {
  const none = async (page) => {
    assert.ok((await ask(page, "gait")).cycles.every(({ norm }) => norm === null));
    assert.equal(await page.locator("#gait .hint").count(), 1);
    assert.doesNotMatch(await page.locator("#gait").innerText(), /Healthy/i);
    assert.equal((await shaded(page)).count, 0);
  };
  for (const file of [g1, running]) await visit(file, none);
});

test("a limb's cone is as wide as its joint's standard deviation, and joints without a sensor have none", PATIENCE, async () => {
  await visit(suit, async (page) => {
    await page.evaluate(() => window.panto.clock.seek(2));
    assert.deepEqual(await page.evaluate(() => window.panto.scene.cones()), []);
    await page.getByRole("button", { name: "Uncertainty" }).click();
    const { cones, knees, assumed } = await page.evaluate(() => {
      const { run, clock, scene } = window.panto;
      const { values, columns } = run.timeline.deviation;
      const of = (name) => values[clock.index * columns + run.model.joints.find((joint) => joint.name === name).dof];
      const assumed = run.sensors.joints.filter(({ measured }) => !measured).map(({ name }) => run.model.links[run.model.joints.find((joint) => joint.name === name).child].name);
      return { cones: scene.cones(), knees: { LeftLowerLeg: of("jLeftKnee_roty"), RightLowerLeg: of("jRightKnee_roty") }, assumed };
    });
    assert.ok(cones.length >= 14, `${cones.length} cones`);
    for (const [link, sd] of Object.entries(knees)) {
      const { wide } = cones.find((cone) => cone.link === link);
      // a hinge across the shank: all of it one way, nothing the other
      assert.ok(Math.abs(wide[0] - sd) < 0.01 * sd && wide[1] < 1e-6, `${link}: ${wide} of ${sd} rad`);
    }
    assert.ok(assumed.length > 0);
    assert.deepEqual(cones.filter(({ link }) => assumed.includes(link)), []);
  });
  await visit(the.walk, async (page) => assert.equal(await page.getByRole("button", { name: "Uncertainty" }).count(), 0));
});

test("parts in each other are marked on the body, on the timeline and among the worst moments", PATIENCE, async () => {
  const touching = changed(g1, "touching.html", (run) => {
    const link = (name) => run.model.links.findIndex((candidate) => candidate.name === name);
    const pair = { name: "left_ankle_roll_link - right_ankle_roll_link", links: ["left", "right"].map((side) => link(`${side}_ankle_roll_link`)) };
    run.overlaps = [
      { ...pair, from_s: 1, to_s: 1.5, at_s: 1.2, max_mm: 12.5 },
      { name: "left_elbow_link - torso_link", links: [link("left_elbow_link"), link("torso_link")], from_s: 3, to_s: 3, at_s: 3, max_mm: 31 },
    ];
  });
  await visit(touching, async (page) => {
    const at = (t) => page.evaluate((t) => (window.panto.clock.seek(t), window.panto.scene.overlapping().sort()), t);
    assert.deepEqual(await at(0.9), []);
    assert.deepEqual(await at(1.2), ["left_ankle_roll_link", "right_ankle_roll_link"]);
    assert.deepEqual(await at(1.6), []);
    const colours = () => page.evaluate(() => {
      const { data } = { data: window.panto.scene.pixels() };
      let pink = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] > 130 && data[i] > data[i + 1] + 60 && data[i + 2] > data[i + 1] + 30) ++pink;
      return pink;
    });
    await at(0.9);
    const before = await colours();
    await page.locator("#moments button[data-kind=overlap]").first().click();
    assert.equal(await page.evaluate(() => window.panto.clock.t), 3);
    assert.ok((await colours()) > before + 100, "the torso and the elbow are marked");
    assert.match(await page.locator("#moments").textContent(), /31\.0 mm.*12\.5 mm/s);
    assert.match(await page.locator(".strip-labels").textContent(), /Overlaps/);
    assert.match(await page.locator(".strip-field").getAttribute("aria-label"), /parts in each other in 1\d(\.\d)? % of the frames/);
    assert.match(await page.locator(".legend").textContent(), /part in another/);
  });
});
