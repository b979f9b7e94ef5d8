#include "panto/api/own_watch.hpp"

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"

namespace panto {

void check_own(const OwnTargets& own, const Model& model, SolverKind solver) {
  check(own, model);
  if (!own.empty() && !takes_own_targets(solver)) throw ModelError(no_own_targets(solver));
}

OwnWatch::OwnWatch(const OwnTargetsOption& own) : option_{own.targets, {}} {
  if (!own.update) {
    seen_->look(own.targets);
    return;
  }
  option_.update = [this_seen = seen_, update = own.update, declared = own.targets](
                       const SegmentSample& sample, const State& state, OwnTargets& targets) {
    Seen* seen = this_seen.get();
    if (seen->thrown || seen->counts_changed || !seen->renamed.empty()) return;
    try {
      update(sample, state, targets);
    } catch (...) {
      seen->thrown = std::current_exception();
    }
    seen->counts_changed = !same_counts(targets, declared);
    if (!seen->counts_changed) seen->renamed = renamed(declared, targets);
    seen->look(targets);
  };
}

void OwnWatch::Seen::look(const OwnTargets& targets) {
  std::string found = invalid_value(targets);
  if (found.empty()) return;
  if (invalid.empty()) invalid = std::move(found);
  ++samples_with;
}

std::string OwnWatch::note() const {
  if (seen_->invalid.empty()) return {};
  return "own " + seen_->invalid + " has invalid numbers" +
         (option_.update ? " in " + counted(seen_->samples_with, "sample") : std::string()) +
         ": it is off there (a number must be finite, a weight or gain >= 0, a row's lower <= upper)";
}

void OwnWatch::check() const {
  if (seen_->thrown) std::rethrow_exception(seen_->thrown);
  if (seen_->counts_changed)
    throw ConfigError(
        "own targets: `update` changed how many there are; declare all of them, and give weight 0 to those "
        "that are off");
  if (!seen_->renamed.empty())
    throw ConfigError("own targets: `update` renamed the " + seen_->renamed +
                      "; names, points and joints are fixed when the job begins, only values may change");
}

}  // namespace panto
