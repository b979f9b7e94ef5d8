#include "panto/evaluation/posture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::int64_t kFewest = 200;               // poses
constexpr double kRare = 0.02;                      // share of poses beyond the range that is looked at
constexpr double kDoubt = 5.0, kImpossible = 40.0;  // [deg] beyond what people do
constexpr double kSwings = 0.12;                    // rms of a thigh's direction about its mean: 7 degrees
constexpr double kFlat = 0.35;                      // width of the swing over its length, at most
constexpr double kAstray = 25.0;                    // [deg] between swing and pelvis

struct Range {
  double least, most;  // [deg]
};
// One angle of a joint: of nearly all poses, of the median pose, and how far the medians of left and right
// may differ [deg].
struct UsualAngle {
  Range all, median;
  double uneven = 0.0;
};
using Angles = std::array<UsualAngle, 3>;  // flexion, sideways and twist (outward)
struct Rule {
  std::string_view parent, child, name;  // segments without their side
  bool paired;                           // there is a left and a right one
  double along;                          // the limb points along -z (-1) or +z (1)
  double flexes;                         // forward (1) or backward (-1) is positive
  Angles angles;
};
// The widest of real clips of walks, runs, dances and get-ups, and 8 degrees; for a knee whose flesh carries
// the sensors 24: tests/report/sensor_verdict_test.cpp
constexpr Angles kHip{{{{-40, 150}, {-34, 105}, 33}, {{-30, 80}, {-18, 34}, 33}, {{-45, 65}, {-25, 50}, 34}}};
constexpr Angles kKnee{{{{-24, 160}, {-8, 150}, 25}, {{-17, 17}, {-12, 12}, 18}, {{-42, 42}, {-30, 30}, 23}}};
constexpr Angles kAnkle{{{{-58, 58}, {-35, 30}, 54}, {{-42, 42}, {-20, 20}, 26}, {{-58, 58}, {-45, 45}, 24}}};
constexpr Angles kBack{{{{-45, 100}, {-25, 60}}, {{-45, 45}, {-20, 20}}, {{-55, 55}, {-25, 25}}}};
constexpr Angles kNeck{{{{-70, 70}, {-45, 45}}, {{-50, 50}, {-22, 22}}, {{-90, 90}, {-35, 35}}}};
constexpr std::array<Rule, 5> kRules{{{"Pelvis", "UpperLeg", "hip", true, -1, 1, kHip},
                                      {"UpperLeg", "LowerLeg", "knee", true, -1, -1, kKnee},
                                      {"LowerLeg", "Foot", "ankle", true, -1, 1, kAnkle},
                                      {"Pelvis", "T8", "back", false, 1, 1, kBack},
                                      {"T8", "Head", "neck", false, 1, 1, kNeck}}};

// "bends backward by 26 deg"
std::string seen(std::size_t angle, double degrees) {
  const std::string size = " by " + std::to_string(std::lround(std::abs(degrees))) + " deg";
  if (angle == 0) return (degrees < 0.0 ? "bends backward" : "bends") + size;
  return (angle == 1 ? "bends sideways" : "is twisted") + size;
}

// Returns the name of a segment that has a left and a right one, or of the pelvis.
std::string with_side(std::string_view segment, const Rule& rule, bool left) {
  return (!rule.paired || segment == "Pelvis" ? "" : left ? "Left" : "Right") + std::string(segment);
}

// Returns how far a value lies outside a range.
double beyond(const Range& range, double value) {
  return std::max({range.least - value, value - range.most, 0.0});
}

}  // namespace

void PostureWatch::Degrees::add(double radians) noexcept {
  const double degrees = std::clamp(kToDegrees * radians, -180.0, 180.0);
  ++counts_[static_cast<std::size_t>(std::lround(degrees) + 180)];
  ++total_;
}

double PostureWatch::Degrees::percentile(double share) const noexcept {
  const double wanted = share * static_cast<double>(total_);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (static_cast<double>(seen) >= wanted && seen > 0) return static_cast<double>(i) - 180.0;
  }
  return 0.0;
}

PostureWatch::PostureWatch(const Model& model, const std::vector<std::string>& links) : kinematics_(model) {
  const auto link_of = [&](const std::string& name) -> std::optional<int> {
    if (std::find(links.begin(), links.end(), name) == links.end()) return std::nullopt;
    const auto link = model.find_link(name);
    return link ? std::optional(static_cast<int>(*link)) : std::nullopt;
  };
  for (std::size_t r = 0; r < kRules.size(); ++r)
    for (const bool left : {false, true}) {
      const Rule& rule = kRules[r];
      const std::string parent = with_side(rule.parent, rule, left),
                        child = with_side(rule.child, rule, left);
      if (left && !rule.paired) continue;
      const auto a = link_of(parent), b = link_of(child);
      if (!a || !b) continue;
      Joint& joint = joints_.emplace_back();
      joint.rule = r;
      joint.left = left;
      joint.parent = *a;
      joint.child = *b;
    }
}

