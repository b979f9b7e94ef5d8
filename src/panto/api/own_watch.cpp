#include "panto/api/own_watch.hpp"

#include "panto/base/error.hpp"

namespace panto {

void check_own(const OwnTargets& own, const Model& model, SolverKind solver) {
  check(own, model);
  if (!own.empty() && !takes_own_targets(solver)) throw ModelError(no_own_targets(solver));
}

OwnWatch::OwnWatch(const OwnTargetsOption& own) : option_{own.targets, {}} {
  if (!own.update) return;
  option_.update = [seen = seen_, update = own.update, declared = own.targets](
                       const SegmentSample& sample, const State& state, OwnTargets& targets) {
    if (seen->thrown || seen->counts_changed) return;
    try {
      update(sample, state, targets);
    } catch (...) {
      seen->thrown = std::current_exception();
    }
    seen->counts_changed = !same_counts(targets, declared);
  };
}

void OwnWatch::check() const {
  if (seen_->thrown) std::rethrow_exception(seen_->thrown);
  if (seen_->counts_changed)
    throw ConfigError(
        "own targets: `update` changed how many there are; declare all of them, and give weight 0 to those "
        "that are off");
}

}  // namespace panto
