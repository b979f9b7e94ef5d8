"""Landmarks of video in the layouts that detectors and people's scripts write, against the clip that they were made of.

A walk is read by tests/python/bvh_oracle.py, its joints are put into each set in NumPy, and the layouts are written here by
hand from the tools' own documents (named in docs/formats/landmarks.md). What Panto reads must be that walk again.
"""

import csv
import io
import json

import numpy as np
import pytest
from bvh_oracle import Clip

from package import panto

WALK = "bvh/cmu/007_01.bvh"  # reallusion's names, centimetres, y up
COCO = (
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow left_wrist right_wrist "
    "left_hip right_hip left_knee right_knee left_ankle right_ankle"
).split()
FEET = "left_big_toe left_small_toe left_heel right_big_toe right_small_toe right_heel".split()
MEDIAPIPE = (
    "nose left_eye_inner left_eye left_eye_outer right_eye_inner right_eye right_eye_outer left_ear right_ear mouth_left "
    "mouth_right left_shoulder right_shoulder left_elbow right_elbow left_wrist right_wrist left_pinky right_pinky left_index "
    "right_index left_thumb right_thumb left_hip right_hip left_knee right_knee left_ankle right_ankle left_heel right_heel "
    "left_foot_index right_foot_index"
).split()
HALPE = COCO + "crown neck hip left_big_toe right_big_toe left_small_toe right_small_toe left_heel right_heel".split()
BODY25 = (
    "nose neck right_shoulder right_elbow right_wrist left_shoulder left_elbow left_wrist hip right_hip right_knee right_ankle "
    "left_hip left_knee left_ankle right_eye left_eye right_ear left_ear left_big_toe left_small_toe left_heel right_big_toe "
    "right_small_toe right_heel"
).split()
H36M = (
    "hip right_hip right_knee right_ankle left_hip left_knee left_ankle spine neck head crown left_shoulder left_elbow "
    "left_wrist right_shoulder right_elbow right_wrist"
).split()
# joint -> segment whose origin it is
JOINTS = {
    f"{side.lower()}_{joint}": side + segment
    for side in ("Left", "Right")
    for joint, segment in [("hip", "UpperLeg"), ("knee", "LowerLeg"), ("ankle", "Foot"), ("elbow", "ForeArm"), ("wrist", "Hand")]
}


