#include "panto/tracking/imu_preparation.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/soft_tissue.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/silent_sensors.hpp"

namespace panto {
namespace {

constexpr std::size_t kFewNotes = 3;  // up to this number, each sensor with missing readings is named

bool is_mounted(const std::vector<ImuMount>& mounts, const std::string& sensor) {
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const ImuMount& mount) { return mount.name == sensor; });
}

// If many sensors miss readings, adds one note for all.
void note_dropouts(const std::vector<std::string>& dropouts, double most, std::vector<std::string>& notes) {
  if (dropouts.size() <= kFewNotes) {
    notes.insert(notes.end(), dropouts.begin(), dropouts.end());
    return;
  }
  notes.push_back(counted(std::ssize(dropouts), "sensor") + " miss samples, up to " +
                  digits(100.0 * most, 2) + " %");
}

std::string in_seconds(double s) { return decimals(s, 2) + " s"; }

// The longest time in which no sensor measures, though samples go on.
void note_common_gap(const ImuClip& clip, const std::vector<int>& sources, std::vector<std::string>& notes) {
  double last = to_seconds(clip.times.front()), from = 0.0, longest = 0.0;
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    const bool any =
        std::any_of(sources.begin(), sources.end(), [&](int i) { return clip.at(k, at(i)).tells_motion(); });
    if (!any) continue;
    const double t = to_seconds(clip.times[k]);
    if (t - last > longest) longest = t - last, from = last;
    last = t;
  }
  const double end = to_seconds(clip.times.back());
  if (end - last > longest) longest = end - last, from = last;
  if (longest > SilentSensors::kSilent)
    notes.push_back("no sensor measures anything for " + in_seconds(longest) + " from " + in_seconds(from) +
                    " on: these frames have no result");
}

}  // namespace

void check_clip(const ImuClip& clip) {
  const std::size_t readings = clip.times.size() * clip.sensors.size();
  if (clip.readings.size() != readings)
    throw ConfigError(clip.name + ": " + std::to_string(clip.readings.size()) + " readings; " +
                      counted(std::ssize(clip.times), "sample") + " of " +
                      counted(std::ssize(clip.sensors), "sensor") + " need " + std::to_string(readings));
  const auto stays = std::adjacent_find(clip.times.begin(), clip.times.end(), std::greater_equal<>());
  if (stays != clip.times.end())
    throw ConfigError(clip.name + ": the time of sample " + std::to_string(stays - clip.times.begin() + 1) +
                      " (counted from 0) is not later than that of the sample before");
}

// Refuses impossible units; ignores the readings of dead or frozen sensors.
std::vector<ImuFigures> check_imu_recording(ImuRecording& recording, const std::vector<ImuMount>& mounts,
                                            std::vector<std::string>& notes) {
  const std::vector<std::string>& names = recording.clip().sensors;
  recording.rewind();
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
    if (fault.unusable) throw FormatError(recording.clip().name + ": " + fault.text);
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

Presence presence_of(const ImuClip& clip, int sensor) {
  Presence found;
  bool any = false;
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    if (!clip.at(k, at(sensor)).tells_motion()) continue;
    const double t = to_seconds(clip.times[k]);
    if (!any) found.from_s = t;
    if (any && t - found.to_s > found.gap_s) found.gap_s = t - found.to_s, found.gap_from_s = found.to_s;
    found.to_s = t;
    any = true;
  }
  return found;
}

void note_absences(const ImuClip& clip, const std::vector<ImuMount>& mounts,
                   std::vector<std::string>& notes) {
  if (clip.times.empty()) return;
  const double begin = to_seconds(clip.times.front()), end = to_seconds(clip.times.back());
  std::vector<std::string> absent;
  std::vector<int> sources;
  for (int i = 0; i < static_cast<int>(clip.sensors.size()); ++i) {
    if (!is_mounted(mounts, clip.sensors[at(i)])) continue;
    sources.push_back(i);
    const Presence found = presence_of(clip, i);
    if (found.from_s > found.to_s) continue;  // said elsewhere
    std::vector<std::string> when;
    if (found.from_s - begin > SilentSensors::kSilent) when.push_back("before " + in_seconds(found.from_s));
    if (found.gap_s > SilentSensors::kSilent)
      when.push_back("for " + in_seconds(found.gap_s) + " from " + in_seconds(found.gap_from_s) + " on");
    if (end - found.to_s > SilentSensors::kSilent)
      when.push_back("after " + in_seconds(found.to_s) + " of " + in_seconds(end));
    if (!when.empty())
      absent.push_back("sensor '" + clip.sensors[at(i)] + "' measures nothing " + listed(when, when.size()));
  }
  if (absent.empty()) return;
  const std::string held = ": joints that no other sensor measures are held there";
  if (absent.size() > kFewNotes)
    absent = {counted(std::ssize(absent), "sensor") + " measure nothing for a while; " + absent.front()};
  for (const std::string& text : absent) notes.push_back(text + held);
  note_common_gap(clip, sources, notes);
}

void remove_trembling(ImuClip& clip, double window) {
  std::vector<ImuReading> readings(clip.times.size());
  for (std::size_t sensor = 0; sensor < clip.sensors.size(); ++sensor) {
    for (std::size_t k = 0; k < readings.size(); ++k) readings[k] = clip.at(k, sensor);
    const std::vector<ImuReading> calm = steadied(clip.times, readings, window);
    for (std::size_t k = 0; k < calm.size(); ++k) clip.at(k, sensor) = calm[k];
  }
}

bool is_human(const Model& model) {
  const std::vector<std::string>& segments = human_segment_names();
  return std::all_of(segments.begin(), segments.end(),
                     [&](const std::string& segment) { return model.find_link(segment).has_value(); });
}

void learn_places(const Model& model, SensorSetup& sensors) {
  ChainEkfOptions& filter = sensors.setup.filter;
  const bool worn = model.floating_base() && is_human(model);
  if (sensors.says_refine || !worn || filter.mounting_use != MountingUse::Estimate || filter.mounting == 0.0)
    return;
  filter.refine.place = kUnsure;
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
      throw ConfigError("`contacts = \"soles\"` needs a human with a free base; model '" + model.name() +
                        (link ? "' has a fixed base" : "' has no link '" + foot + "'") +
                        ": name the contact points instead");
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
    throw ConfigError(
        "`contacts = \"soles\"` needs a sensor on RightFoot or LeftFoot, but none is mounted there");
  if (!setup.p_WB) setup.p_WB = Eigen::Vector3d(0.0, 0.0, *contact.floor - lowest);
}

}  // namespace panto
