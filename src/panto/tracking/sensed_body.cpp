#include "panto/tracking/sensed_body.hpp"

#include <algorithm>

#include "apps/panto/command_line.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/api/models.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {
namespace {

constexpr double kUnsure = 0.02;  // [m] of places and lengths that are learnt, where the file does not say it
constexpr std::size_t kFewNotes = 3;  // sensors that miss readings, up to which each is named

// What is learnt on the way: as the file says, and where it does not, both if `--refine` is there.
void set_refinement(SensorSetup& file, const SensedBodyOptions& options) {
  ChainRefinement& refine = file.setup.filter.refine;
  if (options.refine && !file.says_refine) refine.place = refine.length = kUnsure;
  const bool learns = refine.place > 0.0 || refine.length > 0.0;
  if (options.refine && !learns)
    throw ConfigError("--refine: " + options.sensors +
                      " says under [refine] that nothing is learnt (`places` and `lengths` are 0)");
  if (learns && file.setup.filter.mounting_use == MountingUse::Consider)
    throw ConfigError(options.sensors + ": `mounting_use = \"consider\"` leaves nothing to learn for " +
                      (options.refine ? "--refine" : "[refine]") + "; take \"estimate\" or \"inflate\"");
}

Model model_of(const SensedBodyOptions& options, const SubjectDimensions& subject,
               std::vector<std::string>& notes) {
  if (has_own_size(options.model) && (options.height || options.mass))
    throw ConfigError("--height and --mass scale human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  if (!has_own_size(options.model) && !options.height)
    notes.emplace_back("an average body of 1.75 m is used (--height says otherwise)");
  return resolve_model(options.model, subject, notes);
}

bool is_mounted(const std::vector<ImuMount>& mounts, const std::string& sensor) {
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const ImuMount& mount) { return mount.name == sensor; });
}

}  // namespace

double SensorSummary::missing_share() const {
  return samples > 0 ? static_cast<double>(missing) / static_cast<double>(samples) : 0.0;
}

double worst_innovation(const SensorSummary& sensor) {
  return std::max(
      {sensor.nis_gyro.value_or(0.0), sensor.nis_acc.value_or(0.0), sensor.nis_orientation.value_or(0.0)});
}

namespace {

// That many sensors miss some readings is said once.
void note_dropouts(const std::vector<std::string>& dropouts, double most, std::vector<std::string>& notes) {
  if (dropouts.size() <= kFewNotes) {
    notes.insert(notes.end(), dropouts.begin(), dropouts.end());
    return;
  }
  notes.push_back(counted(std::ssize(dropouts), "sensor") + " miss some of the samples, up to " +
                  digits(100.0 * most, 2) + " %");
}

}  // namespace

// Units that cannot be right end here; what a dead or frozen sensor says is left out.
std::vector<ImuFigures> check_imu_recording(ImuRecording& recording, const std::vector<ImuMount>& mounts,
                                            const std::string& path, std::vector<std::string>& notes) {
  const std::vector<std::string>& names = recording.clip().sensors;
  ImuCheck check(names);
  ImuSample sample;
  std::int64_t samples = 0;
  for (; recording.read(sample) == ReadStatus::Sample; ++samples) check.add(sample);
  recording.rewind();
  const std::vector<ImuFigures> figures = check.figures();
  std::vector<std::string> dropouts;
  double most = 0.0;
  for (const ImuFault& fault : check.faults()) {
    if (fault.sensor >= 0 && !is_mounted(mounts, names[at(fault.sensor)])) continue;
    if (fault.unusable) throw FormatError(path + ": " + fault.text);
    const bool dropout = fault.kind == ImuFaultKind::Dropout;
    (dropout ? dropouts : notes).push_back(fault.text);
    if (!dropout) continue;
    const double told = static_cast<double>(figures[at(fault.sensor)].readings);
    most = std::max(most, 1.0 - told / static_cast<double>(samples));
  }
  note_dropouts(dropouts, most, notes);
  for (const ImuStretch& stretch : check.stretches()) recording.mask(stretch);
  return figures;
}

void stand_on_soles(const Model& model, const SubjectDimensions& subject, InertialSetup& setup) {
  ChainContactOptions& contact = setup.filter.contact;
  if (!contact.floor) contact.floor = 0.0;
  Kinematics kinematics(model);
  kinematics.update(start_of(model, setup));
  double lowest = kInfinity;
  for (const bool right : {true, false}) {
    const std::string foot = right ? "RightFoot" : "LeftFoot";
    const auto link = model.find_link(foot);
    if (!link || !model.floating_base())
      throw ConfigError("`contacts = \"soles\"` is for humans, whose base is free; model '" + model.name() +
                        (link ? "' stands fast" : "' has no link '" + foot + "'") +
                        ": name its points instead");
    const auto sensor = std::find_if(setup.mounts.begin(), setup.mounts.end(),
                                     [&](const ImuMount& mount) { return mount.link == foot; });
    if (sensor == setup.mounts.end()) continue;
    const FootSole sole = human_sole(subject, right);
    for (const auto& [part, p_LP] : {std::pair{"heel", sole.heel}, std::pair{"ball", sole.ball}}) {
      const std::string name = foot + " " + part;
      setup.points.push_back({name, foot, p_LP});
      contact.points.push_back({name, sensor->name});
      lowest = std::min(lowest, (kinematics.p_WL(*link) + kinematics.R_WL(*link) * p_LP).z());
    }
  }
  if (contact.points.empty())
    throw ConfigError("`contacts = \"soles\"` needs a sensor on RightFoot or LeftFoot; there is none");
  if (!setup.p_WB) setup.p_WB = Eigen::Vector3d(0.0, 0.0, *contact.floor - lowest);
}

