#include "panto/api/live_sensors.hpp"

#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/tracking/hanging_arms.hpp"
#include "panto/tracking/imu_preparation.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/sensed_body.hpp"

namespace panto {
namespace {

InertialSetup completed(const Model& model, SensorSetup sensors, const SubjectDimensions& subject) {
  if (sensors.steadied > 0.0)
    throw ConfigError(sensors.name +
                      ": removing trembling needs the whole recording, which live sensors do not have");
  learn_places(model, sensors);
  if (sensors.soles) stand_on_soles(model, subject, sensors.setup);
  return std::move(sensors.setup);
}

}  // namespace

struct LiveSensors::Impl {
  Impl(const Model& given, SensorSetup sensors, std::vector<std::string> order,
       const SubjectDimensions& subject)
      : model(with_hanging_arms(given, mounted_links(sensors))),
        setup(completed(model, std::move(sensors), subject)),
        names(std::move(order)) {
    tracker.emplace(model, setup, names);
  }

  Model model;
  InertialSetup setup;
  std::vector<std::string> names;
  std::optional<InertialTracker> tracker;
};

LiveSensors::LiveSensors(const Model& model, SensorSetup sensors, const std::vector<std::string>& names,
                         const SubjectDimensions& subject)
    : impl_(std::make_unique<Impl>(model, std::move(sensors), names, subject)) {}

LiveSensors::~LiveSensors() = default;

void LiveSensors::reset() { impl_->tracker.emplace(impl_->model, impl_->setup, impl_->names); }

State LiveSensors::start_state() const { return impl_->tracker->start_state(); }
const Model& LiveSensors::model() const noexcept { return impl_->model; }
const StepReport& LiveSensors::last_report() const noexcept { return impl_->tracker->last_report(); }
const Eigen::VectorXd& LiveSensors::deviation() const noexcept { return impl_->tracker->deviation(); }

StepStatus LiveSensors::step(const ImuSample& sample, State& state) noexcept {
  return impl_->tracker->step(sample, state);
}

}  // namespace panto
