// Files that are dropped or chosen, folders too.

import type { GivenFile } from "./engine";

/** So much is read at most [bytes]. */
const MOST = 512 * 1024 * 1024;

async function within(entry: FileSystemEntry, into: File[], names: Map<File, string>): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((go, stop) => (entry as FileSystemFileEntry).file(go, stop));
    into.push(file);
    names.set(file, entry.fullPath.replace(/^\//, ""));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((go, stop) => reader.readEntries(go, stop));
    if (some.length === 0) return;
    for (const inner of some) await within(inner, into, names);
  }
}

/** @throws Error for more than this page takes. */
async function read(files: File[], names: Map<File, string>): Promise<GivenFile[]> {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST) throw new Error(`these files have ${Math.round(size / 1e6)} MB; this page takes ${Math.round(MOST / 1e6)} MB`);
  return Promise.all(files.map(async (file) => ({ name: names.get(file) ?? (file.webkitRelativePath || file.name), bytes: new Uint8Array(await file.arrayBuffer()) })));
}

export async function droppedFiles(data: DataTransfer): Promise<GivenFile[]> {
  const names = new Map<File, string>();
  const files: File[] = [];
  // entries must be asked for before the first wait
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...data.files];
  if (entries.some((entry) => entry?.isDirectory)) {
    for (const entry of entries) if (entry) await within(entry, files, names);
  } else {
    files.push(...plain);
  }
  return read(files, names);
}

export function chosenFiles(list: FileList): Promise<GivenFile[]> {
  return read([...list], new Map());
}

const ending = (name: string): string => (/\.[^./]+$/.exec(name)?.[0] ?? "").toLowerCase();
const begins = (file: GivenFile, pattern: RegExp): boolean => pattern.test(new TextDecoder().decode(file.bytes.slice(0, 4096)));

/** The robot among files: its URDF or MJCF, the others behind it; null: none is a robot. */
export function robotFirst(files: GivenFile[]): GivenFile[] | null {
  const robots = files.filter((file) => ending(file.name) === ".urdf" || ([".xml", ".mjcf"].includes(ending(file.name)) && begins(file, /<(mujoco|robot)\b/)));
  if (robots.length === 0) return null;
  // the one nearest to the top of a folder: others are its parts
  const first = [...robots].sort((a, b) => a.name.split("/").length - b.name.split("/").length || a.name.length - b.name.length)[0];
  return [first, ...files.filter((file) => file !== first)];
}

/** The recording first; a table of mountings is no recording. */
export function recordingFirst(files: GivenFile[]): GivenFile[] {
  return [...files].sort((a, b) => Number(ending(a.name) === ".toml") - Number(ending(b.name) === ".toml"));
}

/** Hands a file to the visitor. */
export function download(name: string, bytes: BlobPart, type = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
