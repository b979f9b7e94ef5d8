// The page of a headset, in a browser with an emulated one. harness.mjs says what it needs.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { putOn } from "./emulated_headset.mjs";
import { BODY, personAt } from "./emulated_person.mjs";
import { axe, complaintsOf, fresh, PATIENCE } from "./harness.mjs";
import { freePort, listened, liveRun, served, speedLimits } from "./headset_server.mjs";

const BREAKS = 1;
/** Of the wrists among the joints of the body. */
const LEFT = BODY.indexOf("left-hand-wrist"), RIGHT = BODY.indexOf("right-hand-wrist");
const VIEWER = 83;
/** f32 rounds places of a few metres to less [m]. */
const ROUNDED = 1e-6;

let run = "";
before(async () => {
  run = await liveRun();
}, PATIENCE);

/** Opens the page in a browser with a headset; null as `headset`: without WebXR. */
async function opened(look, { headset = {}, hash = null, begun = false, width = 1280, height = 800, theme = "light" } = {}) {
  const panto = await served(run);
  panto.begun = begun;
  const context = await fresh({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const own = new URL(panto.address).host;
    const complaints = complaintsOf(page, (url) => new URL(url).host === own);
    if (headset) await putOn(page, headset);
    else await page.addInitScript(() => Object.defineProperty(navigator, "xr", { value: undefined }));
    await page.goto(hash === null ? panto.address : panto.address.replace(/#.*/, hash));
    await look(page, panto, complaints);
  } finally {
    await context.close();
    await panto.close();
  }
}

const start = (page) => page.getByRole("button", { name: "Start" }).click();
const reaches = (page, state) => page.waitForFunction((name) => window.pantoHeadset?.state === name, state);

/** The next `count` frames; not `anew`: with those that came before and were not looked at. */
async function next(panto, count = 1, anew = true) {
  if (anew) panto.frames.length = 0;
  while (panto.frames.length < count) await new Promise((go) => setTimeout(go, 10));
  return panto.frames.splice(0);
}

/** How many frames come within so many milliseconds. */
async function within(panto, ms) {
  panto.frames.length = 0;
  await new Promise((go) => setTimeout(go, ms));
  return panto.frames.length;
}

/** Turns as far apart as the quaternions [rad]. */
const apart = (a, b) => 2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, value, i) => sum + value * b[i], 0))));

function assertPose(got, expected, what) {
  for (let i = 0; i < 3; ++i) assert.ok(Math.abs(got[i] - expected[i]) < ROUNDED, `${what}: ${got} is not ${expected}`);
  assert.ok(apart(got.slice(3), expected.slice(3)) < 1e-3, `${what}: turned ${got.slice(3)}, not ${expected.slice(3)}`);
}

test("every joint of a body arrives at its number, with its place and turn", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await page.evaluate(() => Object.assign(window.emulated, { raise: 0.4, person: { arm: 0.4, steps: null, lean: 1 } }));
    await reaches(page, "ready");
    await start(page);
    const frames = await next(panto, 20);
    assert.deepEqual(panto.greetings, ['{"token":"0123456789abcdef"}']);
    assert.deepEqual(panto.protocols, ["panto.webxr.v1"]);
    assert.deepEqual(await page.evaluate(() => window.emulated.requested), { mode: "immersive-ar", requiredFeatures: ["local-floor"], optionalFeatures: ["body-tracking", "hand-tracking"] });
    const expected = personAt({ arm: 0.4, lean: 1 });
    for (const { poses } of frames) {
      assert.deepEqual([...poses.keys()], [...BODY.keys(), VIEWER]);
      BODY.forEach((name, i) => assertPose(poses.get(i).numbers, expected[name], name));
      assertPose(poses.get(VIEWER).numbers, expected.viewer, "viewer");
      assert.ok([...poses.values()].every(({ guessed }) => !guessed));
    }
    // the left arm's turn is no other joint's: an exchange of sides or of joints would be seen
    assert.ok(apart(expected["left-arm-upper"].slice(3), expected["right-arm-upper"].slice(3)) > 0.5);
    frames.forEach(({ version, session, number, time, flags }, i) => {
      assert.equal(version, 1);
      assert.equal(session, frames[0].session);
      assert.equal(number, frames[0].number + i, "frames are numbered one by one");
      assert.equal(flags, number === 0 || (i === 0 && flags === BREAKS) ? BREAKS : 0, "only the first frame does not continue");
      if (i === 0) return;
      const since = Number(time - frames[i - 1].time) / 1e6;
      assert.ok(since > 5 && since < 500, `${since} ms between frames of about 60 Hz`);
    });
    await reaches(page, "streaming");
    await page.getByText("Streaming: body").waitFor();
    await page.getByText(/^\d\d frames per second$/).waitFor();
    assert.ok(!(await page.getByRole("button", { name: "Start" }).isVisible()));
  });
});

