#include "panto/keypoints/point_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/keypoints/body_points.hpp"
#include "panto/keypoints/landmarks.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

// mediapipe/python/solutions/pose.py, PoseLandmark
constexpr std::string_view kMediaPipe =
    "nose left_eye_inner left_eye left_eye_outer right_eye_inner right_eye right_eye_outer left_ear "
    "right_ear mouth_left mouth_right left_shoulder right_shoulder left_elbow right_elbow left_wrist "
    "right_wrist left_pinky right_pinky left_index right_index left_thumb right_thumb left_hip right_hip "
    "left_knee right_knee left_ankle right_ankle left_heel right_heel left_foot_index right_foot_index";
// mmpose/configs/_base_/datasets/coco.py
constexpr std::string_view kCoco =
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow "
    "left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle";
// mmpose/configs/_base_/datasets/coco_wholebody.py: 17 of COCO, 6 of the feet, 68 of the face, 2 x 21
constexpr std::string_view kWholeBody =
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow "
    "left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle left_big_toe "
    "left_small_toe left_heel right_big_toe right_small_toe right_heel";
// Fang-Haoshu/Halpe-FullBody, README: 26 of the body, then face and hands
constexpr std::string_view kHalpe =
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow "
    "left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle head neck hip "
    "left_big_toe right_big_toe left_small_toe right_small_toe left_heel right_heel";
// openpose/doc/02_output.md, Keypoint Ordering
constexpr std::string_view kBody25 =
    "nose neck right_shoulder right_elbow right_wrist left_shoulder left_elbow left_wrist mid_hip right_hip "
    "right_knee right_ankle left_hip left_knee left_ankle right_eye left_eye right_ear left_ear "
    "left_big_toe left_small_toe left_heel right_big_toe right_small_toe right_heel";
constexpr std::string_view kOpenPose18 =
    "nose neck right_shoulder right_elbow right_wrist left_shoulder left_elbow left_wrist right_hip "
    "right_knee right_ankle left_hip left_knee left_ankle right_eye left_eye right_ear left_ear";
// mmpose/configs/_base_/datasets/h36m.py: what lifters from 2D to 3D give (MotionBERT, VideoPose3D)
constexpr std::string_view kHuman36m =
    "root right_hip right_knee right_ankle left_hip left_knee left_ankle spine thorax neck head "
    "left_shoulder left_elbow left_wrist right_shoulder right_elbow right_wrist";
// smplx/joint_names.py
constexpr std::string_view kSmpl =
    "pelvis left_hip right_hip spine1 left_knee right_knee spine2 left_ankle right_ankle spine3 left_foot "
    "right_foot neck left_collar right_collar head left_shoulder right_shoulder left_elbow right_elbow "
    "left_wrist right_wrist";
// shahroudy/NTURGB-D, README: the 25 joints of Kinect
constexpr std::string_view kKinect =
    "spine_base spine_mid neck head left_shoulder left_elbow left_wrist left_hand right_shoulder "
    "right_elbow right_wrist right_hand left_hip left_knee left_ankle left_foot right_hip right_knee "
    "right_ankle right_foot spine_shoulder left_hand_tip left_thumb right_hand_tip right_thumb";

// MediaPipe's Holistic adds faces (468, or 478 with irises) and hands to the 33; those are in axes of their
// own
constexpr std::array kSets{PointSet{"mediapipe pose", 33, kMediaPipe},
                           PointSet{"mediapipe holistic", 75, kMediaPipe},
                           PointSet{"mediapipe holistic", 501, kMediaPipe},
                           PointSet{"mediapipe holistic", 543, kMediaPipe},
                           PointSet{"mediapipe holistic", 553, kMediaPipe},
                           PointSet{"coco 17", 17, kCoco},
                           PointSet{"human3.6m", 17, kHuman36m},
                           PointSet{"openpose 18", 18, kOpenPose18},
                           PointSet{"smpl", 22, kSmpl},
                           PointSet{"smpl", 24, kSmpl},
                           PointSet{"body 25", 25, kBody25},
                           PointSet{"kinect", 25, kKinect},
                           PointSet{"halpe 26", 26, kHalpe},
                           PointSet{"coco wholebody", 133, kWholeBody, 91, 112},
                           PointSet{"halpe 136", 136, kHalpe, 94, 115}};

// of a hand's 21 points, in every one of these sets: the knuckles that turn it
constexpr std::array<std::pair<std::size_t, std::string_view>, 3> kKnuckles{
    {{5, "_index"}, {9, "_middle"}, {17, "_pinky"}}};

