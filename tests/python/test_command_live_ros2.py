"""panto live --out ros2://: what a node of ROS 2 gets, by Eclipse's own Python binding, read by rosbags and Pinocchio."""
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest
from command import GOOD, USAGE

pinocchio = pytest.importorskip("pinocchio")
pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")
from cyclonedds.core import DDSException, Policy, Qos  # noqa: E402
from cyclonedds.domain import Domain, DomainParticipant  # noqa: E402
from cyclonedds.idl import IdlStruct, types  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402
from cyclonedds.util import duration  # noqa: E402
from rosbags.rosbag2 import Reader, Writer  # noqa: E402
from rosbags.rosbag2.enums import StoragePlugin  # noqa: E402
from rosbags.typesys import Stores, get_typestore  # noqa: E402

WALK = "examples/data/walk.bvh"
# as rmw_cyclonedds opens a domain where ROS_AUTOMATIC_DISCOVERY_RANGE is SUBNET (the default) and LOCALHOST
DISCOVERY = "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>{}</Discovery>"
SUBNET = "<CycloneDDS><Domain>" + DISCOVERY.format("") + "</Domain></CycloneDDS>"
LOCALHOST = (
    "<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast></General>"
    + DISCOVERY.format('<Peers><Peer address="localhost"/></Peers>')
    + "</Domain></CycloneDDS>"
)


@dataclass
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec: types.int32
    nanosec: types.uint32


@dataclass
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp: Time
    frame_id: str


@dataclass
class String(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    data: str


@dataclass
class JointState(IdlStruct, typename="sensor_msgs::msg::dds_::JointState_"):
    header: Header
    name: types.sequence[str]
    position: types.sequence[types.float64]
    velocity: types.sequence[types.float64]
    effort: types.sequence[types.float64]


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
    x: types.float64
    y: types.float64
    z: types.float64


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs::msg::dds_::Quaternion_"):
    x: types.float64
    y: types.float64
    z: types.float64
    w: types.float64


@dataclass
class Transform(IdlStruct, typename="geometry_msgs::msg::dds_::Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs::msg::dds_::TFMessage_"):
    transforms: types.sequence[TransformStamped]


class Node:
    """Subscribes as nodes do: /joint_states and /tf reliable, /robot_description kept for those who come later."""

    def __init__(self, domain, config=SUBNET):
        self.domain = Domain(domain, config)
        self.participant = DomainParticipant(domain)
        self.joints, self.frames, self.texts = [], [], []
        self.readers = [
            (self.reader("rt/joint_states", JointState, Policy.Durability.Volatile, 1000), self.joints),
            (self.reader("rt/tf", TFMessage, Policy.Durability.Volatile, 1000), self.frames),
            (self.reader("rt/robot_description", String, Policy.Durability.TransientLocal, 1), self.texts),
        ]

    def reader(self, name, kind, durability, depth):
        qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(depth), durability)
        return DataReader(self.participant, Topic(self.participant, name, kind), qos=qos)

    def listen(self, seconds, until=lambda: False):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            for reader, messages in self.readers:
                messages.extend(message for message in reader.take(1000) if isinstance(message, IdlStruct))
            time.sleep(0.01)

    def has_all(self):
        return bool(self.joints and self.frames and self.texts)

    def close(self):
        del self.readers, self.participant, self.domain


