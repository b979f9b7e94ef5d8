#include "panto/targets/own_targets.hpp"

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kRotation = 1e-6;  // a matrix further from a rotation is refused

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
