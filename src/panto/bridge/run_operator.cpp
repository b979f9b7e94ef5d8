#include "panto/bridge/run_operator.hpp"

namespace panto::bridge {

std::string RunOperator::grant(const live::Wish& wish, Time now) {
  std::string said;
  switch (wish.kind) {
    case live::Wish::Kind::Align:
      said = run_.align() ? "re-aligned: the person now looks ahead, at the origin"
                          : "nothing to re-align: no pelvis or floating base tells where the person is";
      break;
    case live::Wish::Kind::Mark:
      said = "mark " + std::to_string(++marks_) + (wish.text.empty() ? "" : ": " + wish.text);
      if (takes_ != nullptr) takes_->mark(said, now);
      break;
    case live::Wish::Kind::Calibrate:  // the run tells what to do
      if (run_.calibrate(wish.text)) return {};
      said = "nothing to calibrate: the stream sends no raw sensors";
      break;
    case live::Wish::Kind::Record:
      said = takes_ != nullptr ? takes_->toggle(now) : "nothing to record: a file is played";
      break;
    case live::Wish::Kind::Arm:
    case live::Wish::Kind::Disarm:
      return {};
  }
  if (view_ != nullptr) view_->say(said);
  return said;
}

std::vector<std::string> RunOperator::news() {
  std::vector<std::string> lines = run_.news();
  if (view_ != nullptr)
    for (const std::string& line : lines) view_->say(line);
  return lines;
}

}  // namespace panto::bridge