test("without body tracking the hands' joints go to those of the body, and the page says so", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await start(page);
    const [{ poses, flags }] = await next(panto, 1, false);
    const hand = (wrist) => Array.from({ length: 25 }, (_, i) => wrist + i);
    assert.deepEqual([...poses.keys()], [...hand(LEFT), ...hand(RIGHT), VIEWER]);
    assert.deepEqual([LEFT, RIGHT, BODY[24], BODY[50]], [18, 44, "left-hand-index-phalanx-proximal", "right-hand-index-phalanx-proximal"]);
    const expected = personAt();
    for (const i of [...hand(LEFT), ...hand(RIGHT)]) assertPose(poses.get(i).numbers, expected[BODY[i]], BODY[i]);
    assert.equal(flags, BREAKS);
    await page.getByText("Streaming: hands and head alone").waitFor();
    // controllers in the hands, and then nothing but the head
    await page.evaluate(() => Object.assign(window.emulated, { hands: false, controllers: true }));
    await page.getByText("Streaming: controllers and head alone").waitFor();
    assert.deepEqual([...(await next(panto))[0].poses.keys()], [84, 85, VIEWER]);
    await page.evaluate(() => Object.assign(window.emulated, { controllers: false }));
    await page.getByText("Streaming: head alone").waitFor();
  }, { headset: { features: ["hand-tracking"], modes: ["immersive-vr"] } });
});

test("while tracking is lost nothing is sent, and guessed places are marked", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await start(page);
    await reaches(page, "streaming");
    await page.evaluate(() => (window.emulated.tracked = false));
    await reaches(page, "tracking_lost");
    assert.equal(await within(panto, 500), 0);
    await page.getByText("Tracking is lost").waitFor();
    await page.evaluate(() => Object.assign(window.emulated, { tracked: true, guessed: true }));
    const [{ poses, flags }] = await next(panto);
    assert.ok([...poses.values()].every(({ guessed }) => guessed));
    assert.equal(flags, 0, "the same space, the same session: it continues");
    await reaches(page, "tracking_lost");
    await page.evaluate(() => (window.emulated.guessed = false));
    await reaches(page, "streaming");
  });
});

test("a space that is re-centred is told once, and a session after another is a new one", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await start(page);
    const [first] = await next(panto);
    panto.frames.length = 0;
    await page.evaluate(() => window.emulated.recentre({ x: 0.7, z: 0, yaw: 0.7 }));
    const frames = [];
    while (!frames.some(({ flags }) => flags === BREAKS)) frames.push(...(await next(panto, 1, false)));
    frames.push(...(await next(panto, 5, false)));
    const told = frames.filter(({ flags }) => flags === BREAKS);
    assert.equal(told.length, 1);
    // from a person 0.7 m to the right, turned to the left by 0.7 rad
    const [x, y, z] = told[0].poses.get(0).numbers;
    assert.ok(Math.hypot(x + 0.7 * Math.cos(0.7), y - 0.95, z + 0.7 * Math.sin(0.7)) < 1e-5, `hips at ${[x, y, z]}`);
    await page.evaluate(() => window.emulated.session.end());
    await reaches(page, "ready");
    panto.frames.length = 0;
    await start(page);
    const [again] = await next(panto, 1, false);
    assert.equal(again.number, 0);
    assert.equal(again.flags, BREAKS);
    assert.notEqual(again.session, first.session);
  });
});

