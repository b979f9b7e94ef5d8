#include "panto/tracking/refined_sensors.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;
using Json = nlohmann::ordered_json;

constexpr double kShown = 0.7;  // part of a standard deviation that is left of what a motion showed
constexpr double kMetresToCm = 100.0;

Vector3d three(const Eigen::VectorXd& values, std::size_t k) {
  return values.segment<3>(3 * static_cast<Eigen::Index>(k));
}

std::string in_cm(double metres) { return decimals(kMetresToCm * metres, 1) + " cm"; }

std::string place_line(const RefinedPlace& place) {
  const auto metres = [&](int axis) { return decimals(place.position[axis] + 1e-9, 3); };  // no "-0.000"
  return "sensor '" + place.sensor + "' sits at (" + metres(0) + ", " + metres(1) + ", " + metres(2) +
         ") m on " + place.link + ", " + in_cm(place.moved.norm()) +
         " from where its file says, each axis within " + in_cm(place.sigma.maxCoeff()) + " (1 sd)";
}

std::string length_line(const RefinedLength& length) {
  const double longer = length.length - length.nominal;
  return length.link + " is " + decimals(length.length, 3) + " m long up to joint '" + length.joint + "', " +
         in_cm(std::abs(longer)) + (longer < 0.0 ? " shorter" : " longer") + " than the model's, within " +
         in_cm(length.sigma) + " (1 sd); the model is not changed";
}

// "3 of 17 sensors' places"
std::string share(std::size_t hidden, std::size_t all, const char* what) {
  return (hidden == all ? "all" : std::to_string(hidden) + " of") + " " + std::to_string(all) + " " + what;
}

}  // namespace

RefinedBody refined_body(const InertialTracker& tracker) {
  RefinedBody body;
  const ImuModel& model = tracker.filter().model();
  const ChainShape &shape = tracker.chain().shape, sigma = tracker.filter().shape_deviation(tracker.chain()),
                   before = tracker.filter().shape_deviation(tracker.filter().start(tracker.start_state()));
  for (std::size_t k = 0; shape.place.size() > 0 && k < model.imus().size(); ++k) {
    const ImuMount& mount = model.imus()[k];
    const Vector3d now = three(sigma.place, k), then = three(before.place, k);
    body.places.push_back({mount.name, mount.link, mount.p_LI + three(shape.place, k), three(shape.place, k),
                           now, now.minCoeff() < kShown * then.minCoeff()});
  }
  for (std::size_t k = 0; shape.length.size() > 0 && k < model.lengths().size(); ++k) {
    const ChainLength& length = model.lengths()[k];
    const auto row = static_cast<Eigen::Index>(k);
    body.lengths.push_back({length.link, length.joint, length.nominal, length.nominal + shape.length[row],
                            sigma.length[row], sigma.length[row] < kShown * before.length[row]});
  }
  return body;
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
  if (places > 0) rest.push_back(share(places, body.places.size(), "sensors' places"));
  if (lengths > 0) rest.push_back(share(lengths, body.lengths.size(), "segments' lengths"));
  if (!rest.empty())
    lines.push_back(listed(rest, 2) + " are hardly better known than before (--json has them)");
  return lines;
}

std::string refined_json(const RefinedBody& body) {
  const auto numbers = [](const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); };
  Json places = Json::array(), lengths = Json::array();
  for (const RefinedPlace& place : body.places)
    places.push_back({{"sensor", place.sensor},
                      {"link", place.link},
                      {"position_m", numbers(place.position)},
                      {"moved_m", numbers(place.moved)},
                      {"sigma_m", numbers(place.sigma)},
                      {"shown", place.shown}});
  for (const RefinedLength& length : body.lengths)
    lengths.push_back({{"link", length.link},
                       {"joint", length.joint},
                       {"nominal_m", length.nominal},
                       {"length_m", length.length},
                       {"sigma_m", length.sigma},
                       {"shown", length.shown}});
  return Json{{"places", places}, {"lengths", lengths}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker) {
  const ChainState& chain = tracker.chain();
  const ChainShape sigma = tracker.filter().shape_deviation(chain);
  const Eigen::VectorXd turns = chain.P.diagonal()
                                    .segment(tracker.filter().constants(), chain.mounting.size())
                                    .cwiseMax(0.0)
                                    .cwiseSqrt();
  file.setup.gyro_bias.resize(file.setup.mounts.size());
  for (std::size_t k = 0; k < file.setup.mounts.size(); ++k) {
    ImuMount& mount = file.setup.mounts[k];
    file.setup.gyro_bias[k] = three(chain.bias, k);
    if (chain.shape.place.size() > 0) {
      mount.p_LI += three(chain.shape.place, k);
      mount.position_sigma = three(sigma.place, k).maxCoeff();
    }
    if (chain.mounting.size() > 0) {
      mount.R_LI = mount.R_LI * so3::exp(three(chain.mounting, k));
      mount.turn_sigma = three(turns, k).maxCoeff();
    }
  }
  return file;
}

}  // namespace panto