void PostureWatch::add(const State& state) noexcept {
  if (joints_.empty()) return;
  kinematics_.update(state);
  for (Joint& joint : joints_) add_joint(joint);
  ++poses_;
}

void PostureWatch::add_joint(Joint& joint) noexcept {
  const Rule& rule = kRules[joint.rule];
  const Matrix3d R = kinematics_.R_WL(joint.parent).transpose() * kinematics_.R_WL(joint.child);
  const Vector3d d = rule.along * R.col(2);
  const double outward = joint.left ? 1.0 : -1.0;
  joint.angles[0].add(rule.flexes * atan2(d.x(), rule.along * d.z()));
  joint.angles[1].add(outward * (0.5 * std::numbers::pi - acos(d.y())));
  joint.angles[2].add(outward * 2.0 * atan2(R(1, 0) - R(0, 1), 1.0 + R.trace()));
  if (rule.child != "UpperLeg") return;
  Swing& swing = swings_[joint.left ? 1 : 0];
  swing.sum += d.head<2>();
  swing.squares += d.head<2>() * d.head<2>().transpose();
}

std::vector<PostureFinding> PostureWatch::findings() const {
  std::vector<PostureFinding> findings;
  if (poses_ < kFewest) return findings;
  for (const Joint& joint : joints_) add_ranges(joint, findings);
  add_sides(findings);
  add_swing(findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const PostureFinding& a, const PostureFinding& b) { return a.off_deg > b.off_deg; });
  return findings;
}

// One finding per joint: its worst angle.
void PostureWatch::add_ranges(const Joint& joint, std::vector<PostureFinding>& findings) const {
  const Rule& rule = kRules[joint.rule];
  double worst = kDoubt;
  PostureFinding found;
  for (std::size_t i = 0; i < joint.angles.size(); ++i) {
    const UsualAngle& usual = rule.angles[i];
    const double low = joint.angles[i].percentile(kRare), high = joint.angles[i].percentile(1.0 - kRare),
                 median = joint.angles[i].percentile(0.5);
    const double off =
        std::max({beyond(usual.all, low), beyond(usual.all, high), beyond(usual.median, median)});
    if (!(off > worst)) continue;
    worst = off;
    const double shown = off == beyond(usual.median, median) ? median
                         : off == beyond(usual.all, low)     ? low
                                                             : high;
    const std::string side = !rule.paired ? "" : joint.left ? "left " : "right ";
    found.text = "the " + side + std::string(rule.name) + " " + seen(i, shown) +
                 (shown == median ? " in the median" : "");
    found.off_deg = off;
    found.impossible = off > kImpossible;
  }
  if (worst > kDoubt) findings.push_back(std::move(found));
}

// Both thighs turned to one side: the pelvis is turned to the other.
void PostureWatch::add_sides(std::vector<PostureFinding>& findings) const {
  for (std::size_t right = 0; right + 1 < joints_.size(); ++right) {
    const Joint &a = joints_[right], &b = joints_[right + 1];
    if (a.rule != b.rule || a.left || !b.left) continue;
    for (std::size_t i = 0; i < a.angles.size(); ++i) {
      const double one = a.angles[i].percentile(0.5), other = b.angles[i].percentile(0.5);
      const double off = std::abs(one - other) - kRules[a.rule].angles[i].uneven;
      if (!(off > 0.0)) continue;
      findings.push_back({"the right " + std::string(kRules[a.rule].name) + " " + seen(i, one) +
                              ", the left " + seen(i, other) + " in the median",
                          kDoubt + off, off > kImpossible});
    }
  }
}

// Thighs swing where the pelvis faces.
void PostureWatch::add_swing(std::vector<PostureFinding>& findings) const {
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  const auto n = static_cast<double>(poses_);
  for (const Swing& swing : swings_) {
    if (swing.squares.isZero(0.0)) return;
    spread += (swing.squares - swing.sum * swing.sum.transpose() / n) / (2.0 * n);
  }
  // the longer axis of the ellipse, of a symmetric 2 x 2 matrix
  const double half = 0.5 * (spread(0, 0) - spread(1, 1)), cross = spread(0, 1),
               middle = 0.5 * spread.trace();
  const double radius = std::sqrt(half * half + cross * cross);
  const double length = std::sqrt(middle + radius), width = std::sqrt(std::max(middle - radius, 0.0));
  if (length < kSwings || width > kFlat * length) return;
  const double turned = std::abs(0.5 * kToDegrees * atan2(cross, half));
  if (turned > kAstray)
    findings.push_back({"the thighs swing " + std::to_string(std::lround(turned)) + " deg" +
                            " away from where the pelvis faces",
                        turned - kAstray + kDoubt, turned > kAstray + kImpossible});
}

}  // namespace panto
