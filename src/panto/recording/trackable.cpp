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

std::vector<std::string> warnings(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::Info)
      texts.push_back(std::string(to_string(finding.severity)) + ": " + finding.text);
  }
  return texts;
}

}  // namespace panto
