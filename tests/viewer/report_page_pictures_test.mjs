// Pictures and films that the report page makes of itself. harness.mjs says what it needs.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { launch, PATIENCE, the, visit } from "./harness.mjs";

const picture = (page, options) => page.evaluate((options) => window.panto.picture(options), options);
const film = (page, options) => page.evaluate((options) => window.panto.film(options), options);
/** Width and height that the head of a PNG names. */
const sizeOf = (base64) => [16, 20].map((at) => Buffer.from(base64, "base64").readUInt32BE(at));

/** What one reads off pictures; runs in the page. */
const tools = () => {
  const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const pixels = (bitmap) => {
    const canvas = new OffscreenCanvas(bitmap.displayWidth ?? bitmap.width, bitmap.displayHeight ?? bitmap.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(bitmap, 0, 0);
    return pen.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  window.read = async (base64) => pixels(await createImageBitmap(new Blob([bytes(base64)], { type: "image/png" })));
  window.gif = async (base64, frame) => {
    const decoder = new ImageDecoder({ data: bytes(base64), type: "image/gif" });
    await decoder.completed;
    await decoder.tracks.ready;
    const { image } = await decoder.decode({ frameIndex: frame });
    return { frames: decoder.tracks.selectedTrack.frameCount, lasts: image.duration / 1e6, data: pixels(image) };
  };
  window.webm = (base64, at) => new Promise((go, fail) => {
    const video = document.createElement("video");
    video.muted = true;
    video.onerror = () => fail(new Error(video.error.message));
    video.preload = "auto";
    // a frame may be announced before it can be drawn
    const draw = (tries) =>
      createImageBitmap(video).then(
        (bitmap) => go({ lasts: video.duration, size: [video.videoWidth, video.videoHeight], data: pixels(bitmap) }),
        (error) => (tries > 0 ? setTimeout(draw, 40, tries - 1) : fail(error)),
      );
    // the first frame, decoded; then the one that is wanted
    video.oncanplaythrough = () => {
      if (video.currentTime !== at) return void (video.currentTime = at);
      video.oncanplaythrough = null;
      draw(50);
    };
    video.src = URL.createObjectURL(new Blob([bytes(base64)], { type: "video/webm" }));
  });
  /** Mean difference of two pictures, of 255. */
  window.apart = (a, b) => {
    if (a.length !== b.length) throw new Error(`${a.length} and ${b.length} bytes`);
    let sum = 0;
    for (let i = 0; i < a.length; ++i) sum += Math.abs(a[i] - b[i]);
    return sum / a.length;
  };
};

test("a picture has the size and the instant asked for, and the page is as it was", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.evaluate(tools);
    const stage = async () => {
      const { frames } = await page.evaluate(() => (window.panto.clock.seek(3), window.panto.scene));
      await page.waitForFunction((frames) => window.panto.scene.frames > frames, frames);
      return page.evaluate(() => [document.querySelector("#stage canvas").width, window.panto.clock.t, ...window.panto.scene.bounds().flat().map((place) => place.toFixed(9))]);
    };
    const before = await stage();
    const [one, other] = [await picture(page, { at: 1, width: 640, height: 400 }), await picture(page, { at: 1.4, width: 640, height: 400 })];
    assert.deepEqual(sizeOf(one), [640, 400]);
    assert.equal(await page.evaluate(() => window.panto.clock.t), 3);
    assert.deepEqual(await stage(), before);
    const [same, moved] = await page.evaluate(async ([one, other, again]) => {
      const first = await window.read(one);
      return [window.apart(first, await window.read(again)), window.apart(first, await window.read(other))];
    }, [one, other, await picture(page, { at: 1, width: 640, height: 400 })]);
    assert.equal(same, 0, "the same instant looks the same");
    assert.ok(moved > 0.5, `0.4 s later the picture differs by ${moved}`);
  });
});

test("the verdict stands under a picture if wanted, as large as the picture allows", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.evaluate(tools);
    for (const width of [320, 1280, 3840]) {
      const [plain, said] = [await picture(page, { width, verdict: false }), await picture(page, { width })];
      const [, low] = sizeOf(plain), [, high] = sizeOf(said);
      assert.ok(high > low && high - low < 0.35 * width, `${high - low} of ${width} pixels`);
      // dark letters on the panel's white
      const ink = await page.evaluate(async ([picture, from]) => {
        const data = await window.read(picture);
        let [dark, white] = [0, 0];
        for (let i = 4 * from; i < data.length; i += 4) data[i] < 90 ? ++dark : data[i] > 250 && ++white;
        return dark / (dark + white);
      }, [said, width * (low + 2)]);
      assert.ok(ink > 0.02 && ink < 0.3, `${ink} of the caption is ink at ${width} px`);
    }
  });
});

