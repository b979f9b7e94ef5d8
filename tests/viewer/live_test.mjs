// `panto live --view` in a browser, and by Foxglove's own client. harness.mjs says what it needs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { axe, complaintsOf, felt, fresh, PATIENCE, SUIT, WALK } from "./harness.mjs";

const require = createRequire(path.join(process.env.PANTO_PAGE_WORK, "package.json"));
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { WebSocket } = require("ws");

/** Runs `panto live` while `look` is given its address, what it says, and a way to end it. */
async function running(words, look, port = 0) {
  const run = spawn(process.env.PANTO_COMMAND, ["live", "--view", "--no-open", "--port", String(port), ...words], { stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  const ended = new Promise((go) => run.on("exit", (code) => go(code)));
  try {
    const address = await new Promise((go, fail) => {
      run.stderr.on("data", (bytes) => {
        said += bytes;
        const found = /http:\/\/127\.0\.0\.1:\d+\/#\w+/.exec(said);
        if (found) go(found[0]);
      });
      run.on("exit", () => fail(new Error(`it ended: ${said}`)));
    });
    await look(address, { said: () => said, end: async () => (run.kill("SIGINT"), ended), type: (line) => run.stdin.write(`${line}\n`) });
  } finally {
    run.kill("SIGINT");
    assert.equal(await ended, 0, said);
  }
}

async function opened(address, look, { width = 1280, height = 800, theme = "light" } = {}) {
  const context = await fresh({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const own = new URL(address).host;
    const complaints = complaintsOf(page, (url) => new URL(url).host === own);
    await page.goto(address);
    await page.waitForFunction(() => window.pantoLive?.replay?.frames > 2);
    await look(page, complaints);
  } finally {
    await context.close();
  }
}

const G1 = ["--in", WALK, "--loop", "--robot", "g1"];
const headline = (page, pattern) => page.locator(".headline").filter({ hasText: pattern }).waitFor();

for (const [width, height, theme] of [[390, 844, "light"], [820, 1180, "dark"], [1440, 900, "light"]]) {
  test(`a run is shown while it goes, at ${width} px, ${theme}`, PATIENCE, async () => {
    await running(G1, (address) => opened(address, async (page, complaints) => {
      await headline(page, /^Live$/);
      const before = await page.evaluate(() => [window.pantoLive.received, window.pantoLive.run.timeline.p_WB.values[0], window.pantoLive.replay.frames]);
      await page.waitForFunction(([received, , drawn]) => window.pantoLive.received > received + 20 && window.pantoLive.replay.frames > drawn, before);
      const after = await page.evaluate(() => [window.pantoLive.received, window.pantoLive.run.timeline.p_WB.values[0]]);
      assert.notEqual(after[1], before[1], "the robot walks");
      if (process.env.PANTO_PICTURES) await page.screenshot({ path: path.join(process.env.PANTO_PICTURES, `live_${width}_${theme}.png`) });
      // it stands on the floor, and the person beside it
      const soles = Object.values(await page.evaluate(() => window.pantoLive.replay.soles()));
      assert.ok(Math.min(...soles) > -0.03 && Math.min(...soles) < 0.06, `soles at ${soles} m`);
      assert.ok(await page.evaluate(() => window.pantoLive.replay.source.known));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
      assert.deepEqual(await page.evaluate(lowContrast), []);
      await page.evaluate(axe());
      assert.deepEqual((await page.evaluate(() => window.axe.run())).violations.map(({ id }) => id), []);
      assert.deepEqual(complaints, [], "console and network stay silent");
    }, { width, height, theme }));
  });
}

test("the page that has the token marks instants and turns the person ahead; another cannot", PATIENCE, async () => {
  await running(G1, async (address, run) => {
    await opened(address, async (page, complaints) => {
      await page.waitForTimeout(1500);
      const place = () => page.evaluate(() => Array.from(window.pantoLive.run.timeline.p_WB.values.slice(0, 2)));
      await page.getByRole("button", { name: "Mark" }).click();
      await page.locator(".log li").filter({ hasText: /mark 1$/ }).waitFor();
      const before = await place();
      assert.ok(Math.hypot(...before) > 0.3, `the walk has left the origin: ${before}`);
      await page.getByRole("button", { name: "Re-align the person" }).click();
      await page.locator(".log li").filter({ hasText: /re-aligned/ }).waitFor();
      // the walk begins again and again at x = 0: from a new origin, farther on, it comes back to less than that
      await page.waitForFunction(() => window.pantoLive.run.timeline.p_WB.values[0] < -0.2);
      await page.getByRole("button", { name: "Mark" }).click();
      await page.locator(".log li").filter({ hasText: /mark 2$/ }).waitFor();
      if (process.env.PANTO_PICTURES) await page.screenshot({ path: path.join(process.env.PANTO_PICTURES, "live_tools.png") });
      assert.deepEqual(complaints, []);
    });
    assert.match(run.said(), /mark 1\n[^]*re-aligned[^]*mark 2\n/, "the console tells it, too");
    await opened(address.replace(/#.*/, ""), async (page) => {
      await headline(page, /^Live$/);
      assert.equal(await page.getByRole("button", { name: /mark|re-align/i }).count(), 0);
      await page.evaluate(() => window.pantoLive.say({ op: "panto.mark", token: "0123456789abcdef0123456789abcdef" }));
      await page.waitForTimeout(500);
    });
    assert.doesNotMatch(run.said(), /mark 3/);
  });
});

test("robots are armed and disarmed from the page that has the token, and from no other", PATIENCE, async (context) => {
  const robot = dgram.createSocket("udp4").bind(0, "127.0.0.1"); // takes what comes
  context.after(() => robot.close());
  await once(robot, "listening");
  await running([...G1, "--out", `udp://127.0.0.1:${robot.address().port}`], async (address, run) => {
    await opened(address, async (page) => {
      await page.getByRole("button", { name: "Arm the robots" }).click();
      await page.getByText("Robots follow.").waitFor();
      assert.match(run.said(), /armed: robots follow/);
      await page.keyboard.press(" ");
      await page.getByText("Robots hold.").waitFor();
      assert.match(run.said(), /disarmed: robots hold/);
      // pressed again, held down, with the button in focus: space never arms
      await page.getByRole("button", { name: "Arm the robots" }).focus();
      await page.keyboard.press(" ");
      for (let i = 0; i < 5; ++i) await page.keyboard.down(" ");
      await page.keyboard.up(" ");
      await page.waitForTimeout(500);
      await page.getByText("Robots hold.").waitFor();
      assert.equal(run.said().match(/armed: robots follow/g).length, 1);
      run.type("a");
      await page.getByText("Robots follow.").waitFor();
    });
    await opened(address.split("#")[0], async (page) => {
      await page.getByRole("button", { name: "Disarm" }).click();
      await page.getByText(/Robots hold\. To arm them here, open the whole address/).waitFor();
      assert.equal(await page.getByRole("button", { name: /arm/i }).count(), 0, "without the token there is no button");
    });
    await opened(`${address.split("#")[0]}#0123456789abcdef0123456789abcdef`, async (page) => {
      await page.getByText(/Robots hold\. To arm them here/).waitFor();
      await page.evaluate(() => window.pantoLive.say({ op: "panto.arm", armed: true, token: "0123456789abcdef0123456789abcdef" }));
      await page.waitForTimeout(500);
    });
    assert.equal(run.said().match(/armed: robots follow/g).length, 2, "a wrong token does nothing");
    assert.match(run.said(), /disarmed: robots hold[^]*disarmed: robots hold/, "anybody may disarm");
  });
});

test("a run that ends says so, and another one at the same port is shown by itself", PATIENCE, async () => {
  await running(G1, async (address, run) => {
    const port = new URL(address).port;
    await opened(address, async (page) => {
      await headline(page, /^Live$/);
      assert.equal(await run.end(), 0);
      await headline(page, /Not connected/);
      await running(["--in", WALK, "--loop", "--robot", "booster_t1"], async () => {
        await page.waitForFunction(() => window.pantoLive?.run.model.name === "booster_t1" && window.pantoLive.replay?.frames > 2);
      }, port);
    });
  });
});

test("before the first sample the page says what it waits for, and then shows the run by itself", PATIENCE, async () => {
  await running(["--in", "mvn://:9797", "--robot", "g1"], async (address) => {
    const context = await fresh();
    try {
      const page = await context.newPage();
      await page.goto(address);
      await page.getByText("Waiting for the first sample").waitFor();
      const suit = spawn(process.env.PANTO_COMMAND, ["replay", WALK, "--out", "mvn://127.0.0.1:9797", "--loop", "--seconds", "10"], { stdio: "ignore" });
      await page.waitForFunction(() => window.pantoLive?.replay?.frames > 2, null, { timeout: 20_000 });
      assert.equal(new URL(page.url()).hash, new URL(address).hash, "the token stays");
      suit.kill();
      await headline(page, /lost/);
      await page.locator(".log").getByText("the stream is lost").waitFor();
    } finally {
      await context.close();
    }
  });
});

test("the page with the token records takes and calibrates sensors, and says what to do", PATIENCE, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "panto-takes-"));
  const words = ["--in", "imu://127.0.0.1:9798", "--sensors", SUIT, "--robot", "g1", "--record", path.join(folder, "take.mcap")];
  const suit = spawn(process.env.PANTO_COMMAND, ["replay", felt("live_felt.csv"), "--out", "imu://127.0.0.1:9798", "--loop", "--seconds", "40"], { stdio: "ignore" });
  try {
    await running(words, (address, run) => opened(address, async (page, complaints) => {
      await headline(page, /Live|returns/);
      await page.getByRole("button", { name: "Stop recording" }).click();
      await page.locator(".log li").filter({ hasText: /recorded .*take\.mcap$/ }).waitFor();
      await page.getByRole("button", { name: "Record", exact: true }).click();
      await page.locator(".log li").filter({ hasText: /recording to .*take-2\.mcap$/ }).waitFor();
      await page.getByRole("button", { name: "Stop recording" }).waitFor();
      await page.getByRole("combobox", { name: "Poses to hold" }).selectOption("npose tpose");
      await page.getByRole("button", { name: "Calibrate sensors" }).click();
      await page.locator(".log li").filter({ hasText: /get into the npose/ }).waitFor();
      if (process.env.PANTO_PICTURES) await page.screenshot({ path: path.join(process.env.PANTO_PICTURES, "live_sensors.png") });
      assert.deepEqual(await page.evaluate(lowContrast), []);
      await page.evaluate(axe());
      assert.deepEqual((await page.evaluate(() => window.axe.run())).violations.map(({ id }) => id), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
      assert.deepEqual(complaints, []);
      assert.match(run.said(), /recorded .*take\.mcap\n[^]*recording to .*take-2\.mcap\n[^]*get into the npose/);
    }, { width: 390, height: 844 }));
    assert.deepEqual((await readdir(folder)).sort(), ["take-2.mcap", "take.mcap"]);
  } finally {
    suit.kill();
    await rm(folder, { recursive: true });
  }
});

test("raw sensors and a human are shown too", PATIENCE, async () => {
  await running(["--in", felt("live_felt.csv"), "--loop", "--sensors", SUIT, "--model", "human48"], (address) => opened(address, async (page) => {
    await headline(page, /Live|returns/);
    assert.equal(await page.evaluate(() => window.pantoLive.run.model.name), "human48");
    await page.getByRole("button", { name: "Calibrate sensors" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /record/i }).count(), 0, "a file is played");
  }));
});

