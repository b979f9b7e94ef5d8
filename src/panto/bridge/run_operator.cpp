#include "panto/bridge/run_operator.hpp"

namespace panto::bridge {

std::string RunOperator::grant(const live::Wish& wish, Time now) {
  std::string said;
  if (wish.kind == live::Wish::Kind::Align) {
    said = align_() ? "re-aligned: the person now looks ahead, at the origin"
                    : "nothing to re-align: no pelvis or floating base tells where the person is";
  } else if (wish.kind == live::Wish::Kind::Mark) {
    said = "mark " + std::to_string(++marks_) + (wish.text.empty() ? "" : ": " + wish.text);
    if (recorder_ != nullptr) recorder_->mark(said, now);
  } else {
    return {};
  }
  if (view_ != nullptr) view_->say(said);
  return said;
}

}  // namespace panto::bridge
