// Samples of a person with any numbers, gaps and cuts through a tracker: a refusal leaves the State, an
// answer is a State of the model.

#include <array>

#include "panto/tracking/segment_tracker.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

// damages a sample: byte by byte a segment and what becomes of it
void damage(Draws& draws, SegmentSample& sample) {
  sample.cut = draws.below(16) == 0;
  for (std::size_t left = draws.below(6); left > 0; --left) {
    SegmentMotion& S = sample.segments[draws.below(sample.segments.size())];
    switch (draws.below(5)) {
      case 0:
        S.has_orientation = S.has_position = false;
        break;
      case 1:
        S.p_WS[static_cast<int>(draws.below(3))] = draws.number(3.0);
        break;
      case 2:
        S.R_WS = so3::exp(Eigen::Vector3d(draws.number(3.0), draws.number(3.0), draws.number(3.0)));
        break;
      case 3:
        S.R_WS(static_cast<int>(draws.below(3)), static_cast<int>(draws.below(3))) = draws.number(2.0);
        break;
      default:
        S.w_WS.setConstant(draws.number(10.0));
        S.v_WS.setConstant(draws.number(10.0));
        S.has_angular_velocity = S.has_linear_velocity = true;
    }
  }
}

void check_tracking(Bytes bytes) {
  constexpr std::array kinds{SolverKind::Dynamical, SolverKind::Instantaneous, SolverKind::Pairwise,
                             SolverKind::Modular};
  static const Model human = human48(scaled_subject(1.75));
  static const std::vector<SegmentSample> person = person_samples(12);
  Draws draws(bytes);
  SolverOptions options;
  options.dynamical.limited_return = draws.flag();
  SegmentTracker tracker(human, mvn_attachments(), kinds.at(draws.below(kinds.size())), options);
  State state = tracker.rest_state();
  Time t = 0;
  for (std::size_t k = 0; k < person.size(); ++k) {
    SegmentSample sample = person[k];
    t += Time{20'000'000} + static_cast<Time>(draws.word(draws.below(8) == 0 ? 5 : 0));
    sample.t = t;
    damage(draws, sample);
    const State before = state;
    const StepStatus status = tracker.step(sample, state);
    if (advanced(status)) {
      promise(is_valid(state, human), "a State is one of the model");
      for (int i = 0; i < human.dof(); ++i)
        promise(state.s[i] >= human.lower()[i] - 1e-9 && state.s[i] <= human.upper()[i] + 1e-9,
                "joints keep their limits");
    } else {
      promise(state.t == before.t && state_hash(state) == state_hash(before), "a refusal leaves the State");
    }
  }
}

Seeds seeds_of_tracking() {
  Seeds seeds;
  for (char kind = 0; kind < 4; ++kind) {
    std::string seed{kind, kind};
    for (int k = 0; k < 12; ++k)
      seed += std::string{'\1', '\1', '\1', static_cast<char>(k), '\1', '\1', '\x40', '\x80'};
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered tracking_target("tracker", check_tracking, seeds_of_tracking);

}  // namespace
}  // namespace panto::fuzz
