#include "panto/io/gltf_animation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector4d;
using Json = nlohmann::json;

constexpr double kLatest = 1e6;       // [s]
constexpr double kSlowest = 24.0;     // [Hz] motion of people is sampled at least as often
constexpr double kFastest = 1000.0;   // [Hz]
constexpr double kOnTheClock = 0.01;  // [frames] that float times may be off

std::string place(std::size_t animation) { return "animations[" + std::to_string(animation) + "]"; }

// (x, y, z, w) as a rotation
Matrix3d rotation(const Vector4d& q) { return so3::from_quaternion_wxyz({q[3], q[0], q[1], q[2]}); }

std::optional<GltfPath> path_of(const std::string& name) {
  if (name == "translation") return GltfPath::Translation;
  if (name == "rotation") return GltfPath::Rotation;
  if (name == "scale") return GltfPath::Scale;
  return {};
}

void check_times(const GltfFile& file, const std::vector<double>& times, const std::string& where) {
  if (times.empty()) file.fail(where, "a channel without keys");
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!(times[k] >= 0.0 && times[k] <= kLatest) || (k > 0 && !(times[k] > times[k - 1])))
      file.fail(where, "key " + std::to_string(k) + ": times must increase from 0 to 1e6 s");
  }
}

void check_quaternions(const GltfFile& file, const GltfTrack& track, const std::string& where) {
  const std::size_t step = track.curve == GltfCurve::Cubic ? 12 : 4,
                    first = track.curve == GltfCurve::Cubic ? 4 : 0;
  for (std::size_t i = first; i + 3 < track.values->size(); i += step) {
    const double norm = Eigen::Map<const Vector4d>(track.values->data() + i).norm();
    if (!(std::abs(norm - 1.0) < 0.05))
      file.fail(where, "key " + std::to_string(i / step) + " of nodes[" + std::to_string(track.node) +
                           "] is no unit quaternion");
  }
}

std::optional<GltfTrack> read_track(GltfFile& file, const Json& animation, const Json& channel,
                                    const std::string& where) {
  const Json* target = gltf_member(&channel, "target");
  const auto node = gltf_index(target, "node"), sampler = gltf_index(&channel, "sampler");
  const auto path = path_of(gltf_text(target, "path"));
  if (!node || !path) return {};  // weights of shapes, properties of materials
  if (*node >= file.count("nodes")) file.fail(where, "a channel names a node that does not exist");
  const Json* samplers = gltf_member(&animation, "samplers");
  if (!sampler || samplers == nullptr || !samplers->is_array() || *sampler >= samplers->size())
    file.fail(where, "a channel names a sampler that does not exist");
  const Json& keys = (*samplers)[*sampler];
  const auto input = gltf_index(&keys, "input"), output = gltf_index(&keys, "output");
  if (!input || !output)
    file.fail(where, "samplers[" + std::to_string(*sampler) + "] needs input and output");
  const std::string curve = gltf_text(&keys, "interpolation");
  GltfTrack track{*node, *path, GltfCurve::Linear, nullptr, nullptr};
  if (curve == "STEP") track.curve = GltfCurve::Step;
  if (curve == "CUBICSPLINE") track.curve = GltfCurve::Cubic;
  const std::size_t width = *path == GltfPath::Rotation ? 4 : 3;
  track.times = &file.numbers(*input, 1);
  track.values = &file.numbers(*output, width);
  check_times(file, *track.times, where);
  if (track.values->size() != track.times->size() * width * (track.curve == GltfCurve::Cubic ? 3 : 1))
    file.fail(where, "samplers[" + std::to_string(*sampler) + "] has not one value for every key");
  if (*path == GltfPath::Rotation) check_quaternions(file, track, where);
  return track;
}

}  // namespace

Vector4d GltfTrack::element(std::size_t index) const {
  if (path == GltfPath::Rotation) return Eigen::Map<const Vector4d>(values->data() + 4 * index);
  const double* v = values->data() + 3 * index;
  return {v[0], v[1], v[2], 0.0};
}

Vector4d GltfTrack::value(std::size_t k) const { return element(curve == GltfCurve::Cubic ? 3 * k + 1 : k); }

Eigen::Vector3d GltfTrack::vector(std::size_t k) const { return value(k).head<3>(); }

void GltfTrack::apply(double t, GltfPose& pose) const {
  if (path == GltfPath::Scale) return;
  const auto set = [&](const Vector4d& v) {
    if (path == GltfPath::Rotation) {
      pose.R = rotation(v);
    } else {
      pose.p = v.head<3>();
    }
  };
  const auto after =
      static_cast<std::size_t>(std::upper_bound(times->begin(), times->end(), t) - times->begin());
  if (after == 0 || after == times->size() || curve == GltfCurve::Step)
    return set(value(after == 0 ? 0 : after - 1));
  const std::size_t k = after - 1;
  const double step = (*times)[after] - (*times)[k], u = (t - (*times)[k]) / step;
  if (curve == GltfCurve::Cubic) {
    const double u2 = u * u, u3 = u2 * u;
    return set((2.0 * u3 - 3.0 * u2 + 1.0) * value(k) + step * (u3 - 2.0 * u2 + u) * element(3 * k + 2) +
               (3.0 * u2 - 2.0 * u3) * value(after) + step * (u3 - u2) * element(3 * after));
  }
  if (path != GltfPath::Rotation) return set((1.0 - u) * value(k) + u * value(after));
  const Matrix3d from = rotation(value(k));
  pose.R = from * so3::exp(u * so3::log(from.transpose() * rotation(value(after))));
}

