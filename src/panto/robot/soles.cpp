#include "panto/robot/soles.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/base/words.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kThick = 0.005;  // [m] tolerance above the lowest point of a sole: soles are not quite flat
constexpr double kShortest = 0.05;  // [m] a shorter sole gives its height but not its ends
constexpr double kLowest = 0.6;     // [m] below the link: more indicates another unit
constexpr std::array<const char*, 2> kFeet{"RightFoot", "LeftFoot"};

// Converts from a link's frame to axes of the foot's segment, at the origin of the foot's link.
Vector3d in_foot(const Model& model, int link, const Attachment& foot, const Vector3d& point) {
  const LinkFrame& from = model.frame(link);
  const LinkFrame& to = model.frame(model.link_index(foot.link));
  const Vector3d p_B = from.R_BL * point + from.p_BL;
  return foot.R_SF * (to.R_BL.transpose() * (p_B - to.p_BL));
}

Sole sole_of(const std::vector<Vector3d>& points) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vector3d& p : points) lowest = std::min(lowest, p.z());
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

}  // namespace

void find_robot_soles(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes) {
  for (const Attachment& foot : map.attachments.attachments) {
    const auto side = std::find(kFeet.begin(), kFeet.end(), foot.segment);
    if (side == kFeet.end()) continue;
    const int body = model.frame(model.link_index(foot.link)).body;
    std::vector<Vector3d> surface, frames;
    std::string frame;
    for (int link = 0; link < model.link_count(); ++link) {
      if (model.frame(link).body != body) continue;
      const std::string& name = model.link_names()[at(link)];
      for (const LinkPoints& shape : shapes) {
        if (shape.link != name) continue;
        for (const Vector3d& point : shape.points) surface.push_back(in_foot(model, link, foot, point));
      }
      if (!mentions(name, "sole")) continue;
      frames.push_back(in_foot(model, link, foot, Vector3d::Zero()));
      frame = name;
    }
    if (surface.empty() && frames.empty()) continue;
    const Sole sole = sole_of(surface.empty() ? frames : surface);
    if (!(sole.down >= 0.0 && sole.down <= kLowest)) {
      notes.push_back("the shapes of '" + foot.link + "' end " + decimals(1e3 * sole.down, 0) +
                      " mm below it, which is no sole: the sole is guessed");
      continue;
    }
    map.soles[at(static_cast<int>(side - kFeet.begin()))] = sole;
    notes.push_back("sole of '" + foot.link + "': " + decimals(1e3 * sole.down, 0) +
                    " mm below the link origin (from " +
                    (surface.empty() ? "frame '" + frame + "'" : std::string("shapes")) + ")");
  }
}

}  // namespace panto::robot