/** Foxglove's client, subscribed to all; its messages by topic. */
async function viewer(address, subprotocol) {
  const socket = new WebSocket(address.split("#")[0].replace("http", "ws"), [subprotocol]);
  const client = new FoxgloveClient({ ws: socket });
  const heard = {}, topics = new Map();
  const schemas = {};
  client.on("advertise", (channels) => {
    for (const { id, topic, schemaName, schema } of channels) {
      schemas[topic] = [schemaName, JSON.parse(schema)];
      topics.set(client.subscribe(id), topic);
    }
  });
  client.on("message", ({ subscriptionId, timestamp, data }) => {
    (heard[topics.get(subscriptionId)] ??= []).push({ timestamp, message: JSON.parse(new TextDecoder().decode(data)) });
  });
  await new Promise((go, fail) => {
    client.on("open", go);
    client.on("error", fail);
  });
  return { heard, schemas, close: () => client.close() };
}

for (const subprotocol of [FoxgloveClient.SUPPORTED_SUBPROTOCOL, "foxglove.sdk.v1"]) {
  test(`Foxglove's own client receives states, transforms and shapes, as ${subprotocol}`, PATIENCE, async () => {
    await running(G1, async (address) => {
      const { heard, schemas, close } = await viewer(address, subprotocol);
      await new Promise((go) => setTimeout(go, 2000));
      close();
      assert.equal(schemas["/tf"][0], "foxglove.FrameTransforms");
      assert.equal(schemas["/scene"][0], "foxglove.SceneUpdate");
      const rate = heard["/tf"].length / 2;
      assert.ok(rate > 20 && rate <= 66, `${rate} frames/s`);
      const { joints } = heard["/joint_states"].at(-1).message;
      assert.equal(joints.length, 29);
      const { transforms } = heard["/tf"].at(-1).message;
      const shapes = heard["/scene"][0].message.entities;
      for (const { frame_id } of shapes) assert.ok(transforms.some(({ child_frame_id }) => child_frame_id === frame_id), `${frame_id} moves`);
      const pelvis = transforms.find(({ child_frame_id }) => child_frame_id === "pelvis").translation;
      assert.ok(pelvis.z > 0.6 && pelvis.z < 0.9, `a G1's pelvis at ${pelvis.z} m`);
      assert.equal(heard["/person"].at(-1).message.transforms.length, 23);
      // stamps are dates, and the header's is the message's
      const { timestamp, message } = heard["/joint_states"].at(-1);
      assert.equal(Number(timestamp), message.timestamp.sec * 1e9 + message.timestamp.nsec);
      assert.ok(Math.abs(Number(timestamp) / 1e6 - Date.now()) < 5000);
    });
  });
}

