#include "panto/targets/own_targets.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kRotation = 1e-6;       // a matrix further from a rotation is refused
constexpr double kValueRotation = 1e-2;  // as a value: switches the target off

// Checks set-up values; messages name the target.
class Checker {
 public:
  Checker(const char* kind, const std::string& link, const Model& model)
      : who_("own " + std::string(kind) + " target of link '" + link + "': ") {
    (void)model.link_index(link);
  }
  void vector(const char* name, const Eigen::Vector3d& v) const {
    if (!v.allFinite()) throw ConfigError(who_ + name + " must be finite");
  }
  void rotation(const char* name, const Eigen::Matrix3d& R) const {
    if (!so3::is_rotation(R, kRotation)) throw ConfigError(who_ + name + " is not a rotation");
  }
  void direction(const char* name, const Eigen::Vector3d& d) const {
    if (!(d.allFinite() && d.norm() > 0.0))
      throw ConfigError(who_ + name + " must be finite and longer than 0");
  }

 private:
  std::string who_;
};

}  // namespace

bool same_counts(const OwnTargets& a, const OwnTargets& b) noexcept {
  return a.positions.size() == b.positions.size() && a.orientations.size() == b.orientations.size() &&
         a.directions.size() == b.directions.size() && a.relatives.size() == b.relatives.size() &&
         a.rows.size() == b.rows.size() && a.followed.size() == b.followed.size();
}

namespace {

// Calls `visit(kind, name, target, other)` for the targets of `a` and those in the same places of `b`, until
// one is found: then returns its words.
template <class Visit>
std::string first_of(const OwnTargets& a, const OwnTargets& b, const Visit& visit) {
  std::string words;
  const auto look = [&](const char* kind, const auto& of_a, const auto& of_b, const auto& name) {
    for (std::size_t i = 0; i < of_a.size() && words.empty(); ++i)
      if (visit(of_a[i], of_b[i])) words.append(kind).append(" '").append(name(of_a[i])).append("'");
  };
  const auto by_link = [](const auto& target) { return target.link; };
  look("position target of link", a.positions, b.positions, by_link);
  look("orientation target of link", a.orientations, b.orientations, by_link);
  look("direction target of link", a.directions, b.directions, by_link);
  look("relative target of link", a.relatives, b.relatives, by_link);
  look("row", a.rows, b.rows, [](const JointRow& row) { return row.name; });
  return words;
}

bool weight_is_bad(double weight) { return !(weight >= 0.0 && std::isfinite(weight)); }
bool weights_are_bad(double weight, const Eigen::Vector3d& axes, double gain) {
  return weight_is_bad(weight) || weight_is_bad(gain) || !axes.allFinite() || axes.minCoeff() < 0.0;
}

struct SameNames {
  template <class Target>
  bool operator()(const Target& a, const Target& b) const {
    return a.link != b.link;
  }
  bool operator()(const RelativeTarget& a, const RelativeTarget& b) const {
    return a.link != b.link || a.from != b.from;
  }
  bool operator()(const JointRow& a, const JointRow& b) const {
    return a.name != b.name || !std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                                           [](const JointRow::Term& x, const JointRow::Term& y) {
                                             return x.joint == y.joint && x.coefficient == y.coefficient;
                                           });
  }
};

struct BadNumber {
  bool operator()(const PositionTarget& t, const PositionTarget&) const {
    return (t.weight != 0.0 && !t.place_W.allFinite()) || weights_are_bad(t.weight, t.axes_W, t.gain);
  }
  bool operator()(const OrientationTarget& t, const OrientationTarget&) const {
    const bool turn = t.weight != 0.0 && !so3::is_rotation(t.R_WT, kValueRotation);
    return turn || weights_are_bad(t.weight, t.axes_W, t.gain);
  }
  bool operator()(const DirectionTarget& t, const DirectionTarget&) const {
    const bool none = t.weight != 0.0 && !(t.direction_W.allFinite() && t.direction_W.norm() > 0.0);
    return none || weight_is_bad(t.weight) || weight_is_bad(t.gain);
  }
  bool operator()(const RelativeTarget& t, const RelativeTarget&) const {
    const bool place = t.position_weight != 0.0 && !t.place_A.allFinite();
    const bool turn = t.orientation_weight != 0.0 && !so3::is_rotation(t.R_AB, kValueRotation);
    return place || turn || weights_are_bad(t.position_weight, t.position_axes_A, t.gain) ||
           weights_are_bad(t.orientation_weight, t.orientation_axes_A, t.gain);
  }
  bool operator()(const JointRow& row, const JointRow&) const { return !(row.lower <= row.upper); }
};

}  // namespace

std::string renamed(const OwnTargets& a, const OwnTargets& b) { return first_of(a, b, SameNames{}); }

std::string invalid_value(const OwnTargets& own) { return first_of(own, own, BadNumber{}); }

// Values may be invalid, which switches a target off; set-up values may not.
void check(const OwnTargets& own, const Model& model) {
  for (const PositionTarget& target : own.positions)
    Checker("position", target.link, model).vector("point_L", target.point_L);
  for (const OrientationTarget& target : own.orientations)
    Checker("orientation", target.link, model).rotation("R_LT", target.R_LT);
  for (const DirectionTarget& target : own.directions)
    Checker("direction", target.link, model).direction("direction_L", target.direction_L);
  for (const RelativeTarget& target : own.relatives) {
    (void)model.link_index(target.from);
    Checker("relative", target.link, model).vector("point_B", target.point_B);
  }
  for (const JointRow& row : own.rows) model.check(row);
  for (const FollowedPosition& followed : own.followed) (void)model.link_index(followed.link);
}

}  // namespace panto
