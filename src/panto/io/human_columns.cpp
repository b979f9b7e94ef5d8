#include "panto/io/human_columns.hpp"

#include "panto/base/error.hpp"
#include "panto/model/state.hpp"

namespace panto::io {

HumanColumns::HumanColumns(const Model& model, const std::string& what) : kinematics_(model) {
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const auto link = model.find_link(kHumanSegmentNames[i]);
    if (!link)
      throw ConfigError(what + " need a human model with the 23 segments as links; model '" + model.name() +
                        "' has no link '" + std::string(kHumanSegmentNames[i]) + "'");
    link_[i] = *link;
  }
}

void HumanColumns::update(const State& state) noexcept {
  kinematics_.update(state);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) R_WS_[i] = kinematics_.R_WL(link_[i]);
}

Eigen::Vector3d HumanColumns::hip(bool right) const noexcept {
  const int thigh = right ? HumanSegment::RightUpperLeg : HumanSegment::LeftUpperLeg;
  return kinematics_.p_WL(link_[static_cast<std::size_t>(thigh)]);
}

namespace {

double half_hips_of(const Model& model) {
  HumanColumns human(model, "OpenSim's coordinates");
  human.update(rest_state(model));
  return human.half_hips();
}

}  // namespace

MuscleColumns::MuscleColumns(const Model& model, MuscleModel of)
    : human_(model, "OpenSim's coordinates"), coordinates_(of, half_hips_of(model)) {}

std::span<const double> MuscleColumns::at(const State& state) noexcept {
  human_.update(state);
  return coordinates_.update(human_.R_WS(), human_.hips());
}

std::optional<MuscleColumns> muscle_columns(const Model& model, const StateFileOptions& options) {
  switch (options.angles) {
    case AngleConvention::Gait2392:
      return MuscleColumns(model, MuscleModel::Gait2392);
    case AngleConvention::Rajagopal:
      return MuscleColumns(model, MuscleModel::Rajagopal);
    case AngleConvention::Hamner:
      return MuscleColumns(model, MuscleModel::Hamner);
    default:
      return std::nullopt;
  }
}

}  // namespace panto::io
