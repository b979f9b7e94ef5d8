#pragma once
// Own targets of a whole recording: refused before the run, and their update watched during it.
// (not installed)

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "panto/ik/solver_options.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto {

/// Refuses what a run cannot take. @throws as `check(own, model)`; ModelError for a method without own
/// targets and rows, with those that have them.
void check_own(const OwnTargets& own, const Model& model, SolverKind solver);

/// Watches the update of own targets, which is called where nothing may throw.
class OwnWatch {
 public:
  explicit OwnWatch(const OwnTargetsOption& own);

  /// Own targets whose update does not throw.
  [[nodiscard]] const OwnTargetsOption& option() const noexcept { return option_; }
  /// @throws what the update threw; ConfigError where it changed how many targets or rows there are, or
  /// which.
  void check() const;
  /// Returns a note on targets that invalid numbers switched off; empty: there are none.
  [[nodiscard]] std::string note() const;

 private:
  struct Seen {
    std::exception_ptr thrown;
    bool counts_changed = false;
    std::string renamed;            // which target or row
    std::string invalid;            // the first that was, of
    std::int64_t samples_with = 0;  // samples with an invalid number

    void look(const OwnTargets& targets);
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
  OwnTargetsOption option_;
};

}  // namespace panto
