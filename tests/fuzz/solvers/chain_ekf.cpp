// Readings with any numbers through the inertial filter of a random chain: a refusal leaves the state, an
// answer is bounded and its variances are positive.

#include "panto/inertial/chain_ekf.hpp"

#include "tests/fuzz/draws.hpp"
#include "tests/support/random_chain.hpp"

namespace panto::fuzz {
namespace {

constexpr double kBounded = 1e12;

bool bounded(const Eigen::Ref<const Eigen::MatrixXd>& numbers) {
  return (numbers.array().abs() <= kBounded).all();
}

bool same_chain(const ChainState& a, const ChainState& b) {
  return a.t == b.t && a.motion.q == b.motion.q && a.motion.qdot == b.motion.qdot &&
         a.motion.qddot == b.motion.qddot && a.bias == b.bias && a.P == b.P && a.mounting == b.mounting &&
         a.standing == b.standing && a.good_field == b.good_field;
}

void draw_reading(Draws& draws, ImuReading& reading) {
  const auto flags = static_cast<unsigned>(draws.word(1));
  reading.has_gyro = (flags & 3U) != 3U;
  reading.has_acc = (flags & 12U) != 12U;
  reading.has_mag = (flags & 16U) != 0;
  reading.has_orientation = (flags & 96U) == 96U;
  if ((flags & 128U) == 0) return;
  for (int i = 0; i < 3; ++i) {
    reading.gyro[i] = draws.number(5.0);
    reading.acc[i] = draws.number(20.0);
    reading.mag[i] = draws.number(1.0);
  }
  for (double& number : reading.wxyz_GI) number = draws.number(1.0);
}

void check_filter(Bytes bytes) {
  Draws draws(bytes);
  const std::uint64_t seed = draws.word(1);
  const Model model = test::random_chain(seed, draws.flag());
  test::Random random(seed);
  const ChainLayout layout(model);
  ImuModel imus = test::random_imus(layout, random);
  const std::size_t sensors = imus.imus().size();
  ChainEkfOptions options;
  options.magnetic = draws.flag() ? MagneticUse::Heading : MagneticUse::Off;
  options.acc_adapts = draws.flag();
  if (draws.flag()) options.resting = 0.003;
  const ChainProcess turning{ChainProcess::Kind::Singer, 50.0, 0.2, true};
  ChainEkf filter(std::move(imus), std::vector<ChainProcess>(at(layout.unknowns()), turning), options);
  ChainState state = filter.start(rest_state(model));
  ImuSample sample;
  sample.imus.resize(sensors);
  for (ImuReading& reading : sample.imus) reading.acc.z() = 9.8;
  for (int k = 0; k < 20 && !draws.empty(); ++k) {
    sample.t += Time{10'000'000} + static_cast<Time>(draws.below(8) == 0 ? draws.word(8) >> 7U : 0);
    for (ImuReading& reading : sample.imus) draw_reading(draws, reading);
    const ChainState before = state;
    const StepStatus status = filter.step(sample, state);
    if (!advanced(status)) {
      promise(same_chain(state, before), "a refusal leaves the state");
      continue;
    }
    promise(bounded(state.motion.q) && bounded(state.motion.qdot) && bounded(state.motion.qddot),
            "the motion is bounded");
    promise(bounded(state.bias) && bounded(state.mounting) && bounded(state.P),
            "what is estimated is bounded");
    promise(state.P.diagonal().minCoeff() > 0.0, "variances are positive");
    State read = rest_state(model);
    filter.read(state, read);
    promise(is_valid(read, model), "what is read is a State of the model");
  }
}

Seeds seeds_of_filters() {
  Seeds seeds;
  test::Random random(5);
  for (int i = 1; i < 6; ++i) {
    std::string seed{static_cast<char>(i), static_cast<char>(i), '\1', '\1', '\0'};
    while (seed.size() < 400) seed += static_cast<char>(test::pick(random, 240));
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered filters_target("chain_ekf", check_filter, seeds_of_filters);

}  // namespace
}  // namespace panto::fuzz