for (const visibility of ["hidden", "visible-blurred"]) {
  test(`a session that is ${visibility} sends nothing until it is seen again`, PATIENCE, async () => {
    await opened(async (page, panto) => {
      await start(page);
      await reaches(page, "streaming");
      await page.evaluate((state) => window.emulated.setVisibility(state), visibility);
      await page.getByText("Paused: the headset shows something else").waitFor();
      assert.equal(await within(panto, 500), 0);
      await page.evaluate(() => window.emulated.setVisibility("visible"));
      assert.equal((await next(panto))[0].flags, 0);
      await reaches(page, "streaming");
    });
  });
}

test("a connection that breaks is made again within the same session", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await start(page);
    const [{ session }] = await next(panto);
    panto.welcomes = false;
    panto.socket.terminate();
    await page.getByText("The connection is lost").waitFor();
    while (panto.greetings.length < 2) await page.waitForTimeout(20);
    assert.equal(await within(panto, 500), 0, "nothing before the welcome");
    panto.welcomes = true;
    panto.socket.send('{"op":"welcome"}');
    assert.equal((await next(panto))[0].session, session);
    await reaches(page, "streaming");
    // the old connection may still stand there: the same headset tries on
    panto.busy = true;
    panto.socket.terminate();
    await page.waitForTimeout(2500);
    assert.equal(await page.evaluate(() => window.pantoHeadset.state), "connection_lost");
    panto.busy = false;
    await next(panto);
  });
});

test("a connection that takes nothing drops frames, tells of the drop with the next, and is made again", PATIENCE, async () => {
  await opened(async (page, panto) => {
    await start(page);
    await reaches(page, "streaming");
    const [{ number }] = await next(panto);
    await page.evaluate(() => {
      window.waiting = Object.getOwnPropertyDescriptor(WebSocket.prototype, "bufferedAmount");
      Object.defineProperty(WebSocket.prototype, "bufferedAmount", { get: () => 1e6, configurable: true });
      window.emulated.recentre({ x: 0, z: 0, yaw: 0.1 });
    });
    await page.waitForFunction(() => window.pantoHeadset.dropped > 5);
    assert.equal(await within(panto, 300), 0);
    await page.evaluate(() => Object.defineProperty(WebSocket.prototype, "bufferedAmount", window.waiting));
    const [frame, after] = await next(panto, 2, false);
    assert.equal(frame.flags, BREAKS, "the frame that told it was dropped");
    assert.equal(after.flags, 0);
    assert.ok(frame.number > number + 5, "numbers of dropped frames are missing");
    await page.evaluate(() => Object.defineProperty(WebSocket.prototype, "bufferedAmount", { get: () => 1e6, configurable: true }));
    await reaches(page, "connection_lost");
    await page.evaluate(() => Object.defineProperty(WebSocket.prototype, "bufferedAmount", window.waiting));
    await next(panto);
    assert.equal(panto.connections, 2);
  });
});

test("what closes the connection for good is said, and not tried again", PATIENCE, async () => {
  await opened(async (page, panto) => {
    panto.token = "another";
    await start(page);
    await page.getByText("This address is of another run").waitFor();
    await page.waitForTimeout(2500);
    assert.equal(panto.connections, 1);
    // at the end of the session it can still be read
    await page.evaluate(() => window.emulated.session.end());
    await page.getByRole("button", { name: "Start" }).waitFor();
    assert.equal(await page.evaluate(() => window.pantoHeadset.state), "wrong_token");
    panto.token = "0123456789abcdef";
    panto.busy = true;
    await start(page);
    await page.getByText("Another headset is sending").waitFor();
    await page.waitForTimeout(2500);
    assert.equal(panto.connections, 2);
    await page.evaluate(() => window.emulated.session.end());
    panto.busy = false;
    await start(page);
    await next(panto);
    panto.socket.close(1001);
    await page.getByText("The run has ended").waitFor();
    await page.evaluate(() => window.emulated.session.end());
    await start(page);
    await next(panto);
    panto.socket.close(1008);
    await page.getByText("Panto cannot read what this page sends").waitFor();
    await page.waitForTimeout(2500);
    assert.equal(panto.connections, 4);
  });
});

