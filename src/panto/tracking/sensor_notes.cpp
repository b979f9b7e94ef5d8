#include "panto/tracking/sensor_notes.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/text.hpp"

namespace panto {
namespace {

constexpr double kSmallGain = 0.9;  // larger ratios of mean squared innovations are a small gain
constexpr double kFew = 0.05;       // share of missing readings that is reported
constexpr double kMetresToCm = 100.0;

// A small gain is evidence if it is in every second, but the swapped sensors may be others nearby.
std::string swap_line(const SwappedSensors& pair, const std::string& file) {
  const bool small = pair.after > kSmallGain * pair.before, same = pair.one_link == pair.other_link;
  std::string line = "sensors '" + pair.one + "' and '" + pair.other + "' " +
                     (small ? "may be swapped, or others near them" : "look swapped") + ": ";
  line += same ? "with their positions on " + pair.one_link + " exchanged,"
               : "with '" + pair.one + "' on " + pair.other_link + " and '" + pair.other + "' on " +
                     pair.one_link;
  line += " readings are off by " + digits(*multiple(pair.after), 2) + " times the expected error, not " +
          digits(*multiple(pair.before), 2) + "; check where they sit, then exchange their ";
  if (same) return line + "positions in " + file;
  return line + (pair.calibrated ? "links in " + file + " and calibrate again" : "names in " + file);
}

std::string disagreement(const SensorSummary& sensor) {
  std::string line = "sensor '" + sensor.name + "' on " + sensor.link + " disagrees with the model:";
  const auto add = [&](const char* what, const std::optional<double>& innovation) {
    if (!is_odd(innovation)) return;
    line += std::string(line.back() == ':' ? " its " : ", its ") + what + " is off by " +
            digits(*multiple(innovation), 2) + " times the expected error";
  };
  add("gyroscope", sensor.nis_gyro);
  add("accelerometer", sensor.nis_acc);
  add("orientation", sensor.nis_orientation);
  return line + "; check its mounting, the body height and the start pose";
}

// Sensors that agree, in one sentence.
std::string agreement(const std::vector<const SensorSummary*>& sensors, bool all, bool doubted) {
  double least = kInfinity, most = 0.0;
  for (const SensorSummary* sensor : sensors) {
    least = std::min(least, off_by(*sensor));
    most = std::max(most, off_by(*sensor));
  }
  const bool one = sensors.size() == 1;
  std::string line = all && !one ? "all " : all ? "the only " : "the other ";
  line += all && one ? std::string("sensor") : counted(std::ssize(sensors), "sensor");
  line = doubted ? "readings of " + line + " are off by "
                 : line + (one ? " agrees" : " agree") + " with the model: readings are off by ";
  line += one || digits(least, 2) == digits(most, 2) ? digits(most, 2)
                                                     : digits(least, 2) + " to " + digits(most, 2);
  return line + " times the expected error" + (doubted ? "; this does not confirm their mounting" : "");
}

std::string in_cm(double metres) { return decimals(kMetresToCm * metres, 1) + " cm"; }

std::string place_line(const RefinedPlace& place) {
  const auto metres = [&](int axis) { return decimals(place.position[axis] + 1e-9, 3); };  // no "-0.000"
  return "sensor '" + place.sensor + "' sits at (" + metres(0) + ", " + metres(1) + ", " + metres(2) +
         ") m on " + place.link + ", " + in_cm(place.moved.norm()) +
         " from its position in the file, each axis within " + in_cm(place.sigma.maxCoeff()) + " (1 sd)";
}

std::string length_line(const RefinedLength& length) {
  const double longer = length.length - length.nominal;
  return length.link + " is " + decimals(length.length, 3) + " m long up to joint '" + length.joint + "', " +
         in_cm(std::abs(longer)) + (longer < 0.0 ? " shorter" : " longer") + " than in the model, within " +
         in_cm(length.sigma) + " (1 sd); the model stays unchanged";
}

// "3 of 17 sensor positions"
std::string share(std::size_t hidden, std::size_t all, const char* what) {
  return (hidden == all ? "all" : std::to_string(hidden) + " of") + " " + std::to_string(all) + " " + what;
}

}  // namespace

std::vector<std::string> sensor_lines(const SensorFindings& found, bool doubted) {
  std::vector<std::string> lines;
  std::vector<const SensorSummary*> agreeing;
  for (const SensorSummary& sensor : found.sensors) {
    if (!sensor.measured()) {
      lines.push_back("sensor '" + sensor.name + "' on " + sensor.link + ": nothing measured");
    } else if (disagrees(sensor)) {
      lines.push_back(disagreement(sensor));
    } else {
      agreeing.push_back(&sensor);
    }
    if (sensor.measured() && sensor.missing_share() > kFew)
      lines.push_back("sensor '" + sensor.name + "' on " + sensor.link + " has no readings in " +
                      digits(100.0 * sensor.missing_share(), 2) + " % of the samples");
  }
  // if a swap would fit better, agreement is no good news
  if (!agreeing.empty() && found.swapped.empty())
    lines.push_back(agreement(agreeing, agreeing.size() == found.sensors.size(), doubted));
  for (const SwappedSensors& pair : found.swapped) lines.push_back(swap_line(pair, found.file));
  if (found.refined.empty()) return lines;
  if (doubtful(found)) {
    lines.emplace_back(
        "the sensors disagree, so estimated positions and lengths are not shown: they are unreliable");
    return lines;
  }
  for (std::string& line : refined_lines(found.refined)) lines.push_back(std::move(line));
  return lines;
}

std::string posture_line(const std::vector<PostureFinding>& findings) {
  constexpr std::size_t kNamed = 4;
  if (findings.empty()) return {};
  std::vector<std::string> texts;
  for (const PostureFinding& finding : findings) texts.push_back(finding.text);
  return listed(texts, kNamed) + (findings.front().impossible
                                      ? ": a person cannot move like this; a sensor is not mounted as its "
                                        "file says, or its heading drifts"
                                      : ": people rarely move like this; a sensor may not be mounted as its "
                                        "file says, or its heading "
                                        "drifts");
}

std::vector<std::string> refined_lines(const RefinedBody& body) {
  std::vector<std::string> lines, rest;
  std::size_t places = 0, lengths = 0;
  for (const RefinedPlace& place : body.places) {
    if (place.shown) lines.push_back(place_line(place));
    places += place.shown ? 0 : 1;
  }
  for (const RefinedLength& length : body.lengths) {
    if (length.shown) lines.push_back(length_line(length));
    lengths += length.shown ? 0 : 1;
  }
  if (places > 0) rest.push_back(share(places, body.places.size(), "sensor positions"));
  if (lengths > 0) rest.push_back(share(lengths, body.lengths.size(), "segment lengths"));
  if (!rest.empty()) lines.push_back(listed(rest, 2) + " were not improved by the motion");
  return lines;
}

}  // namespace panto
