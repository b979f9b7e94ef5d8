#include "panto/inertial/still_parts.hpp"

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

// Sums over a window of one sensor's readings. Forces and rates are small enough that no digits are lost.
struct Sums {
  int count = 0, oriented = 0;
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero(), acc = Eigen::Vector3d::Zero();
  double gyro2 = 0.0, acc2 = 0.0;
  Eigen::Matrix3d R = Eigen::Matrix3d::Zero();

  void add(const ImuReading& reading, int sign) noexcept {
    if (reading.has_orientation && !reading.has_gyro) {
      oriented += sign;
      R += sign * so3::from_quaternion_wxyz(reading.wxyz_GI);
    }
    if (!reading.has_gyro || !reading.has_acc) return;
    count += sign;
    gyro += sign * reading.gyro;
    acc += sign * reading.acc;
    gyro2 += sign * reading.gyro.squaredNorm();
    acc2 += sign * reading.acc.squaredNorm();
  }
  [[nodiscard]] bool still(const StillOptions& options) const noexcept {
    const auto varies_less = [this](double squares, const Eigen::Vector3d& sum, double most) {
      return squares / count - (sum / count).squaredNorm() < most * most;
    };
    // rotations by small angles about their mean make |mean|^2 = 3 - 2 (mean square angle)
    const auto wanders_less = [this](double most) {
      return 0.5 * (3.0 - (R / oriented).squaredNorm()) < most * most;
    };
    return (count == 0 ||
            (varies_less(gyro2, gyro, options.turning) && varies_less(acc2, acc, options.shaking))) &&
           (oriented == 0 || wanders_less(options.wandering));
  }
};

bool all_still(const std::vector<Sums>& sums, const StillOptions& options) noexcept {
  bool any = false;
  for (const Sums& sum : sums) {
    if (sum.count == 0 && sum.oriented == 0) continue;
    if (!sum.still(options)) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::vector<StillPart> still_parts(std::span<const ImuSample> samples, const StillOptions& options) {
  check_finite("still parts", {{"turning", options.turning},
                               {"shaking", options.shaking},
                               {"wandering", options.wandering},
                               {"window", options.window},
                               {"least", options.least}});
  if (!(options.turning > 0.0 && options.shaking > 0.0 && options.wandering > 0.0 && options.window > 0.0 &&
        options.least > 0.0))
    throw ConfigError("still parts: `turning`, `shaking`, `wandering`, `window` and `least` must be > 0");
  std::vector<StillPart> parts;
  if (samples.empty()) return parts;
  std::vector<Sums> sums(samples.front().imus.size());
  const auto add = [&](std::size_t sample, int sign) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(samples[sample].imus[k], sign);
  };
  const auto seconds = [&](std::size_t first, std::size_t last) {
    return to_seconds(samples[last].t - samples[first].t);
  };
  const auto keep = [&](const StillPart& part) {
    if (seconds(part.first, part.last) >= options.least) parts.push_back(part);
  };
  StillPart part;
  bool open = false;
  // windows [first, last], each the shortest that is long enough; a part is a chain of overlapping still
  // windows
  std::size_t first = 0;
  for (std::size_t last = 0; last < samples.size(); ++last) {
    add(last, 1);
    while (first < last && seconds(first + 1, last) >= options.window) add(first++, -1);
    if (seconds(first, last) < options.window || !all_still(sums, options)) continue;
    if (open && first > part.last) {
      keep(part);
      open = false;
    }
    if (!open) part.first = first;
    part.last = last;
    open = true;
  }
  if (open) keep(part);
  return parts;
}

}  // namespace panto