test("an address without its token, and a headset that refuses, are said", PATIENCE, async () => {
  await opened(async (page) => {
    await page.getByText("This address is not complete").waitFor();
    assert.ok(!(await page.getByRole("button", { name: "Start" }).isVisible()));
  }, { hash: "" });
  await opened(async (page, panto) => {
    await page.evaluate(() => (window.emulated.refuses = true));
    await start(page);
    await page.getByText(/the person did not allow it\. Allow what the headset asks for/).waitFor();
    assert.equal(panto.connections, 0);
    await page.evaluate(() => (window.emulated.refuses = false));
    await start(page);
    await next(panto);
  });
});

/** Places of the robot in the headset's space. */
const robotAt = (page) => page.evaluate(() => {
  const place = (name) => window.pantoHeadset.link(name)?.slice(12, 15);
  return { pelvis: place("pelvis"), turn: window.pantoHeadset.link("pelvis"), left: place("left_ankle_roll_link"), right: place("right_ankle_roll_link"), shoulder: place("left_shoulder_yaw_link"), other: place("right_shoulder_yaw_link") };
});

test("the run begins without the page being loaded again: the robot stands before the person, and faces them", PATIENCE, async () => {
  await opened(async (page, panto, complaints) => {
    await page.evaluate(() => (window.stays = true));
    await start(page);
    await reaches(page, "streaming");
    const [{ session }] = await next(panto);
    const picture = async (name) => {
      const bytes = Buffer.from((await page.evaluate(() => window.emulated.picture())).split(",")[1], "base64");
      if (process.env.PANTO_PICTURES) fs.writeFileSync(path.join(process.env.PANTO_PICTURES, `headset_${name}.png`), bytes);
    };
    await page.waitForFunction(() => /the robot comes/.test(window.pantoHeadset.panel));
    await picture("waiting");
    panto.begun = true;
    await page.waitForFunction(() => window.pantoLive?.replay?.frames > 2 && window.pantoHeadset.link("pelvis"));
    await page.waitForFunction(() => window.pantoHeadset.panel === "Streaming: body\nRobots hold");
    await picture("robot");
    const robot = await robotAt(page);
    const eye = personAt().viewer;
    const [x, y, z] = robot.pelvis;
    assert.ok(Math.hypot(x - eye[0], z - (eye[2] - 2)) < 0.01, `the pelvis, 2 m ahead of the eyes: ${robot.pelvis}`);
    assert.ok(Math.abs(y - panto.base[2]) < 1e-3, "at its height: life size, on the floor");
    assert.ok(robot.turn[9] > 0.999 && robot.turn[2] > 0.99, `upright, and its x axis to the person: ${robot.turn}`);
    assert.ok(robot.left[0] > robot.right[0], "it faces the person and is not mirrored: its left foot is at their right");
    assert.ok(robot.left[1] > 0 && robot.left[1] < 0.15, `an ankle ${robot.left[1]} m over the floor`);
    assert.ok(robot.shoulder[1] - robot.other[1] > -0.02);
    assert.equal((await next(panto))[0].session, session, "the session goes on");
    assert.ok(await page.evaluate(() => window.stays), "and so does the page");
    await page.getByText("Robots hold. A headset does not arm them").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Arm/ }).count(), 0, "the token is right, but this is a headset");
    // re-centred, it stands before the person again
    await page.evaluate(() => window.emulated.recentre({ x: 0.7, z: 0, yaw: 0.7 }));
    await page.waitForTimeout(300);
    const [{ poses }] = await next(panto);
    const [vx, , vz] = poses.get(VIEWER).numbers;
    const moved = (await robotAt(page)).pelvis;
    assert.ok(Math.abs(Math.hypot(moved[0] - vx, moved[2] - vz) - 2) < 0.01);
    await page.evaluate(() => Object.assign(window.emulated, { gaze: [-0.15, -0.3] }));
    await page.waitForTimeout(100);
    await picture("beside");
    assert.deepEqual(complaints.filter((text) => !/404/.test(text)), []);
  }, { headset: { size: 700 } });
});