constexpr std::size_t kSampled = 100;  // frames that judge
constexpr double kClearly = 1.5;       // times better than the next set
// mean misfit of limbs, as a share of their length, that is no body: a walk has .06, with 3 cm of noise .12;
// eight wrong orders of 17 points have .30 and more
constexpr double kBody = 0.22;

// Usual lengths as shares of the height (`scaled_subject`): thigh, shank, upper arm, fore-arm.
constexpr std::array<double, 4> kUsual{0.275, 0.250, 0.168, 0.138};

}  // namespace

std::vector<std::string> names_of(const PointSet& set) {
  std::vector<std::string> names;
  for (std::string_view rest = set.body; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  names.resize(set.points);
  for (const auto& [side, first] : {std::pair{"left", set.left_hand}, {"right", set.right_hand}}) {
    for (const auto& [knuckle, name] : kKnuckles) {
      if (first > 0) names[first + knuckle] = std::string(side).append(name);
    }
  }
  return names;
}

double limb_misfit(const std::vector<std::string>& names, std::span<const double> positions) {
  const std::vector<int> landmark = read_landmark_names(names).landmark;
  const std::size_t width = 3 * names.size(), frames = positions.size() / width;
  const std::size_t step = std::max<std::size_t>(1, frames / kSampled);
  const auto point = [&](std::size_t frame, int of) -> Vector3d {
    const auto found = std::find(landmark.begin(), landmark.end(), of);
    if (found == landmark.end()) return no_point();
    const auto j = static_cast<std::size_t>(found - landmark.begin());
    return Vector3d::Map(positions.data() + frame * width + 3 * j);
  };
  double sum = 0.0, size = 0.0;
  std::array<std::array<double, 4>, 2> lengths{};
  for (const Limb& limb : kLimbs) {
    for (const bool lower : {false, true}) {
      const int from = sided(lower ? limb.middle : limb.root, limb.side),
                to = sided(lower ? limb.end : limb.middle, limb.side);
      std::vector<double> all;
      for (std::size_t k = 0; k < frames; k += step) all.push_back((point(k, to) - point(k, from)).norm());
      const double typical = median(all);
      if (!(typical > 0.0)) return std::numeric_limits<double>::infinity();
      for (double& length : all) length = std::abs(length - typical) / typical;
      sum += median(std::move(all));
      const std::size_t part = (limb.leg ? 0U : 2U) + (lower ? 1U : 0U);
      lengths[at(limb.side)][part] = typical / kUsual[part];
      size += typical / kUsual[part] / 8.0;
    }
  }
  for (std::size_t part = 0; part < 4; ++part) {
    sum += std::abs(lengths[0][part] - lengths[1][part]) / size;
    for (const auto& side : lengths) sum += std::abs(side[part] - size) / size;
  }
  return sum / 12.0;
}

const PointSet* find_point_set(std::size_t points, std::span<const double> positions, std::string& problem) {
  const PointSet* best = nullptr;
  double least = std::numeric_limits<double>::infinity(), next = least;
  std::string candidates;
  for (const PointSet& set : kSets) {
    if (set.points != points) continue;
    candidates += (candidates.empty() ? "" : ", ") + std::string(set.name);
    const double here = limb_misfit(names_of(set), positions);
    if (best == nullptr || here < least) {
      next = best == nullptr ? next : least;
      least = here;
      best = &set;
    } else {
      next = std::min(next, here);
    }
  }
  if (best == nullptr) {
    problem =
        counted(static_cast<std::int64_t>(points), "point") +
        " without names are no known set (17, 18, 22, 24, 25, 26, 33, 75, 133, 136, 501, 543 or 553 points)";
  } else if (!(least < kBody) || !(kClearly * least < next)) {
    problem = "the " + std::to_string(points) +
              " points have no names, and their limbs do not show which set "
              "they are (" +
              candidates + ")";
    best = nullptr;
  }
  return best;
}

bool is_point_count(std::size_t points) noexcept {
  return std::any_of(kSets.begin(), kSets.end(), [&](const PointSet& set) { return set.points == points; });
}

double least_confidence(std::string_view family) noexcept {
  // mediapipe/python/solutions/drawing_utils.py, _VISIBILITY_THRESHOLD; mmpose, kpt_thr
  return family.starts_with("mediapipe") ? 0.5 : 0.3;
}

}  // namespace panto::keypoints
