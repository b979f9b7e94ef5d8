// panto_bits_probe [STEPS]: what the core computes, one line for each thing: its name and the hash of all
// numbers. Two builds of it, by any two compilers, for any two machines, must print the same lines
// (tools/same_bits.py). It calls no function of the C library's whose last bit is not fixed, and no
// distribution of <random>.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/keypoints/keypoints.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/base_lift.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/motion/foot_plant.hpp"
#include "panto/motion/range_scaling.hpp"
#include "panto/motion/smoothing.hpp"
#include "panto/motion/time_scaling.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"
#include "panto/rig/rig.hpp"
#include "panto/robot/map.hpp"
#include "panto/synthesis/imu_faults.hpp"
#include "panto/synthesis/imu_signals.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/synthesis/scenes.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// FNV-1a over the bytes of numbers, as `state_hash`: -0 counts as 0, and every NaN as one
class Hash {
 public:
  void add(double x) noexcept {
    auto bits = x == x ? std::bit_cast<std::uint64_t>(x + 0.0) : std::uint64_t{0x7ff8000000000000};
    for (int i = 0; i < 8; ++i, bits >>= 8) value_ = (value_ ^ (bits & 0xffU)) * 0x100000001b3ULL;
  }
  template <typename Derived>
  void add(const Eigen::MatrixBase<Derived>& M) noexcept {
    for (Eigen::Index j = 0; j < M.cols(); ++j) {
      for (Eigen::Index i = 0; i < M.rows(); ++i) add(static_cast<double>(M(i, j)));
    }
  }
  void add(const State& state) noexcept { value_ = state_hash(state, value_); }
  template <typename T>
  void add(const std::vector<T>& all) noexcept {
    for (const T& one : all) add(one);
  }
  void print(const std::string& name) const {
    std::printf("%-40s %016llx\n", name.c_str(), static_cast<unsigned long long>(value_));
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

void functions() {
  std::mt19937_64 engine(1);
  Hash circle, growth, angles;
  for (int i = 0; i < 20000; ++i) {
    const double x = uniform(engine, -30.0, 30.0), y = uniform(engine, 0.0, 1.0);
    const SinCos sc = sincos(x);
    for (const double v : {sc.sin, sc.cos, tanh(x), exp_decay(-y)}) circle.add(v);
    for (const double v : {exp(x), expm1(x * y), log(y), log1p(y * y), power(x, 3), hypot(x, y)})
      growth.add(v);
    for (const double v : {atan2(x, y), asin(y), acos(-y), atan_small(0.4 * y)}) angles.add(v);
  }
  circle.print("math sincos, tanh, decay");
  growth.print("math exp, expm1, log, log1p, power, hypot");
  angles.print("math atan2, asin, acos");
}

// every scene, body and solver
void scenes(std::size_t steps) {
  for (const SceneName& known : scene_names()) {
    for (const char* body : {"human66", "human48"}) {
      if (!known.human48 && std::string(body) == "human48") continue;
      const Scene scene = make_scene(known.name, body);
      const std::vector<SegmentSample> samples = scene_samples(scene);
      AttachmentMap map;
      for (const std::string& link : scene.links) {
        Attachment& a = map.attachments.emplace_back();
        a.segment = a.link = link;
        for (const std::string& position : scene.positions) a.position |= position == link;
      }
      SolverOptions options;
      if (scene.tanh_gain) {
        options.dynamical.limits.law = LimitLaw::Tanh;
        options.dynamical.limits.tanh_gain = *scene.tanh_gain;
      }
      for (const SolverKind kind : solver_kinds()) {
        SegmentTracker tracker(*scene.model, map, kind, options, scene.links);
        State state = tracker.rest_state();
        Hash hash;
        for (std::size_t i = 0; i < std::min(steps, samples.size()); ++i) {
          (void)tracker.step(samples[i], state);
          hash.add(state);
        }
        hash.print("scene " + scene.name + " " + body + " " + std::string(to_string(kind)));
      }
    }
  }
}

struct Walk {
  SubjectDimensions subject = scaled_subject(1.75);
  Model human = human66(subject);
  Motion motion;
  std::vector<std::string> names;
  std::vector<SegmentSample> samples;

  explicit Walk(const char* name) : motion(synthesise(make_synthesis(name, human), 6.0, 60.0)) {
    SyntheticSource source(make_synthesis(name, human),
                           {6.0, 60.0, NoiseOptions{1.0, 0.0, 0.003, 0.0, 7}, {}});
    names = source.names();
    for (SegmentSample sample; source.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  }
};

// the passes of planted retargeting that see a whole clip
void feet(const Walk& walk, const std::string& name) {
  std::vector<Time> t;
  for (const SegmentSample& sample : walk.samples) t.push_back(sample.t);
  std::vector<FootTrack> tracks;
  std::vector<FootMotion> feet;
  std::vector<double> depth(t.size());
  for (const bool right : {true, false}) {
    const int segment = right ? RightFoot : LeftFoot;
    FootMotion& foot = feet.emplace_back();
    foot.name = kHumanSegmentNames[at(segment)];
    foot.sole = human_sole(walk.subject, right);
    tracks.push_back(foot_track(foot.name, walk.samples, segment, foot.sole));
    for (std::size_t k = 0; k < t.size(); ++k) {
      foot.p_WF.push_back(walk.samples[k].segments[at(segment)].p_WS);
      foot.R_WF.push_back(walk.samples[k].segments[at(segment)].R_WS);
      depth[k] = std::max(depth[k], 0.01 - tracks.back().ball[k].z());
    }
  }
  const ClipContacts contacts = find_contacts(tracks);
  Hash found, planted, lifted;
  found.add(contacts.ground);
  for (std::size_t f = 0; f < feet.size(); ++f) {
    feet[f].contacts = contacts.feet[f];
    for (const double x :
         {contacts.feet[f].heel_level, contacts.feet[f].ball_level, contacts.feet[f].stance_share})
      found.add(x);
    for (const PlantedInterval& stand : contacts.feet[f].planted)
      found.add(stand.first), found.add(stand.last);
  }
  found.print("foot_contacts " + name);
  const PlantedFeet result = plant_feet(t, feet);
  for (const FootTargets& targets : result.feet)
    planted.add(targets.p_WF), planted.add(targets.R_WF), planted.add(targets.v_WF),
        planted.add(targets.w_WF);
  planted.add(base_shift(t, feet, result.feet));
  planted.print("foot_plant " + name);
  lifted.add(base_lift(t, depth));
  lifted.print("base_lift " + name);
}

void whole_motions(const Walk& walk, const std::string& name) {
  Hash smoothed, scaled, slowed;
  smoothed.add(smooth_motion(walk.motion, walk.human).motion.states);
  smoothed.print("smoothing " + name);
  scaled.add(scale_range(walk.motion, walk.human).motion.states);
  scaled.print("range_scaling " + name);
  TimeScalingOptions options;
  options.speed_limit = 1.5;
  options.max_acceleration = 15.0;
  slowed.add(scale_time(walk.motion, walk.human, options).motion.states);
  slowed.print("time_scaling " + name);
}

// a skeleton that says nothing by its names
void rigs(const Walk& walk, const std::string& name) {
  SkeletonClip clip;
  Kinematics kinematics(walk.human);
  const auto pose = [&](const State& state) {
    kinematics.update(state);
    SkeletonPose result;
    for (const std::string_view segment : kHumanSegmentNames) {
      const int link = walk.human.link_index(std::string(segment));
      result.R_FJ.push_back(kinematics.R_WL(link));
      result.p_FJ.emplace_back(100.0 * kinematics.p_WL(link));
    }
    return result;
  };
  clip.name = name;
  clip.rest = pose(rest_state(walk.human));
  for (int i = 0; i < kHumanSegmentCount; ++i)
    clip.joints.push_back({"joint" + std::to_string(i), kHumanSegmentParent[at(i)], {}});
  for (const State& state : walk.motion.states) {
    clip.frames.push_back(pose(state));
    clip.times.push_back(to_seconds(state.t));
  }
  Hash mapped, aligned;
  rig::Map map = rig::map_rig(clip);
  for (const rig::MapEntry& entry : map.segments) {
    mapped.add(entry.joint);
    mapped.add(entry.confidence);
  }
  for (const rig::Decision& decision : map.decisions) mapped.add(decision.confidence);
  mapped.add(map.unit);
  mapped.add(map.R_WF);
  mapped.print("rig_map " + name);
  const rig::Rig rig = rig::align_rig(clip, std::move(map));
  std::vector<SegmentMotion> segments(at(kHumanSegmentCount));
  for (const SkeletonPose& frame : clip.frames) {
    rig::rig_segments(rig, frame, segments);
    for (const SegmentMotion& segment : segments) aligned.add(segment.R_WS), aligned.add(segment.p_WS);
  }
  for (const Vector3d& origin : rig.subject.origin) aligned.add(origin);
  aligned.print("rig " + name);
}

// joint centres as a network names them, and the human who follows them
void points(const Walk& walk, const std::string& name) {
  KeypointClip clip;
  clip.name = name;
  clip.rate_hz = 60.0;
  clip.unit = 1.0;
  std::vector<int> segments{Pelvis, Neck, Head};
  clip.names = {"MidHip", "Neck", "Head"};
  for (const auto& [word, segment] : {std::pair{"Shoulder", RightUpperArm},
                                      {"Elbow", RightForeArm},
                                      {"Wrist", RightHand},
                                      {"Hip", RightUpperLeg},
                                      {"Knee", RightLowerLeg},
                                      {"Ankle", RightFoot},
                                      {"BigToe", RightToe}}) {
    const int left = segment >= RightUpperLeg ? LeftUpperLeg - RightUpperLeg : LeftShoulder - RightShoulder;
    clip.names.push_back(std::string("R") + word);
    segments.push_back(segment);
    clip.names.push_back(std::string("L") + word);
    segments.push_back(segment + left);
  }
  for (const SegmentSample& sample : walk.samples) {
    clip.times.push_back(sample.t);
    for (const int segment : segments) {
      for (const double x : sample.segments[at(segment)].p_WS) clip.positions.push_back(x);
    }
  }
  const keypoints::KeypointBody body(std::move(clip));
  Hash hash, tracked;
  for (const Vector3d& origin : body.subject().origin) hash.add(origin);
  const Model human = human48(body.subject());
  SegmentTracker tracker(human, mvn_attachments(), DynamicalOptions{});
  State state = tracker.rest_state();
  SegmentSample sample;
  for (int k = 0; k < body.clip().frames(); ++k) {
    sample.t = body.clip().times[at(k)];
    body.segments(k, sample.segments);
    for (const SegmentMotion& segment : sample.segments) {
      if (segment.has_orientation) hash.add(segment.R_WS);
      if (segment.has_position) hash.add(segment.p_WS);
    }
    (void)tracker.step(sample, state);
    tracked.add(state);
  }
  hash.print("keypoints " + name);
  tracked.print("keypoints tracked " + name);
}

void sensors() {
  const Model model = human48();
  const Synthesis truth = make_synthesis("walk", model, 1);
  std::mt19937_64 engine(3);
  InertialSetup setup;
  std::vector<std::string> names;
  for (const char* link : {"Pelvis", "T8", "Head", "RightUpperArm", "RightForeArm", "RightHand",
                           "LeftUpperArm", "LeftForeArm", "LeftHand", "RightUpperLeg", "RightLowerLeg",
                           "RightFoot", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot"}) {
    const auto drawn = [&] { return uniform(engine, -1.0, 1.0); };
    const Vector3d turn{drawn(), drawn(), drawn()}, place{drawn(), drawn(), drawn()};
    setup.mounts.push_back({link, link, so3::exp(turn), 0.05 * place});
    names.emplace_back(link);
  }
  ImuSignalOptions options;
  options.duration = 1.0;
  add_imu_fault("all", options);
  const ImuSignals signals = imu_signals(model, motion_law(truth), setup.mounts, options);
  Hash measured, filtered, smoothed;
  for (const ImuSample& sample : signals.samples) {
    for (const ImuReading& reading : sample.imus) measured.add(reading.gyro), measured.add(reading.acc);
  }
  measured.print("imu_signals");
  InertialTracker tracker(model, setup, names);
  State state = tracker.start_state();
  for (const ImuSample& sample : signals.samples) {
    if (advanced(tracker.step(sample, state))) filtered.add(state);
  }
  filtered.add(tracker.chain().P);
  filtered.print("inertial filter");
  InertialTracker again(model, setup, names);
  SmoothedInertialTracker smoother(
      again, {signals.samples.size(), [&](std::size_t i, ImuSample& sample) { sample = signals.samples[i]; }},
      {});
  state = again.start_state();
  for (const ImuSample& sample : signals.samples) {
    if (advanced(smoother.step(sample, state))) smoothed.add(state);
  }
  smoothed.print("inertial smoother");
}

void robots() {
  for (const char* body : {"human66", "human48"}) {
    const Model model = std::string(body) == "human66" ? human66() : human48();
    const robot::MapProposal found = robot::propose_robot_map(model);
    Hash hash;
    for (const Attachment& a : found.map.attachments.attachments) hash.add(a.R_SF);
    for (const auto& [joint, position] : found.map.rest) hash.add(position);
    hash.print(std::string("robot map ") + body);
  }
}

}  // namespace
}  // namespace panto

int main(int argc, char** argv) {
  try {
    panto::functions();
    panto::scenes(argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 200);
    for (const char* name : {"walk", "run"}) {
      const panto::Walk walk(name);
      panto::feet(walk, name);
      panto::whole_motions(walk, name);
      panto::rigs(walk, name);
      panto::points(walk, name);
    }
    panto::sensors();
    panto::robots();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "panto_bits_probe: %s\n", error.what());
    return 1;
  }
  return 0;
}