const status = (address, { path: asked = "/", method = "GET", headers = {} } = {}) =>
  new Promise((go, fail) => {
    const { port } = new URL(address);
    const request = http.request({ host: "127.0.0.1", port, path: asked, method, headers }, (answer) => {
      answer.resume();
      go(answer.statusCode);
    });
    request.on("upgrade", (answer, socket) => (socket.destroy(), go(answer.statusCode)));
    request.on("error", fail);
    request.end();
  });

test("other origins, other names of this computer and other methods are refused on every route", PATIENCE, async () => {
  await running([...G1, "--allow-origin", "https://app.foxglove.dev"], async (address) => {
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol": "foxglove.sdk.v1" };
    for (const asked of ["/", "/nothing"]) {
      for (const more of [{}, upgrade]) {
        assert.equal(await status(address, { path: asked, headers: { ...more, Origin: "http://evil.example" } }), 403);
        assert.equal(await status(address, { path: asked, headers: { ...more, Host: "evil.example" } }), 403, "a name made to mean this computer");
      }
      assert.equal(await status(address, { path: asked, method: "POST", headers: { Origin: "http://evil.example" } }), 403);
      assert.equal(await status(address, { path: asked, method: "POST" }), 405);
    }
    assert.equal(await status(address, { headers: upgrade }), 101);
    assert.equal(await status(address, { path: "/other", headers: upgrade }), 404, "no page and no WebSocket is there");
    assert.equal(await status(address, { headers: { ...upgrade, Origin: "https://app.foxglove.dev" } }), 101);
  });
});
