#include "panto/tracking/sensed_body.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/tracking/hanging_arms.hpp"
#include "panto/tracking/refined_sensors.hpp"
#include "panto/tracking/swapped_sensors.hpp"

namespace panto {
namespace {

// Chooses what is estimated while tracking: as the file says; else positions and lengths if asked to
// refine; else positions on a human.
void set_refinement(const Model& model, SensorSetup& file, const SensedBodyOptions& options) {
  ChainRefinement& refine = file.setup.filter.refine;
  learn_places(model, file);
  if (options.refine && !file.says_refine) refine.place = refine.length = kUnsure;
  const bool learns = refine.place > 0.0 || refine.length > 0.0;
  if (options.refine && !learns)
    throw ConfigError(file.name +
                      " leaves nothing to refine: set `places` or `lengths` under [refine] above 0");
  if (learns && file.setup.filter.mounting_use == MountingUse::Consider)
    throw ConfigError(file.name + ": `mounting_use = \"consider\"` does not allow " +
                      (options.refine ? "refining" : "[refine]") + "; use \"estimate\" or \"inflate\"");
}

bool is_mounted(const std::vector<ImuMount>& mounts, const std::string& sensor) {
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const ImuMount& mount) { return mount.name == sensor; });
}

ImuClip checked(ImuClip clip) {
  check_clip(clip);
  return clip;
}

}  // namespace

std::vector<std::string> mounted_links(const SensorSetup& sensors) {
  std::vector<std::string> links;
  for (const ImuMount& mount : sensors.setup.mounts) links.push_back(mount.link);
  return links;
}

std::vector<std::string> assumed_mounts(const SensorSetup& sensors, const Model& model) {
  constexpr double kExact = 1e-6;   // no calibration ends this close to whole right angles
  constexpr double kGuessed = 0.5;  // [rad]: a mounting this uncertain is a guess; `calibrate` writes 60 deg
  std::vector<std::string> names;
  const bool human = is_human(model);
  for (const ImuMount& mount : sensors.setup.mounts) {
    const Eigen::Matrix3d rounded = mount.R_LI.array().round().matrix();
    const bool nominal = human && !mount.turn_sigma && (mount.R_LI - rounded).cwiseAbs().maxCoeff() < kExact;
    if (nominal || mount.turn_sigma.value_or(0.0) > kGuessed) names.push_back(mount.name);
  }
  return names;
}

SensedBody::SensedBody(ImuClip clip, const Model& model, SensorSetup sensors,
                       const SensedBodyOptions& options)
    : recording_(std::in_place, checked(std::move(clip))),
      model_(with_hanging_arms(model, mounted_links(sensors))),
      notes_(recording_->clip().notes) {
  file_ = sensors;
  set_refinement(model_, sensors, options);
  refines_ = options.refine || sensors.says_refine;
  file_.setup.filter.refine = sensors.setup.filter.refine;
  if (sensors.soles) stand_on_soles(model_, options.subject, sensors.setup);
  check_recording(sensors);
  if (sensors.steadied > 0.0) {
    ImuClip calm = recording_->clip();
    remove_trembling(calm, sensors.steadied);
    recording_.emplace(std::move(calm));
  }
  setup_ = std::move(sensors.setup);
  tracker_.emplace(model_, setup_, this->clip().sensors);
  check_sensors();
  count_from_start();
  note_shared_links();
}

void SensedBody::check_recording(const SensorSetup& sensors) {
  figures_ = check_imu_recording(*recording_, sensors.setup.mounts, notes_);
  note_absences(clip(), sensors.setup.mounts, notes_);
  std::vector<std::string> unused;
  std::copy_if(clip().sensors.begin(), clip().sensors.end(), std::back_inserter(unused),
               [&](const std::string& sensor) { return !is_mounted(sensors.setup.mounts, sensor); });
  if (!unused.empty())
    notes_.push_back("ignored sensors (not mounted in " + sensors.name + "): " + listed(unused, 20));
  const bool magnetic = sensors.setup.filter.magnetic != MagneticUse::Off;
  if (magnetic && sensors.has_field && !has_any(&ImuFigures::mag) && !has_any(&ImuFigures::orientation))
    notes_.push_back("no magnetometer measured, so the field in " + sensors.name +
                     " is not used and the heading drifts");
  if (has_any(&ImuFigures::mag) && !sensors.has_field)
    notes_.push_back("magnetometers are ignored and the heading drifts: " + sensors.name +
                     " has no `field` under [world]");
}

bool SensedBody::has_any(std::int64_t ImuFigures::*quantity) const {
  return std::any_of(figures_.begin(), figures_.end(),
                     [&](const ImuFigures& sensor) { return sensor.*quantity > 0; });
}