class Walk:
    def __init__(self, path):
        clip = Clip(path)
        self.fps = 30.0
        every = slice(0, None, 2)  # 30 of 60 frames a second
        self.points = points = {}
        names = {"shoulder": "Upperarm", "elbow": "Forearm", "wrist": "Hand", "hip": "Thigh", "knee": "Calf", "ankle": "Foot"}
        for side in ("left", "right"):
            for point, joint in names.items():
                points[f"{side}_{point}"] = clip.centre(f"CC_Base_{side[0].upper()}_{joint}")[every]
        points["hip"] = (points["left_hip"] + points["right_hip"]) / 2
        points["neck"] = (points["left_shoulder"] + points["right_shoulder"]) / 2
        points["spine"] = (points["hip"] + points["neck"]) / 2
        # the clip has no rest pose: what is fixed to a joint is where it is in the mean of the walk, which goes along z
        head, turn = clip.centre("CC_Base_Head")[every], clip.rotation("CC_Base_Head")[every]

        def on_head(left, up, ahead):
            return head + turn @ np.mean(turn.swapaxes(1, 2) @ np.array([left, up, ahead], float), 0)

        for name, offset in [("nose", (0, 4, 12)), ("crown", (0, 18, 2)), ("mouth", (0, 0, 10)), ("head", (0, 0, 0))]:
            points[name] = on_head(*offset)
        for side, sign in [("left", 1), ("right", -1)]:
            for name, (left, up, ahead) in [("eye", (3, 6, 9)), ("ear", (7, 5, 0)), ("eye_inner", (2, 6, 9)), ("eye_outer", (4, 6, 8))]:
                points[f"{side}_{name}"] = on_head(sign * left, up, ahead)
            points["mouth_" + side] = points["mouth"]
            c = side[0].upper()
            foot, ankle, toe = clip.rotation(f"CC_Base_{c}_Foot")[every], points[f"{side}_ankle"], clip.centre(f"CC_Base_{c}_ToeBase")[every]
            flat = np.argmin(toe[:, 1] + ankle[:, 1])
            step = toe[flat] - ankle[flat]
            for name, offset in [("heel", (0, step[1], -5)), ("big_toe", (-3 * sign, step[1], step[2] + 4)), ("small_toe", (4 * sign, step[1], step[2] + 2)), ("foot_index", (0, step[1], step[2] + 5))]:
                points[f"{side}_{name}"] = ankle + foot @ foot[flat].T @ np.array(offset, float)
            hand, along = clip.rotation(f"CC_Base_{c}_Hand")[every], points[f"{side}_wrist"] - points[f"{side}_elbow"]
            along = np.mean(hand.swapaxes(1, 2) @ along[..., None], 0)[:, 0]
            along /= np.linalg.norm(along)
            for name, ahead in [("index", 3), ("pinky", -3), ("thumb", 5)]:
                points[f"{side}_{name}"] = points[f"{side}_wrist"] + hand @ (8 * along + ahead * np.cross(along, hand[0].T @ [1.0, 0, 0]))
        for name in points:
            points[name] = points[name] / 100.0
        self.frames = len(points["hip"])

    def set(self, names):
        """Metres, y up: (frames, points, 3)."""
        return np.stack([self.points[name] for name in names], 1)

    def camera(self, names):
        """What a camera sees that looks down by 5 degrees: x to the right, y down, z away."""
        return self.set(names) * [1, -1, -1] @ about_x(-5).T

    def mediapipe(self):
        """Around the hips; a quarter of the points has a confidence, the last foot is not seen for a while."""
        p = self.set(MEDIAPIPE) * [1, -1, -1]
        return p - (p[:, 23] + p[:, 24])[:, None] / 2


def about_x(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


@pytest.fixture(scope="module")
def walk(data_file):
    return Walk(data_file(WALK))


def deviation(recording, walk, tilted=0.0):
    """Largest mean distance of a joint [m] after one turn about the vertical, and one shift, of the whole clip."""
    samples = recording.samples()
    assert len(samples.times) == walk.frames
    names = list(recording.segment_names)
    read = np.stack([samples.positions[:, names.index(segment)] for segment in JOINTS.values()], 1)
    truth = walk.set(list(JOINTS)) @ about_x(90 + tilted).T  # z up
    a, b = (np.concatenate([p[..., :2].reshape(-1, 2)]) for p in (read, truth))
    a, b = a - a.mean(0), b - b.mean(0)
    angle = np.arctan2(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]), np.sum(a * b))
    c, s = np.cos(angle), np.sin(angle)
    turned = read @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
    apart = turned - truth
    apart -= apart.reshape(-1, 3).mean(0)
    return np.linalg.norm(apart, axis=-1).mean(0).max()


def table(header, rows):
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue().encode()


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def point(p):
    return {"x": p[0], "y": p[1], "z": p[2], "visibility": 0.9}


def wide_named(p, fps):
    header = ["frame", "timestamp_ms"] + [f"{name.upper()}_{c}" for name in MEDIAPIPE for c in ("x", "y", "z", "visibility")]
    return table(header, [[k, 1000 * k / fps, *np.c_[q, np.full(33, 0.9)].ravel()] for k, q in enumerate(p)]), "pose.csv"


def wide_numbered(p, fps):
    header = ["class"] + [f"{c}{i}" for i in range(1, 34) for c in "xyzv"]
    return table(header, [["walk", *np.c_[q, np.full(33, 0.9)].ravel()] for q in p]), "coords.csv"


def wide_prefixed(p, fps):
    header = ["file_name", "frame_number"] + [f"landmark_{i}_{c}" for i in range(33) for c in ("x", "y", "z", "visibility")]
    return table(header, [["walk.mp4", k, *np.c_[q, np.full(33, 0.9)].ravel()] for k, q in enumerate(p)]), "pose.csv"


def wide_semicolons(p, fps):
    return wide_named(p, fps)[0].replace(b",", b";"), "pose.csv"


