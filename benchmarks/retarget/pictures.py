"""Draws a clip as a sheet: the person's skeleton above the robots, at six times, on the same ground, by the same camera.

MuJoCo draws off-screen; MUJOCO_GL chooses how (egl, or osmesa where there is no graphics driver).
"""

import numpy as np
from figures import heading
from motions import Unusable
from person import SIDES
from robot import link_index, mujoco, sole

TILE = (250, 300)  # pixels, width and height
LABEL, HEAD = 120, 34  # pixels: the names at the left, the times above
COLOURS = {"left": (0.0, 0.45, 0.70, 1), "right": (0.84, 0.37, 0.0, 1), "": (0.45, 0.45, 0.48, 1)}
CAMERA = {"azimuth": 140.0, "elevation": -10.0}
BONES = [("hip", "knee"), ("knee", "ankle"), ("ankle", "toe"), ("ankle", "heel"), ("heel", "toe"), ("shoulder", "elbow"), ("elbow", "wrist")]
FLOOR = [0.93, 0.94, 0.95], [0.86, 0.87, 0.89]


def stage(spec):
    """Adds ground, light and an off-screen canvas."""
    spec.visual.global_.offwidth, spec.visual.global_.offheight = TILE
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.35, 0.35, 0.35]
    spec.visual.quality.shadowsize, spec.visual.quality.offsamples = 4096, 8
    spec.stat.extent, spec.stat.center = 2.0, [0, 0, 0.7]  # everything is drawn at the origin
    spec.add_texture(name="checks", type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
                     rgb1=FLOOR[0], rgb2=FLOOR[1], width=256, height=256)  # fmt: skip
    spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
                     rgb1=[1, 1, 1], rgb2=[0.9, 0.92, 0.95], width=64, height=384)  # fmt: skip
    material = spec.add_material(name="floor", texrepeat=[1, 1], texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checks"
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[12, 12, 0.1], material="floor", group=2, contype=0, conaffinity=0)
    spec.worldbody.add_light(pos=[0, 0, 6], dir=[0, 0, -1], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, diffuse=[0.5, 0.5, 0.5])
    return spec


def capsule(scene, a, b, radius, colour):
    if scene.ngeom >= scene.maxgeom:
        return
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.zeros(9), np.array(colour, np.float32))
    mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_CAPSULE, radius, np.asarray(a, float), np.asarray(b, float))
    scene.ngeom += 1


def skeleton(scene, at, size=1.0, head=True):
    """Limbs as capsules, left blue and right orange."""
    for side in SIDES:
        for a, b in BONES:
            a, b = at.get(f"{side}_{a}"), at.get(f"{side}_{b}")
            if a is not None and b is not None:
                capsule(scene, a, b, 0.035 * size, COLOURS[side])
    hips, shoulders = ((at[f"left_{joint}"] + at[f"right_{joint}"]) / 2 for joint in ("hip", "shoulder"))
    for a, b in ((at["left_hip"], at["right_hip"]), (at["left_shoulder"], at["right_shoulder"]), (hips, shoulders)):
        capsule(scene, a, b, 0.045 * size, COLOURS[""])
    if head and "head" in at:
        capsule(scene, shoulders, at["head"], 0.03 * size, COLOURS[""])
        capsule(scene, at["head"], at["head"] + [0, 0, 1e-3], 0.10 * size, COLOURS[""])


def north(Y):
    return float(np.degrees(np.arctan2(Y[1, 0], Y[0, 0])))


