// The report page in a real browser, opened from a file: how it looks at three sizes, dark and light, and what it makes
// of runs that are long, strange, empty or hostile. harness.mjs says what it needs.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { changed, dressed, imitate, launch, PATIENCE, project, retarget, sensed, synthesize, the, track, visit, WALK } from "./harness.mjs";
import { flaws } from "./layout.mjs";

const SIZES = [[360, 800], [768, 1024], [1440, 900]];
const SCREENS = [...SIZES, [3840, 2160]];
const MINUTE = 3_000_000; // bytes
const { PANTO_PICTURES: pictures } = process.env;

for (const theme of ["light", "dark"]) {
  for (const [width, height] of SCREENS) {
    test(`opens at ${width} x ${height}, ${theme}: fits, draws, has contrast`, PATIENCE, async () => {
      const look = async (page) => {
        assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
        assert.equal(await page.locator("h1").textContent(), "walk.bvh → human66");
        const colours = await page.evaluate(() => new Set(new Uint32Array(window.panto.scene.pixels().buffer)).size);
        assert.ok(colours > 50, `the replay has only ${colours} colours: nothing is drawn`);
        assert.ok((await page.locator(".chart canvas").count()) >= 6, "curves are drawn");
        if (pictures) {
          fs.mkdirSync(pictures, { recursive: true });
          await page.screenshot({ path: path.join(pictures, `report-${theme}-${width}.png`), fullPage: true });
        }
        assert.deepEqual(await page.evaluate(flaws), []);
        assert.deepEqual(await page.evaluate(lowContrast), []);
      };
      await visit(the.walk, look, { width, height, theme });
    });
  }
}

test("a minute of human66 is under 3 MB, at 60 Hz and at 120 Hz, which says that it is thinned", PATIENCE, async () => {
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

test("a model with limits shows how many joints are on them", PATIENCE, async () => {
  const made = track(WALK, "limits.html", "--model", "human48");
  await visit(made, async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /No joint left its limits/);
    assert.match(await page.locator("#curves").textContent(), /joints on their limits \(none ever was\)/);
    assert.match(await page.locator("#options").textContent(), /joint on a limit/);
  });
  const held = changed(made, "held.html", (run) => {
    const bytes = Buffer.from(run.timeline.on_limit.data, "base64");
    const { columns } = run.timeline.on_limit;
    for (let frame = 30; frame < 60; ++frame) bytes[frame * columns] |= 3;
    run.timeline.on_limit.data = bytes.toString("base64");
  });
  await visit(held, async (page) => {
    const chart = page.locator(".chart", { has: page.locator("h3", { hasText: "Joints on their limits" }) });
    await page.evaluate(() => window.panto.clock.seek(window.panto.run.timeline.t[45]));
    assert.match(await chart.locator(".readout").textContent(), /at once 2 \(/);
    assert.match(await page.locator(".strip-field").getAttribute("aria-label"), /a joint on a limit in 20 % of the frames/);
  });
});

test("limbs that nothing measured are grey, in the replay and in its legend", PATIENCE, async () => {
  const greys = (page) => page.evaluate(() => window.panto.scene.grey());
  await visit(the.walk, async (page) => {
    assert.deepEqual(await greys(page), [], "all of a whole person is measured");
    assert.doesNotMatch(await page.locator("#options").textContent(), /not measured/);
  });
  const armless = changed(the.walk, "armless.html", (run) => {
    run.unmeasured_joint_names = run.model.joints.map((joint) => joint.name).filter((name) => /Shoulder_|Elbow|Wrist/.test(name));
  });
  await visit(armless, async (page) => {
    const grey = await greys(page);
    for (const link of ["RightUpperArm", "LeftForeArm", "LeftHand"]) assert.ok(grey.includes(link), `${link} in ${grey}`);
    assert.ok(!grey.includes("T8") && !grey.includes("RightFoot"), `${grey}`);
    assert.match(await page.locator("#options").textContent(), /not measured/);
  });
});

test("a gesture's page says how long it was, and what was scaled for which joint", PATIENCE, async () => {
  const made = imitate("wave", "wave.html", "--duration", "5.65");
  for (const [width, height] of SIZES) {
    const look = async (page) => {
      const { gesture, scaling } = await page.evaluate(() => window.panto.run);
      assert.ok(scaling.stretch > 1.01);
      const card = (title) => page.locator(".card", { has: page.locator("h3", { hasText: title }) });
      assert.equal(await card("Scaling").locator(".big").textContent(), `${scaling.stretch.toFixed(2)} times as long`);
      const recorded = await card("Gesture 1 of 1").textContent();
      assert.match(recorded, new RegExp(`${gesture.first_s.toFixed(2)}, ${gesture.last_s.toFixed(2)}`));
      const section = await page.locator("#scaling").textContent();
      assert.match(section, /times as long, slower only where it must be/);
      assert.equal(await page.locator("#scaling tbody tr").count(), scaling.fast.length + scaling.swings.length + gesture.limbs.length);
      assert.deepEqual(await page.evaluate(flaws), []);
      assert.deepEqual(await page.evaluate(lowContrast), []);
    };
    await visit(made, look, { width, height });
  }
  await visit(the.walk, async (page) => assert.equal(await page.locator("#scaling").isVisible(), false));
});

test("a page of raw sensors says how surely joints are known and how each sensor fared", PATIENCE, async () => {
  const made = sensed("felt.html");
  for (const [width, height] of SIZES) {
    const look = async (page) => {
      const verdict = await page.locator("#verdict").textContent();
      assert.match(verdict, /Half of the joints are known within [\d.]+°, the least known, .*, within [\d.]+°/);
      assert.match(verdict, /All 17 sensors agree with the model/);
      const known = await page.evaluate(() => window.panto.run.sensors);
      assert.ok(known.joint_sd_median_deg > 0.5 && known.joint_sd_median_deg < known.joint_sd_max_deg && known.joint_sd_max_deg < 45, "degrees, not radians");
      const card = page.locator(".card", { has: page.locator("h3", { hasText: "Expected error" }) });
      assert.equal(await card.locator(".big").textContent(), `${known.joint_sd_median_deg.toPrecision(3)}°`);
      assert.equal(await page.locator("section", { has: page.locator("h2", { hasText: /^Sensors$/ }) }).last().locator("tbody tr").count(), 17);
      assert.equal(await page.locator(".chart .absent").count(), 0, "no curve is empty");
      for (const none of ["Orientation error", "Distance of origins", "Link speed"]) assert.equal(await page.locator("h3", { hasText: none }).count(), 0, none);
      assert.deepEqual(await page.evaluate(flaws), []);
      assert.deepEqual(await page.evaluate(lowContrast), []);
    };
    await visit(made, look, { width, height });
  }
  const evil = '<img src=x onerror="window.hacked=1">';
  const odd = changed(made, "odd.html", (run) => {
    Object.assign(run.sensors.sensors[0], { name: evil, disagrees: true, off_by: 3, nis_acc_mean: 27 });
    Object.assign(run.sensors.sensors[1], { name: "gone", off_by: null, nis_gyro_mean: null, nis_acc_mean: null });
    run.sensors.swapped_sensors = [{ one: "LeftFoot", other: "RightFoot", calibrated: false }];
  });
  await visit(odd, async (page) => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    const verdict = await page.locator("#verdict").textContent();
    assert.ok(verdict.includes(`Disagreeing with the model: ${evil}`));
    assert.match(verdict, /Nothing measured by: gone/);
    assert.match(verdict, /Left Foot and Right Foot may be swapped/);
  });
  const blind = sensed("blind.html", "--smooth");
  await visit(blind, async (page) => assert.match(await page.locator("#verdict").textContent(), /Half of the joints are known within/));
});

