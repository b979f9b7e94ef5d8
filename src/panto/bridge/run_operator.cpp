#include "panto/bridge/run_operator.hpp"

#include <algorithm>
#include <utility>

namespace panto::bridge {
namespace {

using enum live::Wish::Kind;

constexpr const char* kWords =
    "no such word; a arms, Enter disarms, r re-aligns, m marks, w records, c calibrates";

}  // namespace

std::string RunOperator::grant(const live::Wish& wish, live::StreamState stream, Time now) {
  switch (wish.kind) {
    case Align:
      return run_.align() ? "re-aligned: the person now looks ahead, at the origin"
                          : "nothing to re-align: no pelvis or floating base tells where the person is";
    case Mark: {
      std::string said = "mark " + std::to_string(++marks_) + (wish.text.empty() ? "" : ": " + wish.text);
      if (takes_ != nullptr) takes_->mark(said, now);
      return said;
    }
    case Calibrate:
      if (live::is_bad(stream)) return "no calibration: the stream is not good";
      // the run tells what to do
      return run_.calibrate(wish.text) ? "" : "nothing to calibrate: the stream sends no raw sensors";
    case Record:
      return takes_ != nullptr ? takes_->toggle(now) : "nothing to record: a file is played";
    case Arm:
      return robots_ && run_.calibrating() ? "not armed: a calibration waits; Enter stops it" : "";
    case Disarm:
      if (run_.calibrating()) (void)run_.calibrate("stop");
      return wish.text.empty() ? "" : kWords;
  }
  return {};
}

std::string RunOperator::change_of_arming(live::StreamState stream, const std::string& refused, Time now) {
  const bool lost = arming_->watch(stream, now), armed = arming_->armed();
  if (!robots_ || armed == std::exchange(armed_, armed)) return {};
  if (armed) return "armed: robots follow; Enter disarms";
  if (!refused.empty()) return "disarmed: " + refused;
  return lost ? "disarmed: the stream was lost for 2 s; type a and Enter to arm again"
              : "disarmed: robots hold";
}

std::vector<std::string> RunOperator::watch(const std::vector<live::Wish>& wishes, live::StreamState stream,
                                            const std::string& refused, Time now) {
  std::vector<std::string> said;
  const auto wished = [&](live::Wish::Kind kind) {
    return std::ranges::find(wishes, kind, &live::Wish::kind) != wishes.end();
  };
  bool records = false;  // once a call: a flood of words makes no flood of files
  for (const live::Wish& wish : wishes)
    if (wish.kind != Record || !std::exchange(records, true)) said.push_back(grant(wish, stream, now));
  for (std::string& line : run_.news()) said.push_back(std::move(line));
  std::erase(said, "");
  if (said.size() > kMostLines) said.resize(kMostLines);
  if (view_ != nullptr)
    for (const std::string& line : said)
      if (line != kWords) view_->say(line);
  if (wished(Arm)) arming_->set(robots_);
  // a robot does not follow a pose whose meaning is about to change
  if (!refused.empty() || wished(Disarm) || run_.calibrating()) arming_->set(false);
  if (std::string line = change_of_arming(stream, refused, now); !line.empty())
    said.push_back(std::move(line));
  return said;
}

}  // namespace panto::bridge
