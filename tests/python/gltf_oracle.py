"""Writes BVH clips as binary glTF with json, struct and NumPy alone, as exporters do: bones with axes of their own, an armature in centimetres."""

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
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(values), "type": kind})
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