def wide_shuffled(p, fps):
    order = np.random.default_rng(3).permutation(33)
    header = ["time_s"] + [f"{MEDIAPIPE[i]}.{c}" for i in order for c in "xyz"]
    return table(header, [[k / fps, *q[order].ravel()] for k, q in enumerate(p)]), "pose.csv"


def tall_named(p, fps):
    rows = [[k, k / fps, name, *q[i], 0.9] for k, q in enumerate(p) for i, name in enumerate(MEDIAPIPE)]
    return table(["frame", "time_s", "landmark", "x", "y", "z", "visibility"], rows), "pose.csv"


def tall_world(p, fps):
    rows = [[k, i, 0.5, 0.5, 0.1, *q[i], 0.9] for k, q in enumerate(p) for i in range(33)]
    header = ["frame", "landmark_id", "x", "y", "z", "x_world", "y_world", "z_world", "visibility"]
    return table(header, rows), "pose.csv"


def json_frames(p, fps):
    image = [{"x": 0.5, "y": 0.5, "z": 0.0}] * 33
    frames = [{"frame": k, "pose_landmarks": image, "pose_world_landmarks": [point(x) for x in q]} for k, q in enumerate(p)]
    return json.dumps({"fps": fps, "frames": frames}).encode(), "pose.json"


def json_tasks(p, fps):
    frames = [{"timestampMs": 1000 * k / fps, "worldLandmarks": [[point(x) for x in q]]} for k, q in enumerate(p)]
    return json.dumps(frames).encode(), "pose.json"


def json_by_number(p, fps):
    return json.dumps({str(k): q.tolist() for k, q in enumerate(p)}).encode(), "pose.json"


def json_by_name(p, fps):
    frames = [{"frame": k, "landmarks": {name: point(x) for name, x in zip(MEDIAPIPE, q)}} for k, q in enumerate(p)]
    return json.dumps({"video": {"fps": fps}, "data": frames}).encode(), "pose.json"


def json_lines(p, fps):
    lines = [json.dumps({"time_s": k / fps, "pose_world_landmarks": [point(x) for x in q]}) for k, q in enumerate(p)]
    return "\n".join(lines).encode(), "pose.json"


def npz_confident(p, fps):
    return npz(keypoints=np.concatenate([p, np.full((*p.shape[:2], 1), 0.9)], 2), fps=fps), "pose.npz"


def npy_plain(p, fps):
    return npy(p.astype(np.float32)), "pose.npy"


def npy_holistic(p, fps):
    return npy(np.concatenate([p, np.zeros((len(p), 42, 3))], 1)), "holistic.npy"


MEDIAPIPE_LAYOUTS = [
    wide_named, wide_numbered, wide_prefixed, wide_semicolons, wide_shuffled, tall_named, tall_world, json_frames, json_tasks,
    json_by_number, json_by_name, json_lines, npz_confident, npy_plain, npy_holistic,
]  # fmt: skip


@pytest.mark.parametrize("layout", MEDIAPIPE_LAYOUTS)
def test_mediapipe_world_landmarks_are_the_walk_again_with_a_path_from_the_feet(walk, layout):
    data, name = layout(walk.mediapipe(), walk.fps)
    recording = panto.open(data, name=name)
    assert "mediapipe" in recording.format and recording.up == "-y"
    assert any("no path" in note for note in recording.notes)
    # 2 % of 4 m of walking, planted foot by foot; the clip's own feet skate, too
    assert deviation(recording, walk) < 0.09


