#include "panto/recording/trackable.hpp"

#include <algorithm>

#include "panto/base/error.hpp"

namespace panto {

// a segment that the map needs and the recording lacks is an error of the recording, not of the command line
void check_trackable(const Recording& recording) {
  if (!recording.info().untrackable.empty()) throw FormatError(recording.info().untrackable);
  for (const Attachment& a : recording.info().attachments.attachments) {
    if (std::find(recording.names().begin(), recording.names().end(), a.segment) == recording.names().end())
      throw FormatError(recording.info().path + ": " +
                        unknown_name("segment", a.segment, "the recording", recording.names()));
  }
}

std::vector<std::string> human_names(const Recording& recording) {
  std::vector<std::string> names = recording.names();
  for (const Attachment& a : recording.info().attachments.attachments)
    std::replace(names.begin(), names.end(), a.segment, a.link);
  return names;
}

std::string part_of_person(const Recording& recording) {
  using enum HumanSegment::Index;
  const auto has = [&](int segment) {
    const auto& all = recording.info().attachments.attachments;
    return std::any_of(all.begin(), all.end(), [&](const Attachment& a) {
      return a.link == kHumanSegmentNames[static_cast<std::size_t>(segment)];
    });
  };
  const bool right_arm = has(RightUpperArm) || has(RightForeArm), right_leg = has(RightUpperLeg);
  const bool left_arm = has(LeftUpperArm) || has(LeftForeArm), left_leg = has(LeftUpperLeg);
  const bool arms = right_arm || left_arm, legs = right_leg || left_leg, trunk = has(T8) || has(Head);
  std::string missing;
  const auto miss = [&](bool right, bool left, const std::string& limb) {
    if (right && left) return;
    missing += (missing.empty() ? "no " : " and no ") +
               (right || left ? (right ? "left " : "right ") + limb : limb + "s");
  };
  if (!arms && !legs) return trunk || has(Pelvis) ? "trunk only (no arms and no legs in the recording)" : "";
  miss(right_arm, left_arm, "arm");
  miss(right_leg, left_leg, "leg");
  if (missing.empty()) return "";
  const std::string where = missing + " in the recording";
  if (!legs) return "upper body only (" + where + ")";
  return arms || trunk ? where : "lower body only (" + where + ")";
}

std::vector<std::string> warnings(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::Info)
      texts.push_back(std::string(to_string(finding.severity)) + ": " + finding.text);
  }
  return texts;
}

}  // namespace panto