@pytest.fixture
def play(panto, project, tmp_path):
    """Starts a run that plays the walk to a domain that no other test has."""
    running = []

    def start(*arguments, host="127.0.0.1", source=("--in", project / WALK, "--loop")):
        domain = random.SystemRandom().randint(1, 100)
        words = [*source, *arguments, "--out", f"ros2://{host}:{domain}"]
        running.append(subprocess.Popen([panto, "live", *map(str, words)], cwd=tmp_path, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return running[-1], domain

    yield start
    for one in running:
        one.kill()
        one.wait()


def ended(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def stamp_of(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def pose_of(transform):
    p, q = transform.transform.translation, transform.transform.rotation
    return pinocchio.SE3(pinocchio.Quaternion(q.w, q.x, q.y, q.z), np.array([p.x, p.y, p.z]))


def chained(message):
    """Places of all frames in the world, whatever the order of the message."""
    left, placed = list(message.transforms), {"world": pinocchio.SE3.Identity()}
    while left:
        ready = [one for one in left if one.header.frame_id in placed]
        assert ready, "every frame hangs from the world"
        for one in ready:
            placed[one.child_frame_id] = placed[one.header.frame_id] * pose_of(one)
            left.remove(one)
    return placed


def test_a_node_gets_the_joints_and_frames_of_the_robot_and_its_description(play, tmp_path):
    run, domain = play("--robot", "g1", "--out", "same.npz")
    node = Node(domain)
    node.listen(20, node.has_all)
    node.listen(2.0)
    node.close()
    code, out, err = ended(run)
    assert code == GOOD, err
    assert f"frames to ros2://127.0.0.1:{domain}" in out and "dropped" not in out
    assert len(node.joints) > 40 and len(node.frames) > 40 and len(node.texts) == 1, "30 a second"

    model = pinocchio.buildModelFromXML(node.texts[0].data, pinocchio.JointModelFreeFlyer())
    names = node.joints[0].name
    assert set(names) == set(model.names[2:]) and len(names) == 29, "the joints of the description"
    with np.load(tmp_path / "same.npz") as same:
        assert [str(name) for name in same["joint_names"]] == list(names)
        rows = {row.tobytes(): i for i, row in enumerate(same["joint_position"])}
        position, velocity = same["joint_position"], same["joint_velocity"]
        base = np.hstack([same["base_position"], same["base_quaternion_wxyz"][:, [1, 2, 3, 0]]])
    # every message is a row of the file to the bit, in its order
    found = [rows[np.asarray(message.position).tobytes()] for message in node.joints]
    assert all(b > a for a, b in zip(found, found[1:])), "in order, none twice"
    assert max(np.ptp(position[found], axis=0)) > 0.5, "it walks"
    frames = {stamp_of(message.transforms[0]): message for message in node.frames}
    data, checked = model.createData(), 0
    for message, row in list(zip(node.joints, found))[::10]:
        assert np.array_equal(np.asarray(message.velocity), velocity[row])
        assert abs(stamp_of(message) / 1e9 - time.time()) < 60, "a date of today, not of the motion"
        if stamp_of(message) not in frames:  # the node came between the two
            continue
        q = pinocchio.neutral(model)
        q[:7] = base[row]
        for name, angle in zip(message.name, message.position):
            q[model.joints[model.getJointId(name)].idx_q] = angle
        pinocchio.framesForwardKinematics(model, data, q)
        placed = chained(frames[stamp_of(message)])
        bodies = [frame for frame in model.frames if frame.type == pinocchio.FrameType.BODY and frame.name != "universe"]
        assert {frame.name for frame in bodies} == set(placed) - {"world"}
        for frame in bodies:
            apart = placed[frame.name].actInv(data.oMf[model.getFrameId(frame.name, pinocchio.FrameType.BODY)])
            # angles of the text have 17 digits; ten roundings on the way
            assert np.abs(apart.homogeneous - np.eye(4)).max() < 1e-12, frame.name
        checked += 1
    assert checked > 5


def test_rosbags_reads_the_same_bytes_by_the_definitions_of_ros(play, tmp_path):
    run, domain = play("--robot", "g1")
    node = Node(domain)
    node.listen(20, node.has_all)
    node.listen(0.5)
    node.close()
    assert ended(run)[0] == GOOD
    store = get_typestore(Stores.ROS2_HUMBLE)
    topics = {
        "/joint_states": ("sensor_msgs/msg/JointState", node.joints),
        "/tf": ("tf2_msgs/msg/TFMessage", node.frames),
        "/robot_description": ("std_msgs/msg/String", node.texts),
    }
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as bag:
        for topic, (kind, messages) in topics.items():
            connection = bag.add_connection(topic, kind, typestore=store)
            for stamp, message in enumerate(messages):
                bag.write(connection, stamp, message.serialize())
    read = {topic: [] for topic in topics}
    with Reader(tmp_path / "bag") as bag:
        for connection, _, raw in bag.messages():
            read[connection.topic].append(store.deserialize_cdr(raw, connection.msgtype))
    for theirs, ours in zip(read["/joint_states"], node.joints, strict=True):
        assert theirs.name == list(ours.name)
        assert np.array_equal(theirs.position, ours.position) and np.array_equal(theirs.velocity, ours.velocity)
        assert len(theirs.effort) == 0 and stamp_of(theirs) == stamp_of(ours)
    for theirs, ours in zip(read["/tf"], node.frames, strict=True):
        assert [t.child_frame_id for t in theirs.transforms] == [t.child_frame_id for t in ours.transforms]
        assert theirs.transforms[0].header.frame_id == "world"
        assert theirs.transforms[0].transform.rotation.w == ours.transforms[0].transform.rotation.w
    assert read["/robot_description"][0].data == node.texts[0].data


@pytest.mark.parametrize("config", [SUBNET, LOCALHOST], ids=["subnet", "localhost"])
def test_nodes_find_the_run_whatever_their_range(play, config):
    run, domain = play("--model", "human48")
    node = Node(domain, config)
    node.listen(20, node.has_all)
    node.close()
    assert node.has_all()
    model = pinocchio.buildModelFromXML(node.texts[0].data)
    assert set(node.joints[0].name) == set(model.names[1:]) and len(node.joints[0].name) == 48
    assert "<visual>" in node.texts[0].data, "rviz2 draws what has a shape"
    assert ended(run)[0] == GOOD


def test_a_node_that_comes_late_gets_the_description(play):
    run, domain = play("--robot", "g1")
    time.sleep(3.0)
    node = Node(domain)
    node.listen(5, lambda: bool(node.texts))  # it is called every second
    node.close()
    assert len(node.texts) == 1
    assert ended(run)[0] == GOOD


def test_the_description_is_the_robots_own_file_where_it_has_one(play, project):
    own = project / "examples" / "data" / "homemade.urdf"
    run, domain = play("--robot", own)
    node = Node(domain)
    node.listen(20, node.has_all)
    node.close()
    assert ended(run)[0] == GOOD
    assert node.texts[0].data == own.read_text(encoding="utf-8")
    assert set(node.joints[0].name) <= set(pinocchio.buildModelFromXML(node.texts[0].data).names)


def test_without_a_robot_the_person_is_in_tf(play):
    run, domain = play()
    node = Node(domain)
    node.listen(20, lambda: bool(node.frames))
    node.listen(0.3)
    node.close()
    code, _, err = ended(run)
    assert code == GOOD, err
    placed = chained(node.frames[-1])
    assert {"person/Pelvis", "person/Head", "person/LeftFoot"} <= set(placed)
    assert placed["person/Head"].translation[2] > placed["person/Pelvis"].translation[2] + 0.4, "z is up"
    assert not node.joints and not node.texts


STALLED = """
import sys, time
sys.path.insert(0, {here!r})
import test_command_live_ros2 as ros2
node = ros2.Node({domain})
node.listen(20, node.has_all)
print("found", flush=True)
time.sleep(60)
"""


def test_a_node_that_stops_holds_nobody_up(play):
    run, domain = play("--robot", "g1", "--json")
    code = STALLED.format(here=os.path.dirname(__file__), domain=domain)
    node = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert node.stdout.readline() == "found\n"
        node.send_signal(signal.SIGSTOP)
        time.sleep(4.0)
        begun = time.monotonic()
        code, out, err = ended(run)
        assert code == GOOD, err
        assert time.monotonic() - begun < 5.0, "nor does the end wait for it"
        figures = json.loads(out)
        assert figures["output_p99_ms"] < 100.0, "a message is given up after 5 ms; the machine may be busy"
    finally:
        node.kill()
        node.wait()


@pytest.mark.parametrize(
    ("address", "said"),
    [("ros2://127.0.0.1:233", "'233' is not a number from 0 to 232"), ("ros2://robot", "ros2://robot"), ("ros2://[::1]", "ros2://::1")],
)
def test_an_address_that_is_none_is_refused_before_the_run(run, project, address, said):
    result = run("live", "--in", project / WALK, "--robot", "g1", "--out", address)
    assert result.returncode == USAGE and said in result.stderr


def test_ros_domain_id_counts_where_the_address_has_no_domain(run, project):
    result = run("live", "--in", project / WALK, "--robot", "g1", "--out", "ros2://", env={**os.environ, "ROS_DOMAIN_ID": "300"})
    assert result.returncode == USAGE and "ROS_DOMAIN_ID" in result.stderr
    both = ["--out", "ros2://127.0.0.1:99", "--out", "ros2://0.0.0.0:99"]
    twice = run("live", "--in", project / WALK, "--robot", "g1", *both)
    assert twice.returncode == USAGE and "another output has DDS domain 99" in twice.stderr
    unset = {**os.environ, "ROS_DOMAIN_ID": ""}
    g1 = run("live", "--in", project / WALK, "--robot", "g1", "--out", "ros2://", "--out", "unitree-arms://", env=unset)
    assert g1.returncode == USAGE and "another output has DDS domain 0" in g1.stderr
