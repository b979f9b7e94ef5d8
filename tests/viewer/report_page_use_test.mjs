// The report page in use: what scene, curves and controls do. harness.mjs says what it needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PATIENCE, the, visit } from "./harness.mjs";

test("every joint angle in the scene is that of the .csv within 0.05 deg", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
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
    }, the.table);
    assert.equal(the.table.rows.length, 150);
    assert.equal(the.table.joints.length, 66);
    assert.ok((worst * 180) / Math.PI < 0.05, `${(worst * 180) / Math.PI} deg off: ${name}`);
    assert.ok(worst > 0, "sixteen bits cannot be exact: the test compares nothing");
  });
});

test("a click on a worst moment moves replay and curves there", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
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

test("a click in a curve goes there", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const over = page.locator(".chart .u-over").nth(1);
    await over.scrollIntoViewIfNeeded();
    const { width } = await over.boundingBox();
    await over.click({ position: { x: width / 2, y: 40 } });
    const t = await page.evaluate(() => window.panto.clock.t);
    assert.ok(Math.abs(t - 149 / 30 / 2) < 0.05, `${t} s`);
  });
});

test("pointing at a curve reads its values there", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const chart = page.locator(".chart", { has: page.locator("h3", { hasText: "Joint angle" }) }).nth(1);
    const over = chart.locator(".u-over");
    await over.scrollIntoViewIfNeeded();
    const { width } = await over.boundingBox();
    await over.hover({ position: { x: 0.3 * width, y: 40 } });
    const text = await chart.locator(".readout").textContent();
    const [, at, knee] = /^([\d.]+) s.*Right Knee about\sy ([−\d.]+)°/.exec(text) ?? assert.fail(`reads: ${text}`);
    const row = the.table.rows.find((candidate) => candidate[0].toFixed(2) === at);
    assert.ok(row && Math.abs(row[0] - 0.3 * (149 / 30)) < 0.05, `${at} s is where the pointer is`);
    const expected = (row[8 + the.table.joints.indexOf("jRightKnee_roty")] * 180) / Math.PI;
    assert.ok(expected > 1, "the knee is bent there");
    assert.ok(Math.abs(Number(knee) - expected) < 0.1, `reads ${knee}° where the .csv has ${expected}°`);
    assert.equal(await page.evaluate(() => window.panto.clock.index), 0, "pointing does not move the replay");
  });
});

test("the slider moves the scene, and the keys still work from it", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    const index = () => page.evaluate(() => window.panto.clock.index);
    const slider = page.getByLabel("Time", { exact: true });
    await slider.fill("75");
    assert.equal(await index(), 75);
    assert.equal(await page.locator("output.time").textContent(), "2.50 s");
    const pelvis = await page.evaluate(() => window.panto.scene.link("Pelvis"));
    await slider.press("ArrowRight");
    assert.equal(await index(), 76);
    assert.notDeepEqual(await page.evaluate(() => window.panto.scene.link("Pelvis")), pelvis);
    await slider.press(" ");
    await page.waitForFunction(() => window.panto.clock.index > 78);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.keyboard.press("Home");
    assert.equal(await index(), 0, "a button that has the focus leaves the arrows and ends to the replay");
  });
});

test("the whole body is in the picture, from every side", PATIENCE, async () => {
  for (const [width, height] of [[360, 800], [1440, 900]]) {
    const look = async (page) => {
      for (const view of ["Corner", "Front", "Side"]) {
        await page.getByRole("button", { name: view, exact: true }).click();
        const [least, most] = await page.evaluate(() => window.panto.scene.bounds());
        for (const share of [...least, ...most]) assert.ok(share > -0.95 && share < 0.95, `${view}: ${least} to ${most}`);
        assert.ok(most[1] - least[1] > 0.8, `${view}: the body fills less than two fifths of the height`);
      }
    };
    await visit(the.walk, look, { width, height });
  }
});

test("the keyboard plays, steps and goes to the ends", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
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

test("the button switches the theme of page and replay", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
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
