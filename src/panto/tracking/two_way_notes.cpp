#include "panto/tracking/two_way_notes.hpp"

#include <algorithm>
#include <map>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {
namespace {

constexpr std::size_t kMoments = 4, kJoints = 3;  // that a note names

}  // namespace

std::string at_moments(std::vector<Time> moments) {
  std::sort(moments.begin(), moments.end());
  const std::size_t shown = std::min(moments.size(), kMoments), more = moments.size() - shown;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < shown; ++i) words.push_back(digits(to_seconds(moments[i]), 4));
  const std::string text = "at " + listed(words, shown) + " s";
  return more == 0 ? text : text + " and " + counted(static_cast<std::int64_t>(more), "more moment");
}

std::vector<std::string> two_way_notes(const TwoWayTracker& tracker, const Model& model) {
  std::vector<std::string> notes;
  if (tracker.differs())
    notes.push_back("tracked forwards only, " + model.name() +
                    " would get stuck at joint limits; better poses used " +
                    at_moments(tracker.rerouted_at()));
  std::map<std::string, std::vector<Time>> stuck;  // by joint
  for (const TwoWayTracker::Stuck& one : tracker.stuck())
    stuck[model.joint_names()[at(one.joint)]].push_back(one.t);
  std::vector<std::pair<std::string, std::vector<Time>>> joints(stuck.begin(), stuck.end());
  std::stable_sort(joints.begin(), joints.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::string> words;
  for (const auto& [joint, moments] : joints) words.push_back(joint + " " + at_moments(moments));
  if (!words.empty())
    notes.push_back("stuck at a joint limit, no way to a better pose: " + listed(words, kJoints, "; ") +
                    (words.size() > kJoints ? " joints" : ""));
  return notes;
}

}  // namespace panto