test("a GIF has the frames of the run, one after the other", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.evaluate(tools);
    const made = await film(page, { kind: "gif", from: 1, to: 2, rate: 10, width: 320, height: 240 });
    assert.match(Buffer.from(made, "base64").toString("latin1", 0, 6), /^GIF89a$/);
    for (const index of [0, 4, 9]) {
      const still = await picture(page, { at: 1 + index / 10, width: 320, height: 240 });
      const { frames, lasts, own, other } = await page.evaluate(async ([made, index, still]) => {
        const { frames, lasts, data } = await window.gif(made, index);
        const wrong = await window.gif(made, (index + 5) % 10);
        const right = await window.read(still);
        return { frames, lasts, own: window.apart(data, right), other: window.apart(wrong.data, right) };
      }, [made, index, still]);
      assert.equal(frames, 10);
      assert.ok(Math.abs(lasts - 0.1) < 1e-6, `a frame lasts ${lasts} s`);
      // 255 colours are not all, yet nearer than another instant
      assert.ok(own < 3 && own < 0.6 * other, `frame ${index} is ${own} off its instant, ${other} off another`);
    }
  });
});

test("a WebM lasts as long as the run, or as its part at its speed, and shows it", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.evaluate(tools);
    const made = await film(page, { from: 1, to: 3, speed: 2, rate: 20, width: 320, height: 240 });
    const still = await picture(page, { at: 2, width: 320, height: 240 });
    const { lasts, size, off } = await page.evaluate(async ([made, still]) => {
      const { lasts, size, data } = await window.webm(made, 0.5 + 1e-3);
      return { lasts, size, off: window.apart(data, await window.read(still)) };
    }, [made, still]);
    assert.ok(Math.abs(lasts - 1) < 0.06, `2 s at twice the speed last ${lasts} s`);
    assert.deepEqual(size, [320, 240]);
    assert.ok(off < 6, `${off} off the instant in its middle`);
  });
});

test("buttons save a picture and a film, and a film can be called off", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    await page.getByText("Save a picture or a film").click();
    const said = page.locator(".saving output");
    const saved = async (name) => {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      const file = await waiting;
      return [file.suggestedFilename(), fs.readFileSync(await file.path())];
    };
    const [name, bytes] = await saved("Picture (PNG)");
    assert.equal(name, "walk-bvh-human66-0.00s.png");
    assert.equal(bytes.readUInt32BE(16), 1600);
    await page.getByRole("button", { name: "Film (GIF)" }).click();
    await page.getByRole("button", { name: /^Stop/ }).click();
    await page.waitForFunction(() => /Nothing was saved/.test(document.querySelector(".saving output").textContent));
    assert.equal(await page.getByRole("button", { name: "Film (GIF)" }).count(), 1);
    await page.getByLabel("Speed of the replay").selectOption("4");
    await page.getByLabel("with the verdict").uncheck();
    const [film, content] = await saved("Film (GIF)");
    assert.equal(film, "walk-bvh-human66.gif");
    assert.match(content.toString("latin1", 0, 6), /^GIF89a$/);
    assert.match(await said.textContent(), /Saved walk-bvh-human66\.gif, \d+\.\d MB/);
  });
});

test("what cannot be drawn says why", PATIENCE, async () => {
  await visit(the.walk, async (page) => {
    for (const [options, words] of [
      [{ width: 10 }, /width: 10 pixels are not from 64 to 7680/],
      [{ width: 2000, height: 64 }, /no room for the replay and the words under it/],
      [{ zoom: 0 }, /zoom 0 is not from/],
    ]) await assert.rejects(picture(page, options), words);
    for (const [options, words] of [
      [{ from: 4, to: 2 }, /a film from 4 s to 2 s shows nothing: the run lasts from 0 s to 4\.9/],
      [{ rate: 500 }, /500 frames by second/],
      [{ rate: 120, speed: 0.1 }, /is too long: at most 3600/],
    ]) await assert.rejects(film(page, options), words);
    assert.equal(sizeOf(await picture(page, { width: 128 }))[0], 128, "and goes on afterwards");
  });
  const blind = await launch("--disable-3d-apis");
  try {
    await visit(the.walk, async (page) => {
      assert.equal(await page.locator(".saving").count(), 0);
      await assert.rejects(picture(page, {}), /offers no WebGL 2/);
    }, { from: blind, webgl: false });
  } finally {
    await blind.close();
  }
});