def joint_sets(walk):
    camera = {n: walk.camera(s) for n, s in [("coco", COCO), ("halpe", HALPE), ("body25", BODY25)]}
    h36m = walk.set(H36M) @ about_x(90).T
    whole = np.zeros((walk.frames, 133, 3))
    whole[:, :23] = walk.camera(COCO + FEET)
    score = np.full((walk.frames, 133), 0.8)
    people = [[{"keypoints": q.tolist(), "keypoint_scores": s.tolist()}] for q, s in zip(camera["coco"], score[:, :17])]
    instances = [{"frame_id": k + 1, "instances": person} for k, person in enumerate(people)]
    names = {str(i): name for i, name in enumerate(COCO)}
    return {
        "coco.npy": npy(camera["coco"]),
        "coco.npz": npz(keypoints=np.concatenate([camera["coco"] * 1000, score[:, :17, None]], 2), fps=walk.fps),
        "halpe.npy": npy(camera["halpe"]),
        "body25.npy": npy(camera["body25"]),
        "h36m.npy": npy(h36m - h36m[:, :1]),
        "wholebody.npz": npz(keypoints=np.concatenate([whole, score[..., None]], 2), fps=walk.fps),
        "mmpose.json": json.dumps({"meta_info": {"keypoint_id2name": names}, "instance_info": instances}).encode(),
        "predictions.json": json.dumps({"predictions": people}).encode(),
    }


@pytest.mark.parametrize("name", ["coco.npy", "coco.npz", "halpe.npy", "body25.npy", "wholebody.npz", "mmpose.json", "predictions.json", "h36m.npy"])
def test_points_of_cameras_and_lifters_are_the_walk_again(walk, name):
    recording = panto.open(joint_sets(walk)[name], name=name)
    rooted = name == "h36m.npy"
    assert recording.up == ("z" if rooted else "-y")
    assert deviation(recording, walk, tilted=0 if rooted else -5) < (0.15 if rooted else 0.02)  # lifters have no feet: ankles rise while they stand


def test_a_folder_of_openpose_is_one_recording(walk, tmp_path):
    for k, q in enumerate(walk.camera(BODY25)):
        numbers = np.c_[q, np.ones(25)].ravel().tolist()
        person = {"person_id": [-1], "pose_keypoints_2d": [1.0] * 75, "pose_keypoints_3d": numbers, "face_keypoints_3d": []}
        (tmp_path / f"walk_{k:012d}_keypoints.json").write_text(json.dumps({"version": 1.3, "people": [person]}))
    assert deviation(panto.open(tmp_path), walk, tilted=-5) < 0.02
    for file in tmp_path.iterdir():
        frame = json.loads(file.read_text())
        del frame["people"][0]["pose_keypoints_3d"]
        file.write_text(json.dumps(frame))
    with pytest.raises(panto.FormatError, match="2D.*pose_world_landmarks"):
        panto.open(tmp_path)


def test_two_people_do_not_mix(walk):
    other = walk.camera(COCO) + [2.0, 0, 0]
    frames = []
    for k, (a, b) in enumerate(zip(walk.camera(COCO), other)):
        people = [{"keypoints": q.tolist()} for q in ((a, b) if k % 3 == 0 else (b, a))]
        frames.append({"frame_id": k, "instances": people if k % 10 else people[:1] if k == 0 else people})
    recording = panto.open(json.dumps(frames).encode(), name="two.json")
    assert any("several people" in note for note in recording.notes)
    assert deviation(recording, walk, tilted=-5) < 0.02


def test_low_confidence_is_a_gap_not_a_position(walk):
    p = np.concatenate([walk.mediapipe(), np.full((walk.frames, 33, 1), 0.95)], 2)
    p[20:30, 25] = [9, 9, 9, 0.1]  # the left knee is lost and far away
    recording = panto.open(npz(keypoints=p, fps=walk.fps), name="pose.npz")
    assert any("10 positions of a confidence below 0.5" in note for note in recording.notes)
    assert deviation(recording, walk) < 0.1


def test_noise_of_a_detector_leaves_the_path(walk):
    noise = np.random.default_rng(5).normal(0, 0.008, (walk.frames, 33, 3))
    p = walk.mediapipe() + noise
    recording = panto.open(npy(p - (p[:, 23:24] + p[:, 24:25]) / 2), name="pose.npy")
    assert any("no path" in note for note in recording.notes)
    assert deviation(recording, walk) < 0.15  # 8 mm in every number of every point


