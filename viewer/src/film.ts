// Films: frames that are drawn one after the other become a WebM or a GIF, however long each takes to draw.

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import { ArrayBufferTarget, Muxer } from "webm-muxer";

export type FilmKind = "webm" | "gif";

/** What a film is made of. */
export interface Frames {
  count: number;
  /** By second. */
  rate: number;
  /** Draws a frame; it is the canvas of all frames. */
  draw(index: number): HTMLCanvasElement;
  /** Whether it was called off. */
  stopped(): boolean;
  progress(share: number): void;
}

export class Stopped extends Error {}

/** Bits by pixel and frame: drawn bodies before a smooth background need few. */
const BITS = 0.12;
const CODECS = [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]] as const;

/** Lets the browser answer; throws where the film was called off. */
async function breathe(frames: Frames, done: number): Promise<void> {
  frames.progress(done / frames.count);
  await new Promise((go) => setTimeout(go, 0));
  if (frames.stopped()) throw new Stopped("the film was called off");
}

/** Whether this browser can encode a WebM. */
export const canEncodeWebm = (): boolean => typeof VideoEncoder === "function";

async function codecFor(config: Omit<VideoEncoderConfig, "codec">): Promise<(typeof CODECS)[number]> {
  for (const codec of CODECS) {
    if ((await VideoEncoder.isConfigSupported({ ...config, codec: codec[0] })).supported) return codec;
  }
  throw new Error("this browser encodes neither VP9 nor VP8; save a GIF instead");
}

async function webm(frames: Frames): Promise<Blob> {
  if (!canEncodeWebm()) throw new Error("this browser has no encoder for WebM; save a GIF instead");
  const { width, height } = frames.draw(0);
  const config = { width, height, framerate: frames.rate, bitrate: Math.round(BITS * width * height * frames.rate), latencyMode: "quality" as const };
  const [codec, name] = await codecFor(config);
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: name, width, height, frameRate: frames.rate } });
  let failed: Error | null = null;
  const encoder = new VideoEncoder({ output: (chunk, meta) => muxer.addVideoChunk(chunk, meta), error: (error) => (failed = error) });
  encoder.configure({ ...config, codec });
  try {
    for (let i = 0; i < frames.count; ++i) {
      const frame = new VideoFrame(frames.draw(i), { timestamp: Math.round((i * 1e6) / frames.rate), duration: Math.round(1e6 / frames.rate) });
      encoder.encode(frame, { keyFrame: i % 60 === 0 });
      frame.close();
      await breathe(frames, i + 1);
      // an encoder that is slower than the drawing holds no more than a second of frames
      while (encoder.encodeQueueSize > frames.rate && !failed) await new Promise((go) => setTimeout(go, 5));
      if (failed) throw failed;
    }
    await encoder.flush();
    if (failed) throw failed;
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
  muxer.finalize();
  return new Blob([target.buffer], { type: "video/webm" });
}

/** So many frames tell the colours of all. */
const SAMPLED = 6;

async function gif(frames: Frames): Promise<Blob> {
  const read = (index: number): ImageData => {
    const canvas = frames.draw(index);
    return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  };
  const { width, height } = frames.draw(0);
  const sampled = Math.min(SAMPLED, frames.count);
  const pixels = new Uint8ClampedArray(4 * width * height * sampled);
  for (let i = 0; i < sampled; ++i) pixels.set(read(Math.floor((i * frames.count) / sampled)).data, 4 * width * height * i);
  const palette = quantize(pixels, 255);
  const same = palette.length;
  palette.push([0, 0, 0]); // stands for "as in the frame before"
  const encoder = GIFEncoder();
  let before: Uint8Array | null = null;
  for (let i = 0; i < frames.count; ++i) {
    const now = applyPalette(read(i).data, palette.slice(0, same));
    const kept: Uint8Array | null = before;
    const written = kept ? now.map((colour, at) => (colour === kept[at] ? same : colour)) : now;
    encoder.writeFrame(written, width, height, { palette: i === 0 ? palette : undefined, delay: 1000 / frames.rate, dispose: 1, ...(before ? { transparent: true, transparentIndex: same } : {}) });
    before = now;
    await breathe(frames, i + 1);
  }
  encoder.finish();
  return new Blob([encoder.bytes() as Uint8Array<ArrayBuffer>], { type: "image/gif" });
}

/** @throws Stopped where it was called off, Error where this browser cannot. */
export function encodeFilm(kind: FilmKind, frames: Frames): Promise<Blob> {
  return kind === "webm" ? webm(frames) : gif(frames);
}
