// Panto's side of the headset's page, as docs/formats/webxr_stream.md says, to look at what the page sends.
import { execFile, execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import { createRequire } from "node:module";
import path from "node:path";
import { WALK } from "./harness.mjs";

const require = createRequire(path.join(process.env.PANTO_PAGE_WORK, "package.json"));
const { WebSocket, WebSocketServer } = require("ws");

const RULES = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; connect-src 'self' data: blob:";
const PAGE = path.join(process.env.PANTO_PAGE_WORK, "dist/index.html");

/** A frame's parts. Throws where the bytes are no frame. */
export function decoded(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = bytes.subarray(0, 4).toString("latin1"), count = view.getUint16(6, true);
  if (magic !== "PWXR" || bytes.length !== 32 + 30 * count || count === 0 || count > 86 || view.getUint32(28, true) !== 0) throw new Error(`no frame: ${magic}, ${count} poses, ${bytes.length} bytes`);
  const poses = new Map();
  for (let at = 32; at < bytes.length; at += 30) {
    const numbers = Array.from({ length: 7 }, (_, i) => view.getFloat32(at + 2 + 4 * i, true));
    if (poses.has(view.getUint8(at))) throw new Error(`pose ${view.getUint8(at)} comes twice`);
    poses.set(view.getUint8(at), { guessed: view.getUint8(at + 1) === 1, numbers });
  }
  return { version: view.getUint8(4), flags: view.getUint8(5), session: view.getBigUint64(8, true), time: view.getBigInt64(16, true), number: view.getUint32(24, true), poses };
}

/** The run that a page of `panto live` holds. */
export function liveRun() {
  return new Promise((go, fail) => {
    const words = ["live", "--in", WALK, "--loop", "--robot", "g1", "--view", "--no-open", "--port", "0", "--seconds", "20"];
    const run = execFile(process.env.PANTO_COMMAND, words);
    let said = "";
    run.on("exit", () => fail(new Error(`it ended: ${said}`)));
    run.stderr.on("data", async (text) => {
      const address = /http:\/\/[\d.]+:\d+\//.exec((said += text))?.[0];
      if (!address) return;
      run.stderr.removeAllListeners("data");
      for (;;) {
        const page = await (await fetch(address)).text();
        const found = /<script id="panto-run" type="application\/json">(.*?)<\/script>/s.exec(page);
        if (!found) continue;
        run.kill("SIGINT");
        go(found[1]);
        break;
      }
    });
  });
}

/** Frames of Foxglove's protocol: the robot stands at `base`. */
function robot(socket, run, base) {
  const topics = ["/joint_states", "/tf", "/health"];
  const message = (topic, content) => {
    const text = Buffer.from(JSON.stringify(content));
    const bytes = Buffer.alloc(13 + text.length);
    bytes.writeUInt8(1, 0);
    bytes.writeUInt32LE(topics.indexOf(topic), 1);
    text.copy(bytes, 13);
    socket.send(bytes);
  };
  socket.send(JSON.stringify({ op: "serverInfo", sessionId: "1", name: "panto" }));
  socket.on("message", (text) => {
    if (JSON.parse(text).op === "panto.token") socket.send(JSON.stringify({ op: "panto.token", valid: true }));
  });
  socket.send(JSON.stringify({ op: "advertise", channels: topics.map((topic, id) => ({ id, topic })) }));
  const root = run.model.links[run.model.root].name;
  const joints = run.model.joints.filter(({ dof }) => dof !== null).map(({ name }) => ({ name, position: name === "left_shoulder_roll_joint" ? 1.2 : 0 }));
  const health = { stream: "good", silent_s: 0.01, rate_hz: 60, samples: 100, overtaken: 0, losses: 0, longest_gap_s: 0.02, pose_median_ms: 0.4, pose_p99_ms: 0.9, armed: false, missing: [] };
  const timer = setInterval(() => {
    message("/joint_states", { joints });
    message("/tf", { transforms: [{ child_frame_id: root, translation: { x: base[0], y: base[1], z: base[2] }, rotation: { x: 0, y: 0, z: Math.sin(base[3] / 2), w: Math.cos(base[3] / 2) } }] });
    message("/health", health);
  }, 1000 / 30);
  socket.on("close", () => clearInterval(timer));
}

/** Serves the page; `run`: text of run.json. The caller closes it. */
export async function served(run) {
  const told = JSON.stringify({ version: "0.1.0", recording: "webxr://", headset: true });
  const server = http.createServer((request, answer) => {
    const head = { "Content-Security-Policy": RULES, "Cache-Control": "no-store" };
    const path = request.url.replace(/\?.*/, "");
    if (path === "/") answer.writeHead(200, { ...head, "Content-Type": "text/html; charset=utf-8" }).end(fs.readFileSync(PAGE, "utf8").replace("@PANTO_RUN@", () => told));
    else if (path === "/run.json" && panto.begun) answer.writeHead(200, { ...head, "Content-Type": "application/json" }).end(run);
    else answer.writeHead(404, head).end();
  });
  const sockets = new WebSocketServer({ server });
  const panto = {
    token: "0123456789abcdef", begun: false, welcomes: true, busy: false, base: [0.4, -0.3, 0.79, 0.6],
    /** Since the last `frames.splice(0)`; what the headset said first; its connection, and how many there were. */
    frames: [], greetings: [], protocols: [], socket: null, connections: 0,
    address: "",
    close: () => new Promise((go) => (sockets.clients.forEach((client) => client.terminate()), server.closeAllConnections(), server.close(go))),
  };
  sockets.on("connection", (socket, { url }) => {
    if (url !== "/headset") return robot(socket, JSON.parse(run), panto.base);
    panto.socket = socket;
    ++panto.connections;
    panto.protocols.push(socket.protocol);
    if (panto.busy) return socket.close(1013);
    socket.on("message", (bytes, binary) => {
      if (binary) return panto.frames.push(decoded(bytes));
      panto.greetings.push(bytes.toString());
      if (JSON.parse(bytes).token !== panto.token) socket.close(1008);
      else if (panto.welcomes) socket.send(JSON.stringify({ op: "welcome" }));
    });
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  panto.address = `http://127.0.0.1:${server.address().port}/#${panto.token}`;
  return panto;
}

/** Listens to a run by Foxglove's protocol: each frame's time [s], joint positions by name and places of links. */
export async function listened(address) {
  const socket = new WebSocket(address.split("#")[0].replace("http", "ws"), ["foxglove.sdk.v1"]);
  const topics = [], frames = [];
  let joints = {}, speeds = {};
  socket.on("message", (bytes, binary) => {
    if (!binary) {
      const { op, channels } = JSON.parse(bytes);
      if (op !== "advertise") return;
      const subscriptions = channels.map(({ id, topic }) => ({ id: topics.push(topic) - 1, channelId: id }));
      socket.send(JSON.stringify({ op: "subscribe", subscriptions }));
      return;
    }
    const topic = topics[bytes.readUInt32LE(1)], t = Number(bytes.readBigUInt64LE(5)) / 1e9;
    if (topic !== "/joint_states" && topic !== "/tf") return;
    const message = JSON.parse(bytes.subarray(13));
    // a frame's joints come before its links
    if (topic === "/joint_states") {
      joints = Object.fromEntries(message.joints.map(({ name, position }) => [name, position]));
      speeds = Object.fromEntries(message.joints.map(({ name, velocity }) => [name, velocity]));
    } else frames.push({ t, joints, speeds, links: Object.fromEntries(message.transforms.map(({ child_frame_id, translation: { x, y, z } }) => [child_frame_id, [x, y, z]])) });
  });
  await new Promise((go, fail) => (socket.on("open", go), socket.on("error", fail)));
  return { frames, close: () => socket.terminate() };
}

/** The speed that each joint of a robot may have [rad/s]. */
export function speedLimits(robot) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "panto_limits_"));
  const file = path.join(folder, "robot.urdf");
  execFileSync(process.env.PANTO_COMMAND, ["convert", robot, file], { stdio: "ignore" });
  const text = fs.readFileSync(file, "utf8");
  fs.rmSync(folder, { recursive: true });
  const joints = text.matchAll(/<joint name="([^"]+)" type="revolute">.*?velocity="([\d.e+-]+)".*?<\/joint>/gs);
  return new Map([...joints].map(([, name, velocity]) => [name, Number(velocity)]));
}

/** A port that was free. */
export async function freePort() {
  const server = http.createServer();
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  const { port } = server.address();
  await new Promise((go) => server.close(go));
  return port;
}