@pytest.mark.parametrize("case", ["normalised", "pixels", "two numbers", "scores"])
def test_points_of_an_image_are_refused_with_what_to_do(walk, case):
    image = walk.camera(MEDIAPIPE) / [4, 4, 4] + [0.5, 0.6, 0]
    image[..., 2] -= image[:, 23:25, 2].mean(1)[:, None]
    if case == "normalised":
        data, words = wide_named(image, walk.fps)[0], "x and y between 0 and 1.*pose_world_landmarks"
    elif case == "pixels":
        data, words = wide_named(image * [1920, 1080, 1920], walk.fps)[0], "pixels.*pose_world_landmarks"
    elif case == "two numbers":
        header = ["frame"] + [f"{name}_{c}" for name in COCO for c in "xy"]
        data, words = table(header, [[k, *q[:, :2].ravel()] for k, q in enumerate(walk.camera(COCO))]), "2D"
    else:
        q = walk.camera(COCO) * 500
        q[..., 2] = 0.9 + 0.1 * np.sin(q[..., 0])
        data, words = json.dumps([{"image_id": f"{k}.jpg", "keypoints": r.ravel().tolist()} for k, r in enumerate(q)]).encode(), "2D"
    with pytest.raises(panto.FormatError, match=words):
        panto.open(data, name="pose.json" if data.startswith(b"[") else "pose.csv")


def test_points_in_the_wrong_order_are_no_body(walk):
    """Without names the limbs must show the set; with wrong names they are no person's."""
    mixed = walk.camera(COCO)[:, np.random.default_rng(1).permutation(17)]
    with pytest.raises(panto.FormatError, match="17 points have no names, and their limbs do not show which set"):
        panto.open(npy(mixed), name="a.npy")
    recording = panto.open(npz(keypoints=mixed, names=np.array(COCO), fps=30.0), name="a.npz")
    with pytest.raises(panto.FormatError, match="a.npz"):
        panto.track(recording)