void SensedBody::count_from_start() {
  counted_.clear();
  for (const ImuMount& mount : tracker_->mounts()) {
    SensorSummary& sensor = counted_.emplace_back();
    sensor.name = mount.name;
    sensor.link = mount.link;
    for (std::size_t i = 0; i < clip().sensors.size(); ++i)
      if (clip().sensors[i] == mount.name) {
        sensor.frozen_s = figures_[i].frozen_s;
        const Presence presence = presence_of(clip(), static_cast<int>(i));
        sensor.from_s = presence.from_s;
        sensor.to_s = presence.to_s;
        sensor.gap_longest_s = presence.gap_s;
      }
  }
}

// Two sensors on one link may be intended, or a typing error.
void SensedBody::note_shared_links() {
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    for (std::size_t k = i + 1; k < counted_.size(); ++k) {
      if (counted_[i].link == counted_[k].link)
        notes_.push_back("sensors '" + counted_[i].name + "' and '" + counted_[k].name + "' are both on " +
                         counted_[i].link + " in " + file_.name + ": check that this is intended");
    }
  }
}

// refuses a recording without any usable reading
void SensedBody::check_sensors() const {
  for (const int sensor : sensor_positions(setup_.mounts, clip().sensors)) {
    for (std::size_t k = 0; k < clip().times.size(); ++k)
      if (clip().at(k, at(sensor)).tells_motion()) return;
  }
  throw FormatError(clip().name + ": no mounted sensor has usable readings; dead sensors are named above");
}

std::vector<std::string> SensedBody::links() const {
  std::vector<std::string> links;
  const std::vector<int> sources = sensor_positions(setup_.mounts, clip().sensors);
  for (std::size_t m = 0; m < sources.size(); ++m) {
    bool any = false;
    for (std::size_t k = 0; k < clip().times.size() && !any; ++k)
      any = clip().at(k, at(sources[m])).tells_motion();
    if (any) links.push_back(setup_.mounts[m].link);
  }
  return links;
}

void SensedBody::rewind() {
  recording_->rewind();
  tracker_.emplace(model_, setup_, clip().sensors);
  count_from_start();
}

void SensedBody::count(StepStatus status) noexcept {
  for (std::size_t k = 0; k < counted_.size(); ++k) {
    SensorSummary& sensor = counted_[k];
    const ImuReading& reading = tracker_->readings()[k];
    ++sensor.samples;
    sensor.missing += reading.tells_motion() ? 0 : 1;
    if (!advanced(status)) continue;
    const ImuHealth& health = tracker_->health()[k];
    if (reading.has_gyro) sensor.nis_gyro = sensor.nis_gyro.value_or(0.0) + health.nis_gyro;
    if (reading.has_acc) sensor.nis_acc = sensor.nis_acc.value_or(0.0) + health.nis_acc;
    if (reading.has_orientation && !reading.has_gyro)
      sensor.nis_orientation = sensor.nis_orientation.value_or(0.0) + health.nis_orientation;
    sensor.field_used += health.field_share;
  }
}

std::vector<SensorSummary> SensedBody::means() const {
  std::vector<SensorSummary> means = counted_;
  for (SensorSummary& sensor : means) {
    const double answered = static_cast<double>(std::max<std::int64_t>(sensor.samples - sensor.missing, 1));
    if (sensor.nis_gyro) *sensor.nis_gyro /= answered;
    if (sensor.nis_acc) *sensor.nis_acc /= answered;
    if (sensor.nis_orientation) *sensor.nis_orientation /= answered;
  }
  return means;
}

SensorFindings SensedBody::findings(const std::function<void(std::string_view)>& note,
                                    const std::function<void()>& watch) const {
  SensorFindings found{file_.name, means(), {}, refines_ ? refined_body(*tracker_) : RefinedBody{}};
  const bool used = std::any_of(found.sensors.begin(), found.sensors.end(),
                                [](const SensorSummary& sensor) { return sensor.field_used > 0.0; });
  found.field_unused =
      file_.has_field && setup_.filter.magnetic != MagneticUse::Off && has_any(&ImuFigures::mag) && !used;
  const auto read = [this](std::size_t index, ImuSample& sample) { recording_->sample(index, sample); };
  SwapSearchOptions options;
  options.watch = watch;
  std::vector<double> innovations;
  for (const SensorSummary& sensor : found.sensors) innovations.push_back(worst_innovation(sensor));
  const double limit = disagreement_limit(innovations, options);
  options.hints_alone = std::none_of(innovations.begin(), innovations.end(),
                                     [&](double innovation) { return innovation > limit; });
  const bool told = !options.hints_alone && note;
  if (told) note("some sensors do not fit the model: checking whether two were swapped");
  InertialSetup as_given = setup_;
  as_given.filter.refine = {};  // else an estimated position would compensate the swap
  found.swapped =
      find_swapped_sensors(model_, as_given, clip().sensors, {clip().times.size(), read}, options);
  // a few outliers may hide that a swap makes the rest worse
  const auto worse = std::find_if(found.swapped.begin(), found.swapped.end(),
                                  [](const SwappedSensors& pair) { return pair.after >= pair.before; });
  found.swapped.erase(worse, found.swapped.end());
  if (told && found.swapped.empty()) note("no swap of two sensors fits better");
  return found;
}

}  // namespace panto