namespace {

// by name; else by number from 1
std::vector<std::string> animation_names(const GltfFile& file) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < file.count("animations"); ++a) {
    const std::string name = gltf_text(&file.element("animations", a), "name");
    names.push_back(name.empty() ? std::to_string(a + 1) : name);
  }
  return names;
}

// the animation; nothing where it turns no node of `kept`
std::optional<GltfAnimation> read_animation(GltfFile& file, std::size_t index,
                                            const std::vector<unsigned char>& kept) {
  const Json& json = file.element("animations", index);
  const Json* channels = gltf_member(&json, "channels");
  if (channels == nullptr || !channels->is_array()) return {};
  GltfAnimation animation{index, {}};
  bool moves = false;
  for (const Json& channel : *channels) {
    auto track = read_track(file, json, channel, place(index));
    if (!track) continue;
    moves = moves || (kept[track->node] != 0 && track->path == GltfPath::Rotation);
    animation.tracks.push_back(*track);
  }
  return moves ? std::optional(std::move(animation)) : std::nullopt;
}

// a name in one short line
std::string for_people(const std::string& name) {
  const std::string quoted = in_quotes(name);
  return quoted.substr(1, quoted.size() - 2);
}

// the index of the animation of this name or number
std::size_t index_of(const std::vector<std::string>& names, const std::string& take,
                     const std::string& file) {
  if (const auto found = std::find(names.begin(), names.end(), take); found != names.end())
    return static_cast<std::size_t>(found - names.begin());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(take.data(), take.data() + take.size(), number);
  if (error == std::errc{} && end == take.data() + take.size() && number >= 1 && number <= names.size())
    return number - 1;
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(for_people(name));
  throw ConfigError(unknown_name("animation", take, in_quotes(file), shown));
}

}  // namespace

std::optional<GltfAnimation> choose_animation(GltfFile& file, const std::vector<unsigned char>& kept,
                                              const std::string& take, std::vector<std::string>& notes) {
  const std::vector<std::string> names = animation_names(file);
  std::optional<GltfAnimation> chosen;
  if (!take.empty()) {
    chosen = read_animation(file, index_of(names, take, file.name()), kept);
    if (!chosen) throw ConfigError(file.name() + ": the animation " + in_quotes(take) + " turns no joint");
    return chosen;
  }
  for (std::size_t a = 0; a < names.size() && !chosen; ++a) chosen = read_animation(file, a, kept);
  if (!chosen || names.size() < 2) return chosen;
  std::string others;
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (a == chosen->index) continue;
    others += (others.empty() ? "" : ", ") + in_quotes(names[a]);
    if (others.size() > 300) {
      others += ", ...";
      break;
    }
  }
  notes.push_back("of " + counted(std::ssize(names), "animation") + " the first, " +
                  in_quotes(names[chosen->index]) + ", is read, as none was chosen; not: " + others);
  return chosen;
}

GltfClock clock_of(const GltfAnimation& animation, std::vector<std::string>& notes) {
  std::set<const std::vector<double>*> clocks;
  for (const GltfTrack& track : animation.tracks) clocks.insert(track.times);
  GltfClock clock;
  clock.start = std::numeric_limits<double>::infinity();
  double end = 0.0;
  std::vector<double> steps;
  for (const std::vector<double>* times : clocks) {
    clock.start = std::min(clock.start, times->front());
    end = std::max(end, times->back());
    for (std::size_t k = 1; k < times->size(); ++k) steps.push_back((*times)[k] - (*times)[k - 1]);
  }
  clock.rate_hz = kSlowest;
  if (!steps.empty()) {
    // exporters leave out keys that the others explain: the frame is the short step, but not an odd one
    const auto short_step = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 20);
    std::nth_element(steps.begin(), short_step, steps.end());
    double sum = 0.0, count = 0.0;
    for (const double step : steps) {
      if (std::abs(step - *short_step) > 0.1 * *short_step) continue;
      sum += step;
      count += 1.0;
    }
    const double keys = snapped_rate(sum / count);
    clock.rate_hz = std::min(keys, kFastest);
    if (keys < kSlowest) {
      clock.rate_hz = keys * std::ceil(kSlowest / keys);
      notes.push_back("keys are " + decimals(1e3 / keys, 0) + " ms apart; read at " +
                      decimals(clock.rate_hz, 1) + " Hz");
    }
  }
  clock.frames = std::floor((end - clock.start) * clock.rate_hz + kOnTheClock) + 1.0;
  return clock;
}

}  // namespace panto::io