for (const [width, height, theme, headset] of [[360, 780, "dark", {}], [390, 844, "light", {}], [820, 1180, "dark", null], [1440, 900, "light", {}]]) {
  test(`the page fits ${width} px, ${theme}, ${headset ? "with" : "without"} a headset`, PATIENCE, async () => {
    await opened(async (page, panto, complaints) => {
      const picture = async (name) => process.env.PANTO_PICTURES && page.screenshot({ path: path.join(process.env.PANTO_PICTURES, `headset_${width}_${theme}_${name}.png`) });
      await reaches(page, headset ? "ready" : "no_webxr");
      const looked = async () => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
        assert.deepEqual(await page.evaluate(lowContrast), []);
        assert.deepEqual((await page.evaluate(() => window.axe.run())).violations.map(({ id }) => id), []);
      };
      await page.evaluate(axe());
      await picture("ready");
      await looked();
      if (headset) {
        const { y, height: tall } = await page.getByRole("button", { name: "Start" }).boundingBox();
        assert.ok(tall >= 64 && y < 0.35 * height, `Start at ${y} px, ${tall} px high: at the top, and large enough for a pinch`);
        await start(page);
      }
      panto.begun = true;
      await page.waitForFunction(() => window.pantoLive?.replay?.frames > 2);
      await picture("running");
      await looked();
      assert.deepEqual(complaints.filter((text) => !/404/.test(text)), []);
    }, { width, height, theme, headset });
  });
}

test("a desktop without a headset says so in a line, and shows the robot", PATIENCE, async () => {
  await opened(async (page) => {
    await page.getByText("No headset here: to stream, open this page in the headset’s browser.").waitFor();
    assert.ok(!(await page.getByRole("button", { name: "Start" }).isVisible()));
    await page.waitForFunction(() => window.pantoLive?.replay?.frames > 2);
    await page.getByText("Robots hold.").waitFor();
    await page.getByRole("button", { name: "Arm the robots" }).waitFor();
  }, { headset: { modes: [] }, begun: true });
});

/** Of the command: speeds come from places at two times of which each is rounded to a nanosecond. */
const SPEED_ROUNDING = 1.01;
/** How far a person who steps on the spot may take the robot [m]. */
const SPOT = 0.5;

