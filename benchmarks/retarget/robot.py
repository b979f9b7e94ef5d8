"""Loads the maker's model of a robot into MuJoCo and follows a motion: where joints and links are in every frame."""

import dataclasses
import functools
import os
import pathlib
import xml.etree.ElementTree as ET

import numpy as np
from motions import Unusable

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None
os.environ.setdefault("MUJOCO_GL", "egl")  # MuJoCo reads it when it is imported; pictures.py draws without a screen
try:
    import mujoco
except ImportError:
    mujoco = None

HERE = pathlib.Path(__file__).resolve().parent
LIMB_JOINTS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")


@dataclasses.dataclass
class Robot:
    key: str
    table: dict  # its part of robots.toml
    urdf: pathlib.Path
    model: object  # of MuJoCo
    order: list  # names of its joints as the maker's file lists them
    fastest: dict  # joint: speed limit [rad/s]
    meshes: bool  # with all its shapes
    spec: object = None  # of MuJoCo, to add a scene to

    def named(self, what, side):
        """The name of a sided joint or link."""
        return sided(self.table[what], side)


@dataclasses.dataclass
class Track:
    """A motion on a robot."""

    qpos: np.ndarray
    at: dict  # joint of a limb, as left_knee: (n, 3)
    place: np.ndarray  # (n, links, 3)
    turned: np.ndarray  # (n, links, 3, 3)


def sided(name, side):
    """Fills in the side: {s} is left or right, {S} Left or Right, {l} l or r."""
    return name.format(s=side, S=side.capitalize(), l=side[0])


def tables():
    if tomllib is None:
        raise Unusable("the judge needs Python 3.11 or newer (tomllib)")
    return tomllib.loads((HERE / "robots.toml").read_text(encoding="utf-8"))


@functools.lru_cache
def files_below(folder):
    """All files below a folder, by their names."""
    files = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            files.setdefault(path.name, []).append(path)
    return files


def find_file(wanted, folders):
    """The file below the folders that has this name and whose path ends most like `wanted`, or None."""
    tail = pathlib.PurePosixPath(wanted).parts[::-1]

    def alike(path):
        return next((n for n, (a, b) in enumerate(zip(tail, path.parts[::-1])) if a != b), len(tail))

    return max((path for folder in folders for path in files_below(folder).get(tail[0], [])), key=alike, default=None)


def load(key, models, meshes=()):
    """Loads a robot by its name in robots.toml; `meshes`: folders with the files that its URDF names, at any depth."""
    if mujoco is None:
        raise Unusable("MuJoCo is missing; `tools/setup.sh experiments` installs it")
    table = tables().get(key)
    if table is None:
        raise Unusable(f"unknown robot '{key}'; choose one of {', '.join(tables())}")
    path = pathlib.Path(models) / table["urdf"]
    if not path.is_file():
        path = find_file(table["urdf"], meshes)
    if path is None:
        raise Unusable(f"no {table['urdf']} in {models}, nor below --meshes; PANTO_TEST_DATA names the folder of recordings and models")
    return from_urdf(key, table, path, meshes)


def from_urdf(key, table, path, meshes=()):
    """Gives the model a floating base, and drops the shapes whose files are missing."""
    root = ET.parse(path).getroot()
    complete, assets = True, {}
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            mesh = shape.find("geometry/mesh")
            if mesh is None:
                continue
            file = find_file(mesh.get("filename"), meshes)
            if file is None:
                complete = False
                link.remove(shape)
            else:  # MuJoCo takes files of one name for one
                name = "_".join(file.parts[-3:])
                assets[name] = file.read_bytes()
                mesh.set("filename", name)
    for old in root.findall("mujoco"):
        root.remove(old)
    settings = ET.SubElement(root, "mujoco")
    ET.SubElement(settings, "compiler", fusestatic="false", discardvisual="false", balanceinertia="true")
    moving = [joint for joint in root.findall("joint") if joint.get("type") in ("revolute", "continuous", "prismatic")]
    order = [joint.get("name") for joint in moving if joint.find("mimic") is None]
    fastest = {joint.get("name"): float(joint.find("limit").get("velocity", "inf")) for joint in moving if joint.find("limit") is not None}
    try:
        spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=assets)
        spec.body(table["base"]).add_freejoint()
        model = spec.compile()
    except ValueError as problem:
        raise Unusable(f"{path}: MuJoCo cannot load it: {problem}") from problem
    return Robot(key, table, path, model, order, fastest, complete, spec)


