// What `panto view` serves, in a browser. harness.mjs says what it needs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { axe, complaintsOf, fresh, PATIENCE, retarget, the, WALK } from "./harness.mjs";

/** Serves files while `look` is given their address and a page that must not complain. */
async function viewing(files, look, { width = 1280, height = 800, theme = "light" } = {}) {
  const server = spawn(process.env.PANTO_COMMAND, ["view", "--no-open", ...files], { stdio: ["ignore", "pipe", "inherit"] });
  const context = await fresh({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  try {
    const line = await new Promise((go) => server.stdout.once("data", (bytes) => go(String(bytes))));
    const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(line)[0];
    const page = await context.newPage();
    const complaints = complaintsOf(page, (url) => url.startsWith(address));
    await look(page, address);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    server.kill("SIGINT");
  }
}

test("a clip is shown as its report page is, under the rules of the server", PATIENCE, async () => {
  await viewing([WALK, "--robot", "g1"], async (page, address) => {
    await page.goto(address);
    await page.waitForFunction(() => window.panto?.scene.frames > 0);
    assert.equal(await page.evaluate(() => window.panto.run.model.name), "unitree_g1");
    // a picture is drawn and packed: blobs and data are allowed
    const picture = await page.evaluate(() => window.panto.picture({ at: 1, width: 320, height: 240 }));
    assert.ok(picture.length > 1000);
  });
});

for (const [width, theme] of [[390, "light"], [1440, "dark"]]) {
  test(`several files are listed, each with its verdict, at ${width} px, ${theme}`, PATIENCE, async () => {
    const page = retarget(WALK, "g1", "view.html"), broken = path.join(the.folder, "broken.bvh");
    fs.writeFileSync(broken, "HIERARCHY\nROOT");
    await viewing([WALK, page, broken], async (shown, address) => {
      await shown.goto(address);
      assert.equal(await shown.locator("li").count(), 3);
      if (process.env.PANTO_PICTURES) await shown.screenshot({ path: path.join(process.env.PANTO_PICTURES, `view_${width}_${theme}.png`) });
      assert.ok(await shown.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
      assert.deepEqual(await shown.evaluate(lowContrast), []);
      await shown.evaluate(axe());
      assert.deepEqual((await shown.evaluate(() => window.axe.run())).violations.map(({ id }) => id), []);
      await shown.getByRole("link").nth(2).click();
      await shown.getByText(/broken\.bvh:\d/).waitFor();
      await shown.goto(`${address}2`);
      await shown.waitForFunction(() => window.panto?.scene.frames > 0);
    }, { width, theme });
  });
}