SensedBody::SensedBody(const SensedBodyOptions& options)
    : recording_(io::open_imu_recording(options.input)),
      subject_(scaled_subject(options.height.value_or(1.75), options.mass.value_or(70.0))) {
  notes_ = clip().notes;
  SensorSetup sensors = file_ = io::read_sensors(options.sensors);
  set_refinement(sensors, options);
  file_.setup.filter.refine = sensors.setup.filter.refine;
  model_.emplace(model_of(options, subject_, notes_));
  if (sensors.soles) stand_on_soles(*model_, subject_, sensors.setup);
  check_recording(sensors, options);
  if (sensors.steadied > 0.0) recording_->steady(sensors.steadied);
  setup_ = std::move(sensors.setup);
  sensors_path_ = options.sensors;
  tracker_.emplace(*model_, setup_, clip().sensors);
  check_sensors(setup_, options.input);
  for (const ImuMount& mount : tracker_->mounts()) {
    SensorSummary& sensor = counted_.emplace_back();
    sensor.name = mount.name;
    sensor.link = mount.link;
    for (std::size_t i = 0; i < clip().sensors.size(); ++i)
      if (clip().sensors[i] == mount.name) sensor.frozen_s = figures_[i].frozen_s;
  }
  note_shared_links();
}

void SensedBody::check_recording(const SensorSetup& sensors, const SensedBodyOptions& options) {
  figures_ = check_imu_recording(*recording_, sensors.setup.mounts, options.input, notes_);
  std::vector<std::string> unused;
  std::copy_if(clip().sensors.begin(), clip().sensors.end(), std::back_inserter(unused),
               [&](const std::string& sensor) { return !is_mounted(sensors.setup.mounts, sensor); });
  if (!unused.empty())
    notes_.push_back("sensors that " + options.sensors +
                     " does not mount are not used: " + listed(unused, 20));
  const bool fields =
      std::any_of(figures_.begin(), figures_.end(), [](const ImuFigures& f) { return f.mag > 0; });
  if (fields && !sensors.has_field)
    notes_.push_back("the magnetometers are not used, so that the heading drifts: " + options.sensors +
                     " gives no `field` under [world]");
}

// Two on one link may be meant, and may be a slip of the pen.
void SensedBody::note_shared_links() {
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    for (std::size_t k = i + 1; k < counted_.size(); ++k) {
      if (counted_[i].link == counted_[k].link)
        notes_.push_back("sensors '" + counted_[i].name + "' and '" + counted_[k].name + "' both sit on " +
                         counted_[i].link + " by " + sensors_path_ + ": is that meant?");
    }
  }
}

// a recording of which nothing is left
void SensedBody::check_sensors(const InertialSetup& setup, const std::string& input) const {
  for (const int sensor : sensor_positions(setup.mounts, clip().sensors)) {
    for (std::size_t k = 0; k < clip().times.size(); ++k) {
      const ImuReading& reading = clip().at(k, at(sensor));
      if (reading.tells_motion()) return;
    }
  }
  throw FormatError(input + ": no mounted sensor measured anything; dead ones are named above");
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
    sensor.field_used += health.field_used ? 1 : 0;
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

SensorFindings SensedBody::findings() {
  SensorFindings found{sensors_path_, means(), {}, refined_body(*tracker_)};
  const auto read = [this](std::size_t index, ImuSample& sample) { recording_->sample(index, sample); };
  SwapSearchOptions options;
  std::vector<double> innovations;
  for (const SensorSummary& sensor : found.sensors) innovations.push_back(worst_innovation(sensor));
  const double limit = disagreement_limit(innovations, options);
  options.hints_alone = std::none_of(innovations.begin(), innovations.end(),
                                     [&](double innovation) { return innovation > limit; });
  if (!options.hints_alone)
    say({"some sensors fit the model less well than others; looking whether two of them were changed over"});
  InertialSetup as_given = setup_;
  as_given.filter.refine = {};  // or a place would be learnt to excuse it
  found.swapped =
      find_swapped_sensors(*model_, as_given, clip().sensors, {clip().times.size(), read}, options);
  // a few wild samples may hide that an exchange makes the rest worse
  const auto worse = std::find_if(found.swapped.begin(), found.swapped.end(),
                                  [](const SwappedSensors& pair) { return pair.after >= pair.before; });
  found.swapped.erase(worse, found.swapped.end());
  if (!options.hints_alone && found.swapped.empty()) say({"no exchange of two sensors fits better"});
  return found;
}

}  // namespace panto
