#include "panto/robot/soles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/base/words.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kThick = 0.005;  // [m] tolerance above the lowest point of a sole: soles are not quite flat
constexpr double kThin = 0.0015;  // [m] the same where its incline is known
constexpr double kShortest = 0.05;  // [m] a shorter sole gives its height but not its ends
constexpr double kLowest = 0.6;     // [m] below the link: more indicates another unit
constexpr double kSteepest = 0.4;   // [rad], 23 deg: a sole is inclined by less while the joints are at zero
constexpr double kStep = 0.0025;    // [rad] between inclines tried
constexpr double kFlat = 0.6;       // a sole whose ends touch along this part of its length is not inclined
constexpr double kOutward = 0.7;    // [rad], 40 deg: toes point outward or inward by less
constexpr double kAhead = 0.03;     // [rad] a foot that points ahead within it is taken to point ahead
constexpr double kLong = 1.5;       // a foot this much longer than wide shows where it points (variances)
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

// Returns how far the points within `thick` of the lowest reach along `along` where `up` is up.
double reach(const std::vector<Vector3d>& points, const Vector3d& along, const Vector3d& up, double thick) {
  const double lowest = lowest_of(points, up);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vector3d& p : points) {
    if (up.dot(p) > lowest + thick) continue;
    low = std::min(low, along.dot(p));
    high = std::max(high, along.dot(p));
  }
  return high - low;
}

// Returns the angle about z from ahead to where a foot points: along the longest direction of its outline.
double heading_of(const std::vector<Vector3d>& points) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const Vector3d& p : points) mean += p.head<2>() / static_cast<double>(points.size());
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (const Vector3d& p : points) spread += (p.head<2>() - mean) * (p.head<2>() - mean).transpose();
  const double along = 0.5 * (spread(0, 0) - spread(1, 1)), cross = spread(0, 1);
  const double half = std::sqrt(along * along + cross * cross), middle = 0.5 * spread.trace();
  if (!(middle + half > kLong * (middle - half))) return 0.0;
  const double heading = 0.5 * atan2(cross, along);
  return std::abs(heading) < kAhead || std::abs(heading) > kOutward ? 0.0 : heading;
}

// Returns the turn about `axis` (0: x, 1: y), of axes turned by `heading` about z, that lays a sole flat; 0
// where it is, or where no turn does.
// Some makers' zero pose has bent ankles: taken for flat, such a foot walks on its heel.
double incline(const std::vector<Vector3d>& given, int axis, double heading) {
  if (given.empty()) return 0.0;
  std::vector<Vector3d> points = given;
  for (Vector3d& p : points) p = so3::about_axis(2, -heading) * p;
  const auto reach_at = [&](double angle, double thick) {
    const Eigen::Matrix3d R = so3::about_axis(axis, angle);  // rows: the turned foot's axes in the given ones
    return reach(points, R.row(1 - axis), R.row(2), thick);
  };
  const int steps = static_cast<int>(kSteepest / kStep);
  std::vector<double> reaches;
  for (int k = -steps; k <= steps; ++k) reaches.push_back(reach_at(k * kStep, kThick));
  const auto farthest = std::max_element(reaches.begin(), reaches.end());
  if (!(reaches[at(steps)] < kFlat * *farthest)) return 0.0;
  // turns that keep both ends within the tolerance reach as far: the middle of them
  const auto shorter = [&](double reach) { return reach < 0.98 * *farthest; };
  const auto first = std::find_if(std::make_reverse_iterator(farthest), reaches.rend(), shorter).base();
  const auto last = std::find_if(farthest, reaches.end(), shorter) - 1;
  const double angle =
      kStep * (0.5 * static_cast<double>((first - reaches.begin()) + (last - reaches.begin())) - steps);
  // of what is round little is left within a thinner slice
  return reach_at(angle, kThin) < kFlat * *farthest ? 0.0 : angle;
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
    const double heading = heading_of(points_of(model, shapes, foot).surface);
    const Eigen::Matrix3d R_heading = so3::about_axis(2, heading);
    for (const int axis : {1, 0}) {
      const double angle = incline(points_of(model, shapes, foot).surface, axis, heading);
      if (angle == 0.0) continue;
      foot.R_SF = R_heading * so3::about_axis(axis, angle) * R_heading.transpose() * foot.R_SF;
      notes.push_back("the sole of '" + foot.link + "' is inclined by " +
                      decimals(in_degrees(std::abs(angle)), 1) + " deg " +
                      (axis == 1 ? "lengthways" : "sideways") +
                      " while all joints are at zero: the foot is flat where its sole is");
    }
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
