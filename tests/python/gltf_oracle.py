"""Writes BVH clips as binary glTF with json, struct and NumPy alone, as exporters do: bones with axes of their own, an armature in centimetres."""

import base64
import json
import struct

import numpy as np


def quaternions(R):
    """[n, 3, 3] to [n, 4], (x, y, z, w), by the largest eigenvector: independent of any formula of Panto's."""
    K = np.empty((len(R), 4, 4))
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(R, 0, -1)
    K[:, 0] = np.stack([xx - yy - zz, yx + xy, zx + xz, zy - yz], axis=-1)
    K[:, 1] = np.stack([yx + xy, yy - xx - zz, zy + yz, xz - zx], axis=-1)
    K[:, 2] = np.stack([zx + xz, zy + yz, zz - xx - yy, yx - xy], axis=-1)
    K[:, 3] = np.stack([zy - yz, xz - zx, yx - xy, xx + yy + zz], axis=-1)
    return np.linalg.eigh(K)[1][:, :, -1]


def random_rotation(random):
    Q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


def write_glb(clip, path, seed, unit=0.01, rename=None, extensions=None):
    """`clip`: bvh_oracle.Clip, in `unit` m. Every node's frame is turned at rest by a rotation of its own."""
    random = np.random.default_rng(seed)
    own = [random_rotation(random) for _ in clip.joints]
    binary, views, accessors = bytearray(), [], []

    def accessor(values, kind):
        values = np.ascontiguousarray(values, dtype="<f4")
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": values.nbytes})
        bounds = {"min": [float(values.min())], "max": [float(values.max())]} if kind == "SCALAR" else {}
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(values), "type": kind, **bounds})
        binary.extend(values.tobytes())
        return len(accessors) - 1

    names = [(rename or {}).get(name, name) for name in clip.joints]
    nodes = [{"name": name} for name in names]
    for j, tips in enumerate(clip.tips):
        for k, tip in enumerate(tips):
            nodes[j].setdefault("children", []).append(len(nodes))
            nodes.append({"name": f"{names[j]}_end{k or ''}", "translation": list(own[j].T @ tip)})
    armature = len(nodes)
    nodes.append({"name": "Armature", "scale": [unit] * 3, "children": [j for j, p in enumerate(clip.parent) if p < 0]})
    times = accessor(np.arange(len(clip.p)) / round(clip.rate, 1), "SCALAR")  # BVH rounds the frame time
    samplers, channels = [], []
    for j, parent in enumerate(clip.parent):
        before = own[parent] if parent >= 0 else np.eye(3)
        R = clip.R[:, j] if parent < 0 else clip.R[:, parent].transpose(0, 2, 1) @ clip.R[:, j]
        p = clip.p[:, j] if parent < 0 else np.einsum("nji,nj->ni", clip.R[:, parent], clip.p[:, j] - clip.p[:, parent])
        nodes[j]["translation"] = list(before.T @ clip.offset[j])
        nodes[j]["rotation"] = quaternions((before.T @ own[j])[None])[0].tolist()
        if children := [c for c, of in enumerate(clip.parent) if of == j]:
            nodes[j].setdefault("children", []).extend(children)
        for kind, values in (("rotation", quaternions(before.T @ R @ own[j])), ("translation", p @ before)):
            if kind == "translation" and np.ptp(values, axis=0).max() < 1e-6:
                continue
            channels.append({"sampler": len(samplers), "target": {"node": j, "path": kind}})
            samplers.append({"input": times, "output": accessor(values, "VEC4" if kind == "rotation" else "VEC3")})
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [armature]}], "nodes": nodes,
        "skins": [{"joints": list(range(len(names)))}], "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}], "animations": [{"name": "take", "samplers": samplers, "channels": channels}],
    }  # fmt: skip
    if extensions:
        document["extensions"] = extensions
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + bytes(binary)
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


class Animated:
    """The nodes of a .glb or .gltf under its first animation, composed by matrices alone: R[name], p[name] by key, in the world."""

    def __init__(self, path):
        data = path.read_bytes()
        self.binary = b""
        if data[:4] == b"glTF":
            assert struct.unpack("<II", data[4:12]) == (2, len(data)), "version and length of the container"
            chunks, at = {}, 12
            while at < len(data):
                length, kind = struct.unpack("<I4s", data[at : at + 8])
                assert length % 4 == 0, "chunks end at multiples of four"
                chunks[kind] = data[at + 8 : at + 8 + length]
                at += 8 + length
            text, self.binary = chunks[b"JSON"], chunks.get(b"BIN\0", b"")
        else:
            text = data
        self.document = json.loads(text)
        nodes = self.document["nodes"]
        animation = self.document["animations"][0]
        self.times, local = None, [self._still(node) for node in nodes]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR"
            times = self.numbers(sampler["input"])[:, 0]
            self.times = times if self.times is None or len(times) > len(self.times) else self.times
            local[channel["target"]["node"]][channel["target"]["path"]] = self.numbers(sampler["output"])
        parent = {child: n for n, node in enumerate(nodes) for child in node.get("children", [])}
        world = {}

        def pose(n):
            if n not in world:
                M = self._matrices(local[n])
                world[n] = pose(parent[n]) @ M if n in parent else M
            return world[n]

        self.R, self.p = {}, {}
        for n, node in enumerate(nodes):
            M = pose(n)
            scale = np.cbrt(np.linalg.det(M[:, :3, :3]))
            self.R[node["name"]] = M[:, :3, :3] / scale[:, None, None]
            self.p[node["name"]] = M[:, :3, 3]

    def numbers(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert accessor["componentType"] == 5126
        uri = self.document["buffers"][view["buffer"]].get("uri")
        data = self.binary if uri is None else base64.b64decode(uri.split("base64,")[1])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        assert start % 4 == 0, "floats are aligned"
        values = np.frombuffer(data, "<f4", accessor["count"] * width, start).reshape(-1, width).astype(float)
        if "min" in accessor:
            assert values.min() == np.float32(accessor["min"][0]) and values.max() == np.float32(accessor["max"][0])
        return values

    @staticmethod
    def _still(node):
        if "matrix" in node:
            return {"matrix": np.array(node["matrix"]).reshape(4, 4).T[None]}
        kept = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]} | node
        return {key: np.array(kept[key], dtype=float)[None] for key in ("translation", "rotation", "scale")}

    def _matrices(self, local):
        count = 1 if self.times is None else len(self.times)
        if "matrix" in local:
            assert local.keys() == {"matrix"}, "an animated node has no matrix"
            return np.repeat(local["matrix"], count, axis=0)
        q, p, s = (np.broadcast_to(local[key], (count, local[key].shape[1])) for key in ("rotation", "translation", "scale"))
        assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < 1e-5
        x, y, z, w = q.T
        M = np.zeros((count, 4, 4))
        M[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=-1)
        M[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=-1)
        M[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=-1)
        M[:, :3, :3] *= s[:, None, :]
        M[:, :3, 3] = p
        M[:, 3, 3] = 1
        return M