test("a file's name is text and nothing else", PATIENCE, async () => {
  const name = '<img src=x onerror="window.hacked=1">\'&amp;.bvh';
  fs.copyFileSync(WALK, path.join(the.folder, name));
  const made = track(path.join(the.folder, name), "hostile.html");
  await visit(made, async (page) => {
    assert.equal(await page.locator("h1").textContent(), `${name} → human66`);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  });
});

test("a joint's name in a BVH file is text and nothing else", PATIENCE, async () => {
  const name = '</script><img/src=x/onerror="window.hacked=1">';
  const clip = path.join(the.folder, "joint.bvh");
  const text = fs.readFileSync(WALK, "utf8");
  assert.match(text, /JOINT Chest2\b/);
  fs.writeFileSync(clip, text.replace(/JOINT Chest2\b/, `JOINT ${name}`));
  await visit(track(clip, "joint.html"), async (page) => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.ok((await page.locator("#details").textContent()).includes(name), "the rig names the joint");
    assert.equal(await page.locator("img").count(), 0);
  });
});

test("a stranger's rig, notes and names are text and nothing else", PATIENCE, async () => {
  const evil = '</script><img src=x onerror="window.hacked=1">';
  const made = changed(the.walk, "rig.html", (run) => {
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

/** Keeps the first `count` frames of a run. */
function cut(run, count) {
  for (const part of Object.values(run.timeline)) {
    if (!part?.data) continue;
    const bytes = Buffer.from(part.data, "base64");
    part.data = bytes.subarray(0, (count * bytes.length) / run.timeline.shown).toString("base64");
  }
  run.timeline.frames = run.timeline.shown = run.card.frames = count;
  for (const key of Object.keys(run.card.status_counts)) run.card.status_counts[key] = 0;
  run.card.status_counts.solved = count;
}

test("one frame and no frame are pages too", PATIENCE, async () => {
  const one = changed(the.walk, "one.html", (run) => cut(run, 1));
  await visit(one, async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /The one frame was solved/);
    assert.deepEqual(await page.evaluate(() => [window.panto.run.timeline.shown, window.panto.clock.index]), [1, 0]);
    assert.ok(Number.isFinite(await page.evaluate(() => window.panto.scene.joint("jRightKnee_roty"))));
  });
  const none = changed(the.walk, "none.html", (run) => {
    cut(run, 0);
    for (const key of ["angle_mean_deg", "angle_max_deg", "rate_hz", "duration_s", "step_p50_us"]) run.card[key] = null;
    run.moments = [];
  });
  const look = async (page) => {
    assert.match(await page.locator("#verdict").textContent(), /No orientation could be judged/);
    assert.match(await page.locator("#stage").textContent(), /no frames/);
  };
  await visit(none, look, { webgl: false });
});

test("a run of which little is known is a page too", PATIENCE, async () => {
  const made = changed(the.walk, "unknown.html", (run) => {
    for (const key of ["source", "angle_error", "origin_distance", "joint_speed", "turn_speed", "link_speed"]) {
      const part = run.timeline[key];
      part.data = Buffer.alloc(Buffer.from(part.data, "base64").length, 0xff).toString("base64");
    }
    for (const key of Object.keys(run.card)) {
      if (typeof run.card[key] === "number" && key !== "frames") run.card[key] = null;
    }
  });
  await visit(made, async (page) => {
    assert.match(await page.locator("#options").textContent(), /the source has no positions/);
    const curves = await page.locator("#curves").textContent();
    for (const title of ["Orientation error", "Turning speed", "Link speed", "Distance of origins"]) assert.ok(curves.includes(`${title} (not measured)`), title);
    assert.equal(await page.locator(".chart .absent").count(), 0, "what has nothing to draw is no curve");
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
  });
});

/** A box of STL triangles around a place [m]. */
function stlBox(x, y, z, [dx, dy, dz]) {
  const corner = (i) => [x + (i & 1 ? dx : -dx), y + (i & 2 ? dy : -dy), z + (i & 4 ? dz : -dz)].join(" ");
  const faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
  const text = faces.map((face) => `facet normal 0 0 0\nouter loop\n${face.map((i) => `vertex ${corner(i)}\n`).join("")}endloop\nendfacet\n`);
  return `solid box\n${text.join("")}endsolid box\n`;
}

test("a robot's own meshes are drawn where its URDF names them, and missing ones are named", PATIENCE, async () => {
  const visual = (geometry, colour) => `<visual><geometry>${geometry}</geometry><material name=""><color rgba="${colour}"/></material></visual>`;
  const mesh = (name) => `<mesh filename="package://shaped/meshes/${name}"/>`;
  const meshes = path.join(the.folder, "shaped/meshes");
  fs.mkdirSync(meshes, { recursive: true });
  fs.writeFileSync(path.join(meshes, "chest.stl"), stlBox(0, 0, 0.2, [0.1, 0.14, 0.2]));
  fs.writeFileSync(path.join(meshes, "shin.obj"), "v 0.05 0.05 0\nv -0.05 0.05 0\nv 0 -0.05 0\nv 0 0 -0.3\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
  const robot = dressed("unitree_g1", "shaped/urdf", {
    torso_link: visual(mesh("chest.stl"), "1 0 1 1"),
    left_knee_link: visual(mesh("shin.obj"), "0 1 0 1"),
    right_knee_link: visual(mesh("gone.stl"), "0 1 0 1"),
    pelvis: visual('<box size="0.16 0.2 0.1"/>', "0.2 0.2 0.2 1"),
  });
  await visit(retarget(WALK, robot, "shaped.html"), async (page) => {
    assert.match(await page.locator("main").textContent(), /1 mesh file is missing \(package:\/\/shaped\/meshes\/gone.stl\)/);
    const shapes = await page.evaluate(() => window.panto.run.shapes.map(({ points, triangles }) => [points.length / 3, triangles.length / 3]));
    assert.deepEqual(shapes.sort((a, b) => a[0] - b[0]), [[4, 4], [8, 12], [8, 12]]);
    // magenta is on no other thing of the page
    const magenta = await page.evaluate(() => {
      const pixels = window.panto.scene.pixels();
      let count = 0;
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 120 && pixels[i + 1] < 60 && pixels[i + 2] > 120) ++count;
      return count;
    });
    assert.ok(magenta > 200, `the chest covers ${magenta} pixels`);
    if (pictures) await page.locator("#stage").screenshot({ path: path.join(pictures, "report-shapes.png") });
    assert.deepEqual(await page.evaluate(flaws), []);
  });
});

test("without WebGL numbers and curves work and the replay says why it is not there", PATIENCE, async () => {
  const blind = await launch("--disable-3d-apis");
  const look = async (page) => {
    assert.match(await page.locator("#stage").textContent(), /no WebGL/);
    assert.ok((await page.locator(".chart canvas").count()) >= 6);
    const moment = page.locator("#moments button").first();
    await moment.click();
    const t = Number(await moment.getAttribute("data-t"));
    assert.ok(Math.abs((await page.evaluate(() => window.panto.clock.t)) - t) < 1e-9);
  };
  try {
    await visit(the.walk, look, { from: blind, webgl: false });
  } finally {
    await blind.close();
  }
});

test("versions are exact, and the lock file names no address to download from", PATIENCE, () => {
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