class Canvas:
    """A model with a ground, drawn off-screen."""

    def __init__(self, spec):
        try:
            self.model = stage(spec).compile()
            self.renderer = mujoco.Renderer(self.model, TILE[1], TILE[0])
        except Exception as problem:  # what a missing driver raises depends on the driver
            raise Unusable(f"MuJoCo cannot draw off-screen ({problem}); set MUJOCO_GL=egl or osmesa (Debian: libegl1, libosmesa6)") from problem
        self.data = mujoco.MjData(self.model)

    def draw(self, size, azimuth, q=None, groups=(0, 1, 2), add=None):
        """One tile of a body at the origin; the camera's distance is in proportion to `size`, the leg [m]."""
        if q is not None:
            self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        camera, options = mujoco.MjvCamera(), mujoco.MjvOption()
        camera.lookat[:] = [0, 0, 0.92 * size]
        camera.distance, camera.azimuth, camera.elevation = 3.3 * size, CAMERA["azimuth"] + azimuth, CAMERA["elevation"]
        for group in range(6):
            options.geomgroup[group] = group in groups
        self.renderer.update_scene(self.data, camera, options)
        if add:
            add(self.renderer.scene)
        return self.renderer.render()

    def close(self):
        self.renderer.close()


def person_row(person, frames):
    canvas = Canvas(mujoco.MjSpec())
    size, tiles = person.leg, []
    floor = np.percentile(np.minimum(person.at["left_toe"][:, 2], person.at["right_toe"][:, 2]), 10) - 0.02
    for i in frames:
        at = {joint: x[i] - [*person.at["hips"][i, :2], floor] for joint, x in person.at.items()}
        tiles.append(canvas.draw(1.1 * size, 0.0, add=lambda scene, at=at: skeleton(scene, at, size / 0.86)))
    canvas.close()
    return tiles


def soles(robot, track):
    """Ends of the soles by name, (n, 3), for robots that are drawn as sticks."""
    ends = {}
    for side in SIDES:
        corners = sole(robot, side)
        if corners is None:
            continue
        link = link_index(robot.model, robot.named("foot", side))
        for name, x in (("toe", corners[:, 0].max()), ("heel", corners[:, 0].min())):
            end = [x, *corners[:, 1:].mean(0)]
            ends[f"{side}_{name}"] = track.place[:, link] + track.turned[:, link] @ end
    return ends


def robot_row(robot, track, person, frames):
    """The robot with its shapes, or its limbs as capsules where the shapes are not at hand."""
    canvas = Canvas(robot.spec.copy())
    leg = np.median(np.linalg.norm(track.at["left_hip"] - track.at["left_knee"], axis=1) + np.linalg.norm(track.at["left_knee"] - track.at["left_ankle"], axis=1))
    count = min(len(person), len(track.qpos))
    ours = {k: v[:count] for k, v in track.at.items()}, {k: v[:count] for k, v in person.at.items()}
    azimuth, tiles, points = north(heading(*ours)), [], track.at | soles(robot, track)
    for i in frames:
        q = track.qpos[i] - np.concatenate([track.qpos[i, :2], np.zeros(track.qpos.shape[1] - 2)])
        at = {joint: x[i] - [*track.qpos[i, :2], 0] for joint, x in points.items()}
        sticks = None if robot.meshes else lambda scene, at=at: skeleton(scene, at, leg / 0.86, head=False)
        tiles.append(canvas.draw(1.18 * leg, azimuth, q, (1, 2) if robot.meshes else (2,), sticks))
    canvas.close()
    return tiles


def sheet(rows, times, path, title):
    """Writes the sheet as JPEG: rows of (label, tiles), with the times above."""
    from PIL import Image, ImageDraw, ImageFont

    def font(size):
        return ImageFont.load_default(size)

    width, height = LABEL + len(times) * TILE[0], 2 * HEAD + len(rows) * TILE[1]
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title, fill="#222222", font=font(18))
    for k, time in enumerate(times):
        draw.text((LABEL + (k + 0.5) * TILE[0], HEAD + 16), f"{time:.2f} s", fill="#444444", font=font(16), anchor="mm")
    for r, (label, tiles) in enumerate(rows):
        top = 2 * HEAD + r * TILE[1]
        for k, tile in enumerate(tiles):
            image.paste(Image.fromarray(tile), (LABEL + k * TILE[0], top))
        draw.multiline_text((LABEL / 2, top + TILE[1] / 2), label, fill="#222222", font=font(16), anchor="mm", align="center")
        draw.line([(0, top), (width, top)], fill="#bbbbbb")
    for quality in (88, 80, 70, 60):
        image.save(path, quality=quality, optimize=True)
        if path.stat().st_size <= 300_000:
            break
