#include "panto/recording/stream_recording.hpp"

#include "panto/base/text.hpp"

namespace panto {

Time StreamRecording::first() const {
  if (late() && !solved.empty()) return solved.front().date;
  return datagrams.empty() ? 0 : datagrams.front().arrival;
}

std::vector<std::string> marks_of(const StreamRecording& recording) {
  std::vector<std::string> lines;
  const Time first = recording.first();
  for (const StreamRecording::Mark& mark : recording.marks)
    lines.push_back("at " + decimals(to_seconds(mark.date - first), 2) + " s: " + mark.text);
  return lines;
}

}  // namespace panto
