#include "panto/robot/soles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/base/words.hpp"
#include "panto/math/convex_hull.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kThick = 0.005;  // [m] tolerance above the lowest point of a sole: soles are not quite flat
constexpr double kThin = 0.0015;  // [m] the same where its incline is known
constexpr double kShortest =
    0.05;                        // [m] a shorter sole gives its height but not its ends, and is not levelled
constexpr double kLowest = 0.6;  // [m] below the link: more indicates another unit
constexpr double kAlong = 0.64;  // sine of 40 deg: a sole is inclined by less lengthways at zero
constexpr double kSideways = 0.39;  // sine of 23 deg: the same sideways
constexpr double kFlat = 0.6;       // a sole that touches with this part of its area is not inclined
constexpr double kRound = 0.36;     // what touches with less of it within kThin is round
constexpr int kDirections = 600;    // in which the farthest points of a foot are looked for
constexpr std::array<const char*, 2> kFeet{"RightFoot", "LeftFoot"};

// Converts from a link's frame to axes of the foot's segment, at the origin of the foot's link.
Vector3d in_foot(const Model& model, int link, const Attachment& foot, const Vector3d& point) {
  const LinkFrame& from = model.frame(link);
  const LinkFrame& to = model.frame(model.link_index(foot.link));
  const Vector3d p_B = from.R_BL * point + from.p_BL;
  return foot.R_SF * (to.R_BL.transpose() * (p_B - to.p_BL));
}

double lowest_of(const std::vector<Vector3d>& points, const Vector3d& up) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vector3d& p : points) lowest = std::min(lowest, up.dot(p));
  return lowest;
}

// Returns the surface [m^2] of a foot that touches the ground where `up` is up, as the sum of area vectors.
Vector3d touching(const ConvexHull& foot, const Vector3d& up, double thick) {
  const double lowest = lowest_of(foot.points, up);
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < foot.triangles.size(); ++i) {
    if (foot.planes[i].head<3>().dot(up) > -0.7) continue;  // faces sideways or up
    const Vector3d &a = foot.points[at(foot.triangles[i][0])], &b = foot.points[at(foot.triangles[i][1])],
                   &c = foot.points[at(foot.triangles[i][2])];
    if (std::max({up.dot(a), up.dot(b), up.dot(c)}) <= lowest + thick) sum += 0.5 * (b - a).cross(c - a);
  }
  return sum;
}

// Returns what is up for an inclined sole, in the foot's axes; nothing for one that is flat or round.
// Some makers' zero pose has bent ankles: taken for flat, such a foot walks on its heel.
std::optional<Vector3d> up_of_inclined(const std::vector<Vector3d>& points) {
  const ConvexHull foot = convex_hull(extreme_points(points, kDirections));
  const auto area = [&](const Vector3d& up, double thick) { return -up.dot(touching(foot, up, thick)); };
  const double level = area(Vector3d::UnitZ(), kThick);
  double largest = level;
  Vector3d best = Vector3d::UnitZ();
  for (const Eigen::Vector4d& plane : foot.planes) {
    const Vector3d up = -plane.head<3>();
    if (!(up.z() > 0.0 && std::abs(up.x()) < kAlong && std::abs(up.y()) < kSideways)) continue;
    const double touches = area(up, kThick);
    if (touches <= largest) continue;
    largest = touches;
    best = up;
  }
  if (!(level < kFlat * largest)) return std::nullopt;
  // of what is round little is left within a thinner slice
  const Vector3d down = touching(foot, best, kThin);
  if (down.norm() < kRound * largest) return std::nullopt;
  return -down.normalized();
}

Sole sole_of(const std::vector<Vector3d>& points) {
  const double lowest = lowest_of(points, Vector3d::UnitZ());
  Eigen::Array2d low = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vector3d& p : points) {
    if (p.z() > lowest + kThick) continue;
    low = low.min(p.head<2>().array());
    high = high.max(p.head<2>().array());
  }
  Sole sole{-lowest, 0.5 * (low[1] + high[1]), {}};
  if (high[0] - low[0] >= kShortest) {
    sole.ahead = {low[0], high[0]};
    sole.half_width = 0.5 * (high[1] - low[1]);
  }
  return sole;
}

// Points of a foot in axes of its segment: of the shapes, or else of frames with "sole" in their name.
struct FootPoints {
  std::vector<Vector3d> surface, frames;
  std::string frame;  // the last one's name
  [[nodiscard]] const std::vector<Vector3d>& best() const { return surface.empty() ? frames : surface; }
};

FootPoints points_of(const Model& model, const std::vector<LinkPoints>& shapes, const Attachment& foot) {
  const int body = model.frame(model.link_index(foot.link)).body;
  FootPoints found;
  for (int link = 0; link < model.link_count(); ++link) {
    if (model.frame(link).body != body) continue;
    const std::string& name = model.link_names()[at(link)];
    for (const LinkPoints& shape : shapes) {
      if (shape.link != name) continue;
      for (const Vector3d& point : shape.points) found.surface.push_back(in_foot(model, link, foot, point));
    }
    if (!mentions(name, "sole")) continue;
    found.frames.push_back(in_foot(model, link, foot, Vector3d::Zero()));
    found.frame = name;
  }
  return found;
}

}  // namespace

void level_robot_feet(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes) {
  for (Attachment& foot : map.attachments.attachments) {
    if (std::find(kFeet.begin(), kFeet.end(), foot.segment) == kFeet.end()) continue;
    std::vector<Vector3d> points = points_of(model, shapes, foot).surface;
    const std::optional<Vector3d> up = up_of_inclined(points);
    if (!up) continue;
    const Eigen::Matrix3d R = least_turn(*up, Vector3d::UnitZ());
    for (Vector3d& p : points) p = R * p;
    if (!sole_of(points).ahead) continue;
    foot.R_SF = R * foot.R_SF;
    notes.push_back("the sole of '" + foot.link + "' is inclined by " +
                    decimals(in_degrees(angle_between(*up, Vector3d::UnitZ())), 1) + " deg " +
                    (std::abs(up->x()) > std::abs(up->y()) ? "lengthways" : "sideways") +
                    " while all joints are at zero: the foot is flat where its sole is");
  }
}

void find_robot_soles(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes) {
  for (const Attachment& foot : map.attachments.attachments) {
    const auto side = std::find(kFeet.begin(), kFeet.end(), foot.segment);
    if (side == kFeet.end()) continue;
    const FootPoints points = points_of(model, shapes, foot);
    if (points.best().empty()) continue;
    const Sole sole = sole_of(points.best());
    if (!(sole.down >= 0.0 && sole.down <= kLowest)) {
      notes.push_back("the shapes of '" + foot.link + "' end " + decimals(1e3 * sole.down, 0) +
                      " mm below it, which is no sole: the sole is guessed");
      continue;
    }
    map.soles[at(static_cast<int>(side - kFeet.begin()))] = sole;
    notes.push_back("sole of '" + foot.link + "': " + decimals(1e3 * sole.down, 0) +
                    " mm below the link origin (from " +
                    (points.surface.empty() ? "frame '" + points.frame + "'" : std::string("shapes")) + ")");
  }
}

}  // namespace panto::robot
