#include "panto/tracking/two_way_notes.hpp"

#include <map>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {

std::vector<std::string> two_way_notes(const TwoWayTracker& tracker, const Model& model) {
  std::vector<std::string> notes;
  const auto seconds = [](Time t) { return digits(to_seconds(t), 4); };
  if (tracker.differs()) {
    std::string moments;
    for (const Time t : tracker.rerouted_at()) moments += (moments.empty() ? "" : ", ") + seconds(t);
    notes.push_back("tracked forwards only, " + model.name() +
                    " would get stuck at joint limits; better poses used at " + moments + " s");
  }
  std::map<std::string, std::string> moments;  // by joint
  for (const TwoWayTracker::Stuck& stuck : tracker.stuck()) {
    std::string& of_joint = moments[model.joint_names()[at(stuck.joint)]];
    of_joint += (of_joint.empty() ? "" : ", ") + seconds(stuck.t);
  }
  std::string joints;
  for (const auto& [joint, when] : moments)
    joints.append(joints.empty() ? "" : "; ").append(joint).append(" at ").append(when).append(" s");
  if (!joints.empty()) notes.push_back("stuck at a joint limit, no way to a better pose: " + joints);
  return notes;
}

}  // namespace panto