def joint_address(model, name):
    """Where a joint's angle is in qpos, or None."""
    joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    return None if joint < 0 else int(model.jnt_qposadr[joint])


def link_index(model, name):
    link = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if link < 0:
        raise Unusable(f"the model has no link '{name}'")
    return link


def positions(robot, motion):
    """The motion as qpos of the model; joints that the motion lacks stay at zero."""
    names = motion.joints or robot.order
    if motion.angles.shape[1] != len(names):
        raise Unusable(f"the motion has {motion.angles.shape[1]} joints, {robot.table['title']} has {len(names)}")
    q = np.zeros((len(motion), robot.model.nq))
    q[:, :3], q[:, 3:7] = motion.place, motion.quaternion
    for k, name in enumerate(names):
        address = joint_address(robot.model, name)
        if address is None:
            raise Unusable(f"{robot.table['title']} has no joint '{name}'")
        q[:, address] = motion.angles[:, k]
    return q


def follow(robot, motion):
    """Forward kinematics of every frame, by MuJoCo."""
    model, data, q = robot.model, mujoco.MjData(robot.model), positions(robot, motion)
    anchors, axes = np.zeros((2, len(q), model.njnt, 3))
    place, turned = np.zeros((len(q), model.nbody, 3)), np.zeros((len(q), model.nbody, 3, 3))
    for i in range(len(q)):
        data.qpos[:] = q[i]
        mujoco.mj_kinematics(model, data)
        anchors[i], axes[i], place[i], turned[i] = data.xanchor, data.xaxis, data.xpos, data.xmat.reshape(-1, 3, 3)
    at = {}
    for side in ("left", "right"):
        for joint in LIMB_JOINTS:
            if joint in robot.table:
                index = model.joint(robot.named(joint, side)).id
                at[f"{side}_{joint}"] = anchors[:, index]
                if beside := robot.table.get("beside", {}).get(joint):  # a hinge may be placed anywhere along its axis
                    apart = at[f"{side}_{beside}"] - anchors[:, index]
                    at[f"{side}_{joint}"] = anchors[:, index] + axes[:, index] * (apart * axes[:, index]).sum(1, keepdims=True)
        if hand := robot.table.get("hand"):
            link = link_index(model, sided(hand["link"], side))
            end = np.array(hand["at"], float) * (1, 1 if side == "left" else -1, 1)
            at[f"{side}_wrist"] = place[:, link] + turned[:, link] @ end
    return Track(q, at, place, turned)


def geometry_points(model, g):
    """Points whose hull is the shape, in the link's frame, and a radius around them."""
    kind, size = model.geom_type[g], model.geom_size[g]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[g])
    radius, points = 0.0, np.zeros((1, 3))
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[g]
        vertices = model.mesh_vert[model.mesh_vertadr[mesh] : model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh]]
        start = model.mesh_graphadr[mesh]
        if start >= 0:  # MuJoCo's own hull: count of vertices, of faces, edge addresses, then the vertices' indices
            count = model.mesh_graph[start]
            points = vertices[model.mesh_graph[start + 2 + count : start + 2 + 2 * count]]
        else:
            points = vertices
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
    elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        radius = size[0]
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        ring = [[size[0] * np.cos(a), size[0] * np.sin(a)] for a in np.arange(16) * np.pi / 8]
        points = np.array([[x, y, z] for x, y in ring for z in (-size[1], size[1])])
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        radius, points = size[0], np.array([[0, 0, -size[1]], [0, 0, size[1]]])
    return points @ R.reshape(3, 3).T + model.geom_pos[g], radius


def solid(model, g):
    """Whether a shape is for collisions, not only for the eye."""
    return bool(model.geom_contype[g] or model.geom_conaffinity[g])


def upward(model, link):
    """The world's up in the link's axes, in the model's zero pose."""
    data = mujoco.MjData(model)
    data.qpos[3] = 1
    mujoco.mj_kinematics(model, data)
    return data.xmat[link].reshape(3, 3)[2]


def sole(robot, side):
    """Points of the sole in the foot link's frame: the lowest of its simple shapes, or of its mesh where it has no other."""
    model, link = robot.model, link_index(robot.model, robot.named("foot", side))
    shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] == link and solid(model, g)]
    simple = [g for g in shapes if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_MESH]
    up = upward(model, link)
    clouds = [points - radius * up for points, radius in (geometry_points(model, g) for g in simple or shapes)]
    if not clouds:
        return None
    points = np.concatenate(clouds)
    height = points @ up
    return points[height < height.min() + 0.005]
