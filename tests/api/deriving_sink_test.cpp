#include "panto/api/deriving_sink.hpp"

#include <gtest/gtest.h>

#include "tests/support/bundled_walk.hpp"

namespace panto {
namespace {

// Keeps what it gets.
class Kept final : public Sink {
 public:
  [[nodiscard]] WriteStatus write(const State& state) noexcept override {
    states.push_back(state);
    return WriteStatus::Written;
  }
  std::vector<State> states;
};

Motion moved(const Model& model, int frames) {
  Motion motion{model.name(), model.joint_names(), 50.0, {}};
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = from_seconds(0.02 * k + 0.003 * (k % 3));  // stamps that jitter
    state.p_WB = Eigen::Vector3d(0.1 * k, 0.01 * k * k, 1.0);
    state.s.setConstant(0.02 * k * k);
    state.sdot.setConstant(99.0);
    motion.states.push_back(state);
  }
  return motion;
}

TEST(DerivingSink, AnswersAsTheWholeMotionWould) {
  std::vector<std::string> notes;
  const Model model = io::open_model("human48", scaled_subject(1.75), notes);
  for (const int frames : {0, 1, 2, 3, 40}) {
    Motion motion = moved(model, frames);
    Kept kept;
    DerivingSink sink(model, {&kept});
    for (const State& state : motion.states) EXPECT_EQ(sink.write(state), WriteStatus::Written);
    EXPECT_EQ(sink.finish(), WriteStatus::Written);
    derive_velocities(motion);
    ASSERT_EQ(std::ssize(kept.states), frames);
    for (std::size_t k = 0; k < motion.states.size(); ++k) {
      EXPECT_EQ(kept.states[k].t, motion.states[k].t);
      EXPECT_EQ(kept.states[k].s, motion.states[k].s);
      EXPECT_EQ(kept.states[k].sdot, motion.states[k].sdot) << k << " of " << frames;
      EXPECT_EQ(kept.states[k].v_WB, motion.states[k].v_WB);
      EXPECT_EQ(kept.states[k].w_WB, motion.states[k].w_WB);
    }
  }
}

TEST(DerivingSink, TrackPublishesDerivativesOfWhatItPublishes) {
  std::vector<std::string> notes;
  for (const char* name : {"human66", "human48"}) {
    const auto walk = test::bundled_walk();
    const Model model = io::open_model(name, scaled_subject(1.75), notes);
    Kept kept;
    Observer observer;
    observer.sinks = {&kept};
    const TrackResult result = track(*walk, model, {}, observer);
    ASSERT_EQ(kept.states.size(), result.motion.states.size());
    for (std::size_t k = 1; k + 1 < kept.states.size(); ++k) {
      const State &before = kept.states[k - 1], &after = kept.states[k + 1];
      const Eigen::VectorXd quotient = (after.s - before.s) / to_seconds(after.t - before.t);
      EXPECT_LT((kept.states[k].sdot - quotient).cwiseAbs().maxCoeff(), 1e-9) << name << k;
      EXPECT_EQ(kept.states[k].sdot, result.motion.states[k].sdot);
    }
  }
}

}  // namespace
}  // namespace panto
