// What a visitor of the page in the browser waits for: node run.mjs CLIP.bvh [BODY [FRAMES]], of
// which the first FRAMES count. Needs out/web/index.html (./dev web), and what
// tests/viewer/harness.mjs names.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.dirname(new URL(import.meta.url).pathname);
const project = path.resolve(folder, "../..");
const { PANTO_PAGE_WORK, PANTO_CHROMIUM } = process.env;
const { chromium } = await import(pathToFileURL(path.join(PANTO_PAGE_WORK, "node_modules/playwright-core/index.mjs")));
const [clip, body = "unitree_g1", frames] = process.argv.slice(2);

/** The clip, or its first frames. */
function recording() {
  const text = fs.readFileSync(clip, "utf8");
  if (!frames) return text;
  const [head, rows] = text.split(/(?<=Frame Time:[^\n]*\n)/);
  return head.replace(/Frames:[^\n]*/, `Frames: ${frames}`) + rows.split("\n").slice(0, Number(frames)).join("\n") + "\n";
}

const browser = await chromium.launch({ executablePath: PANTO_CHROMIUM, headless: true, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
page.setDefaultTimeout(120_000);
const began = performance.now();
await page.goto(pathToFileURL(path.join(project, "out/web/index.html")).href + `#body=${body}`);
await page.waitForFunction(() => document.getElementById("sentence").textContent.startsWith("Ready"));
console.log(`ready after ${((performance.now() - began) / 1000).toFixed(2)} s`);
const opened = performance.now();
await page.getByLabel("Open a clip…").setInputFiles([{ name: path.basename(clip), mimeType: "text/plain", buffer: Buffer.from(recording()) }]);
await page.waitForFunction(() => /frames in/.test(document.getElementById("sentence").textContent));
console.log(`opened, solved and shown after ${((performance.now() - opened) / 1000).toFixed(2)} s: ${await page.textContent("#sentence")}`);

// one slider, moved 200 times, each after the answer to the one before
await page.evaluate(() => {
  for (const frame of document.querySelectorAll("#shown iframe")) frame.contentWindow.panto.clock.seek(5);
});
for (let i = 0; i < 200; ++i) {
  await page.evaluate(([i]) => {
    const slider = document.getElementById("set-legs");
    slider.value = String(((i % 20) - 10) / 10);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, [i]);
  await page.waitForFunction((count) => window.pantoApp.took.window.length > count, i);
}
for (let i = 0; i < 6; ++i) {
  await page.evaluate((at) => {
    const slider = document.getElementById("set-legs");
    slider.value = String(at);
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  }, i / 10);
  await page.waitForFunction((count) => window.pantoApp.took.whole.length > count, i + 1);
}
const { window: windows, whole } = await page.evaluate(() => window.pantoApp.took);
const sorted = [...windows].sort((a, b) => a - b);
const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
console.log(`window of 3 s, from the slider's event to the new pose: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, of ${sorted.length}`);
console.log(`whole clip: first ${(whole[0] / 1000).toFixed(2)} s, then ${whole.slice(1).map((ms) => (ms / 1000).toFixed(2)).join(", ")} s`);
await browser.close();
