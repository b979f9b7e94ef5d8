#include "panto/io/stamps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/bvh.hpp"

namespace panto::io {
namespace {

constexpr double kLikeMedian =
    0.4;  // largest relative difference of a step from the median; a dropped frame has 1
constexpr double kAgree = 0.05;       // relative tolerance of a declared rate
constexpr double kWhole = 1e-3;       // relative tolerance to a whole rate
constexpr double kLongestStep = 1.0;  // [s] between frames of a motion

}  // namespace

std::string refusal_of_stamp(Time t, std::optional<Time> before) {
  if (t > kLatestStamp || t < -kLatestStamp) return "the time is out of range (more than 126 years)";
  if (before && t <= *before) return "the time does not increase";
  return "";
}

void check_rate(double rate_hz, const std::string& name) {
  if (rate_hz > kFastestRate)
    throw FormatError(name + ": its frames are " + digits(1e6 / rate_hz, 3) + " us apart, more than " +
                      digits(kFastestRate, 5) + " a second; are the times in another unit?");
}

double usual_rate(const std::vector<Time>& times) {
  if (times.size() < 2) return 0.0;
  std::vector<double> steps;
  steps.reserve(times.size() - 1);
  for (std::size_t k = 1; k < times.size(); ++k) steps.push_back(to_seconds(times[k] - times[k - 1]));
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double median = *middle;
  double sum = 0.0;
  int count = 0;
  for (const double step : steps) {
    if (std::abs(step - median) > kLikeMedian * median) continue;
    sum += step;
    ++count;
  }
  const double rate = snapped_rate(sum / count), whole = std::round(rate);
  const bool usual = rate != count / sum;
  return !usual && whole >= 1.0 && std::abs(rate - whole) < kWhole * whole ? whole : rate;
}

double settle_rate(const std::vector<Time>& times, double declared_hz, std::vector<std::string>& notes) {
  const double rate = usual_rate(times);
  if (rate == 0.0) return declared_hz;
  if (1.0 / rate >= kLongestStep)
    notes.push_back("the frames are " + digits(1.0 / rate, 4) +
                    " s apart; they are read as seconds, but look like milliseconds");
  if (declared_hz == 0.0) return rate;
  if (std::abs(declared_hz - rate) <= kAgree * rate) return declared_hz;
  notes.push_back("the file says " + digits(declared_hz, 6) + " Hz, but its frames are " +
                  digits(1e3 / rate, 6) + " ms apart (" + digits(rate, 6) + " Hz); the times are used");
  return rate;
}

}  // namespace panto::io