def test_opencap_markers_are_told_from_the_points_that_made_them(walk, tmp_path):
    """OpenCap's TRC holds 20 points of video and the 43 markers that its network makes of them (utilsAugmenter.py)."""
    video = {"Neck": "neck", "midHip": "hip"}
    for side in ("left", "right"):
        s = side[0].upper()
        for mark, name in [("Shoulder", "shoulder"), ("Elbow", "elbow"), ("Wrist", "wrist"), ("Hip", "hip"), ("Knee", "knee"), ("Ankle", "ankle"), ("BigToe", "big_toe"), ("SmallToe", "small_toe"), ("Heel", "heel")]:
            video[s + mark] = f"{side}_{name}"
    p = walk.points
    hips, forward = p["left_hip"] - p["right_hip"], np.array([0, 0, 1.0])
    left = hips / np.linalg.norm(hips, axis=1, keepdims=True)
    ahead = np.cross(left, [0, 1.0, 0])
    marks = {"C7_study": p["neck"] - 0.08 * ahead + [0, 0.05, 0]}
    for side, s, sign in [("left", "L", 1), ("right", "r", -1)]:
        out = sign * left
        marks[f"{s}.ASIS_study"] = p["hip"] + 0.12 * out + 0.07 * ahead + [0, 0.09, 0]
        marks[f"{s}.PSIS_study"] = p["hip"] + 0.05 * out - 0.09 * ahead + [0, 0.09, 0]
        marks[f"{s.upper()}HJC_study"] = p[f"{side}_hip"]
        marks[f"{s}_shoulder_study"] = p[f"{side}_shoulder"] + [0, 0.06, 0]
        for joint, off in [("knee", 0.05), ("ankle", 0.04)]:
            marks[f"{s}_{joint}_study"] = p[f"{side}_{joint}"] + off * out
            marks[f"{s}_m{joint}_study"] = p[f"{side}_{joint}"] - off * out
        for joint in ("elbow", "wrist"):
            marks[f"{s}_l{joint}_study"] = p[f"{side}_{joint}"] + 0.035 * out
            marks[f"{s}_m{joint}_study"] = p[f"{side}_{joint}"] - 0.035 * out
        marks[f"{s}_calc_study"], marks[f"{s}_toe_study"] = p[f"{side}_heel"], p[f"{side}_big_toe"]
        marks[f"{s}_5meta_study"] = p[f"{side}_small_toe"]
        for i in (1, 2, 3):
            marks[f"{s}_thigh{i}_study"] = p[f"{side}_hip"] * (1 - 0.2 * i) + p[f"{side}_knee"] * 0.2 * i + (0.06 + 0.01 * i) * out
            marks[f"{s}_sh{i}_study"] = p[f"{side}_knee"] * (1 - 0.2 * i) + p[f"{side}_ankle"] * 0.2 * i + (0.04 + 0.01 * i) * out
    # the video's points are worse than what the network makes of them
    worse = {mark: p[name] + [0.05, 0.02, 0.04] for mark, name in video.items()}
    both = {**worse, **marks}
    for unit, scale in [("m", 1.0), ("mm", 1000.0)]:
        lines = ["PathFileType\t4\t(X/Y/Z)\twalk.trc", "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits", f"{walk.fps}\t{walk.fps}\t{walk.frames}\t{len(both)}\t{unit}"]
        lines += ["Frame#\tTime\t" + "\t\t\t".join(both) + "\t\t", "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, len(both) + 1)), ""]
        for k in range(walk.frames):
            lines.append(f"{k + 1}\t{k / walk.fps:.6f}\t" + "\t".join(f"{scale * v:.6f}" for q in both.values() for v in q[k]))
        (tmp_path / "walk.trc").write_text("\n".join(lines) + "\n")
        recording = panto.open(tmp_path / "walk.trc")
        assert "opencap" in recording.format
        assert deviation(recording, walk) < 0.025


SOMA = (
    "Hips Spine1 Spine2 Chest Neck1 Neck2 Head Jaw LeftEye RightEye LeftShoulder LeftArm LeftForeArm LeftHand LeftHandThumbEnd "
    "LeftHandMiddleEnd RightShoulder RightArm RightForeArm RightHand RightHandThumbEnd RightHandMiddleEnd LeftLeg LeftShin "
    "LeftFoot LeftToeBase RightLeg RightShin RightFoot RightToeBase"
).split()  # kimodo/skeleton/definitions.py, SOMASkeleton30


def test_soma_arrays_of_kimodo_are_the_walk_again(walk, data_file):
    """The walk's own joints and turns under SOMA's names; what the clip lacks is fixed to its parent."""
    clip = Clip(data_file(WALK))
    every = slice(0, None, 2)
    mine = {"Hips": "Hip", "Spine1": "Waist", "Spine2": "Spine01", "Chest": "Spine02", "Neck1": "NeckTwist01", "Head": "Head"}
    for side, s in [("Left", "L_"), ("Right", "R_")]:
        for bone, joint in [("Shoulder", "Clavicle"), ("Arm", "Upperarm"), ("ForeArm", "Forearm"), ("Hand", "Hand"), ("Leg", "Thigh"), ("Shin", "Calf"), ("Foot", "Foot"), ("ToeBase", "ToeBase")]:
            mine[side + bone] = s + joint
    fixed = {"Neck2": ("Neck1", (0, 4, 0)), "Jaw": ("Head", (0, 0, 5)), "LeftEye": ("Head", (3, 6, 8)), "RightEye": ("Head", (-3, 6, 8))}
    for side, sign in [("Left", 1), ("Right", -1)]:
        fixed[side + "HandThumbEnd"] = (side + "Hand", (8 * sign, 0, 5))
        fixed[side + "HandMiddleEnd"] = (side + "Hand", (16 * sign, 0, 0))
    p, R = {}, {}
    for name, joint in mine.items():
        p[name], R[name] = clip.centre("CC_Base_" + joint)[every], clip.rotation("CC_Base_" + joint)[every]
        R[name] = R[name] @ R[name][0].T  # the rest pose is the first frame
    for name, (parent, offset) in fixed.items():
        p[name], R[name] = p[parent] + R[parent] @ np.array(offset, float), R[parent]
    places = np.stack([p[name] for name in SOMA], 1) / 100
    turns = np.stack([R[name] for name in SOMA], 1)
    recording = panto.open(npz(posed_joints=places, global_rot_mats=turns, fps=walk.fps), name="kimodo.npz")
    assert recording.up == "y" and recording.format.startswith("kimodo")
    assert deviation(recording, walk) < 0.02
