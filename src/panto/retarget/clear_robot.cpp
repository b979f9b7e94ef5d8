#include "panto/retarget/clear_robot.hpp"

#include "panto/evaluation/capsules.hpp"

namespace panto {

std::vector<std::string> clear_robot(const Model& model, const robot::Skeleton& skeleton,
                                     const std::vector<LinkContacts>& still, ClearMotionOptions options,
                                     const std::vector<int>& cuts, Motion& motion) {
  const ClearBody body{link_body(model, model.rest()), giving_joints(model, skeleton), arms_of(skeleton),
                       corners_of_feet(model, skeleton, {0, 1})};
  if (body.body.capsules.empty())
    return {
        "limbs are not moved apart, because the robot's model has no shapes of its links; overlaps are "
        "judged by "
        "assumed shapes"};
  if (!still.empty()) {
    Obstacle& floor = options.obstacles.emplace_back();
    floor.name = "floor";
    floor.given = true;
  }
  const ClearMotionReport report = clear_motion(model, body, still, options, cuts, motion);
  if (report.before == 0) return {};
  return {clear_note(report)};
}

}  // namespace panto