/** Runs `panto live` for headsets, and gives the address for this computer to `look`. */
async function commanded(look) {
  const command = spawn(process.env.PANTO_COMMAND, ["live", "--in", `webxr://127.0.0.1:${await freePort()}`, "--robot", "g1", "--no-open"], { stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  const ended = new Promise((go) => command.on("exit", go));
  try {
    const address = await new Promise((go, fail) => {
      command.stderr.on("data", (bytes) => {
        const found = /http:\/\/127\.0\.0\.1:\d+\/#\w+/.exec((said += bytes));
        if (found) go(found[0]);
      });
      command.on("exit", () => fail(new Error(`it ended: ${said}`)));
    });
    await look(address);
  } finally {
    command.kill("SIGINT");
    await ended;
  }
  assert.equal(command.exitCode, 0, said);
}

/** Whether the command's help names the scheme. */
const knowsHeadsets = () => /webxr:/.test(execFileSync(process.env.PANTO_COMMAND, ["live", "--help"], { encoding: "utf8" }));

/** The fastest joint as a share of its limit: as it is told, and between frames in a row. */
function fastest(frames, limits) {
  let worst = { share: 0 };
  for (let i = 1; i < frames.length; ++i) {
    const since = frames[i].t - frames[i - 1].t;
    if (since <= 0) continue;
    for (const [name, limit] of limits) {
      const between = Math.abs(frames[i].joints[name] - frames[i - 1].joints[name]) / since;
      const share = Math.max(between, Math.abs(frames[i].speeds[name])) / limit;
      if (share > worst.share) worst = { share, name, at: frames[i].t - frames[0].t };
    }
  }
  return worst;
}

test("a person in a headset leads a G1 through the command", PATIENCE, async (t) => {
  if (!knowsHeadsets()) return t.skip("this panto does not know webxr://");
  await commanded(async (address) => {
    // pictures are small: frames are to come at the headset's rate
    const context = await fresh({ viewport: { width: 360, height: 400 } });
    let robot;
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      await putOn(page, { size: 24, standalone: true });
      await page.goto(address);
      await start(page);
      await page.waitForFunction(() => window.pantoHeadset.link("pelvis"), null, { polling: 100 });
      robot = await listened(address);
      // a busy machine needs longer for as many frames
      const change = async (what, seconds, least = 0) => {
        const before = robot.frames.length;
        await page.evaluate((changed) => Object.assign(window.emulated, changed), what);
        await page.waitForTimeout(1000 * seconds);
        while (robot.frames.length < before + least) await page.waitForTimeout(50);
        return robot.frames.at(-1);
      };
      const stood = await change({ pace: 1 }, 4, 30);
      const hand = "left_wrist_yaw_link";
      const rose = () => robot.frames.at(-1).links[hand][2] - stood.links[hand][2];
      let raised = await change({ raise: 1 }, 4);
      for (let waited = 4; rose() <= 0.4 && waited < 60; ++waited) raised = await change({}, 1);
      assert.ok(rose() > 0.4, `the left hand rises from ${stood.links[hand][2]} to ${raised.links[hand][2]} m`);
      assert.ok(Math.abs(raised.links.right_wrist_yaw_link[2] - stood.links.right_wrist_yaw_link[2]) < 0.15, "and the right one hangs");

      await change({ tracked: false }, 1);
      await change({ tracked: true }, 2, 15);
      await page.evaluate(() => window.emulated.setVisibility("hidden"));
      await change({}, 1);
      await page.evaluate(() => window.emulated.setVisibility("visible"));
      await change({}, 2, 15);
      const centred = robot.frames.length;
      await page.evaluate(() => window.emulated.recentre({ x: 0.7, z: 0, yaw: (40 * Math.PI) / 180 }));
      await change({ pace: 0 }, 3, 30);

      const limits = speedLimits("g1");
      assert.equal(limits.size, 29);
      const worst = fastest(robot.frames, limits);
      assert.ok(worst.share < SPEED_ROUNDING, `${worst.name} moves at ${worst.share} of its limit, ${worst.at} s after the first frame`);
      const [x, y] = robot.frames[0].links.pelvis;
      const farthest = (frames) => Math.max(...frames.map(({ links }) => Math.hypot(links.pelvis[0] - x, links.pelvis[1] - y)));
      const strayed = farthest(robot.frames.slice(0, centred));
      assert.ok(strayed < SPOT, `the base goes ${strayed} m away while the person steps on the spot`);
      const shifted = farthest(robot.frames.slice(centred));
      assert.ok(shifted < SPOT, `the base is ${shifted} m away after the space was re-centred, though the person stayed`);
      assert.equal(await page.evaluate(() => window.pantoHeadset.state), "streaming");
      const sent = await page.evaluate(() => window.pantoHeadset.sent);
      console.log(`${sent} frames sent, a G1 in ${robot.frames.length}: joints at ${worst.share.toFixed(2)} of their limits at most (${worst.name}), base within ${strayed.toFixed(2)} m`);
      await page.evaluate(() => window.emulated.session.end());
      await page.waitForFunction(() => window.pantoLive.replay?.frames > 2);
      if (process.env.PANTO_PICTURES) await page.screenshot({ path: path.join(process.env.PANTO_PICTURES, "headset_command.png") });
    } finally {
      robot?.close();
      await context.close();
    }
  });
});
