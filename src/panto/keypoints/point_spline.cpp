#include "panto/keypoints/point_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

constexpr double kThrough = 1e-3;        // lambda of a path through all points: residuals of some micrometres
constexpr double kLeast = 1.0;           // [Hz] lowest cut-off that is tried
constexpr double kMostShare = 0.45;      // highest one, of the frame rate
constexpr double kMost = 40.0;           // [Hz] highest one at any rate: bodies move slower
constexpr int kTried = 16;               // cut-offs from lowest to highest, in equal ratios
constexpr std::size_t kPart = 512;       // frames of one part of a long path
constexpr std::size_t kParts = 8;        // so many parts
constexpr std::size_t kFewest = 24;      // measured frames from which noise shows
constexpr int kFrequencies = 64;         // at which the filter's gain is summed
constexpr double kLargestLambda = 1e12;  // beyond it the solution loses its digits

// Bessel's constant: sum of the squared coefficients of the sixth difference
constexpr std::array<double, 7> kSixth{1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0};
constexpr double kSixthNorm = 30.397368307141328;  // sqrt(924)
constexpr double kNormalMad = 0.6744897501960817;  // median of |x| of a normal distribution

double square(double x) { return x * x; }

double lambda_of(double cutoff_hz, double interval) {
  const double gain = 2.0 * sincos(std::numbers::pi * std::min(cutoff_hz * interval, 0.5)).sin;
  return std::min(1.0 / square(square(gain)), kLargestLambda);
}

// second derivative at the middle of three frames: weights of their points, in frame intervals
std::array<double, 3> curvature(std::span<const Time> times, std::size_t k, double interval) {
  const auto step = [&](std::size_t i) {
    return std::clamp(to_seconds(times[i + 1] - times[i]) / interval, 0.25, 4.0);
  };
  const double a = step(k), b = step(k + 1);
  return {2.0 / (a * (a + b)), -2.0 / (a * b), 2.0 / (b * (a + b))};
}

// symmetric matrix with two diagonals beside the main one
struct Bands {
  explicit Bands(std::size_t n) : main(n, 0.0), first(n, 0.0), second(n, 0.0) {}
  std::vector<double> main, first, second;  // first[k]: row k, column k + 1
};

// L D L' without pivots: the matrix is positive definite
void solve(Bands& A, std::vector<Vector3d>& x) {
  const std::size_t n = x.size();
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = A.main[k];
    const double one = A.first[k] / pivot, two = A.second[k] / pivot;
    if (k + 1 < n) {
      A.main[k + 1] -= one * A.first[k];
      A.first[k + 1] -= one * A.second[k];
      x[k + 1] -= one * x[k];
    }
    if (k + 2 < n) {
      A.main[k + 2] -= two * A.second[k];
      x[k + 2] -= two * x[k];
    }
    A.first[k] = one;
    A.second[k] = two;
  }
  for (std::size_t k = n; k-- > 0;) {
    x[k] /= A.main[k];
    if (k + 1 < n) x[k] -= A.first[k] * x[k + 1];
    if (k + 2 < n) x[k] -= A.second[k] * x[k + 2];
  }
}

std::vector<Vector3d> spline(std::span<const Time> times, std::span<const Vector3d> seen, double interval,
                             double lambda) {
  const std::size_t n = seen.size();
  Bands A(n);
  std::vector<Vector3d> x(n, Vector3d::Zero());
  Vector3d origin = Vector3d::Zero();  // near the path, so that digits are kept
  for (std::size_t k = 0; k < n; ++k) {
    if (!seen[k].allFinite()) continue;
    origin = seen[k];
    break;
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (!seen[k].allFinite()) continue;
    A.main[k] = 1.0;
    x[k] = seen[k] - origin;
  }
  for (std::size_t k = 0; k + 2 < n; ++k) {
    const auto c = curvature(times, k, interval);
    A.main[k] += lambda * c[0] * c[0];
    A.main[k + 1] += lambda * c[1] * c[1];
    A.main[k + 2] += lambda * c[2] * c[2];
    A.first[k] += lambda * c[0] * c[1];
    A.first[k + 1] += lambda * c[1] * c[2];
    A.second[k] += lambda * c[0] * c[2];
  }
  solve(A, x);
  for (Vector3d& p : x) p += origin;
  return x;
}

std::size_t count_seen(std::span<const Vector3d> seen) {
  return static_cast<std::size_t>(
      std::count_if(seen.begin(), seen.end(), [](const Vector3d& p) { return p.allFinite(); }));
}

// Median over windows of seven measured frames: motion has hardly any sixth difference.
double sigma_of(std::span<const Vector3d> seen) {
  std::vector<double> sizes;
  for (std::size_t k = 0; k + 7 <= seen.size(); ++k) {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = 0; i < 7; ++i) sum += kSixth[i] * seen[k + i];
    for (const double x : sum)
      if (std::isfinite(x)) sizes.push_back(std::abs(x));
  }
  if (sizes.size() < kFewest) return 0.0;
  return median(std::move(sizes)) / (kNormalMad * kSixthNorm);
}

// trace of the filter's matrix over the measured frames, of which a `share` of all is measured
double degrees_of_freedom(double lambda, double share, double frames) {
  double sum = 0.0;
  for (int i = 0; i < kFrequencies; ++i) {
    const double gain = 2.0 * sincos(0.5 * std::numbers::pi * (i + 0.5) / kFrequencies).sin;
    sum += share / (share + lambda * square(square(gain)));
  }
  return frames * sum / kFrequencies;
}

}  // namespace

std::vector<Vector3d> spline_path(std::span<const Time> times, std::span<const Vector3d> seen,
                                  double interval, double cutoff_hz) {
  if (count_seen(seen) < 2 || !(interval > 0.0)) return {seen.begin(), seen.end()};
  return spline(times, seen, interval, cutoff_hz > 0.0 ? lambda_of(cutoff_hz, interval) : kThrough);
}

PathNoise path_noise(std::span<const Time> times, std::span<const Vector3d> seen, double interval) {
  PathNoise noise;
  const double highest = std::min(kMostShare / interval, kMost);
  if (!(interval > 0.0) || highest < 2.0 * kLeast) return noise;
  const std::size_t parts = seen.size() > kPart * kParts ? kParts : 1;
  const std::size_t length = parts == 1 ? seen.size() : kPart;
  const std::size_t stride = parts == 1 ? 0 : (seen.size() - kPart) / (kParts - 1);
  std::vector<double> sigmas;
  for (std::size_t i = 0; i < parts; ++i) sigmas.push_back(sigma_of(seen.subspan(i * stride, length)));
  noise.sigma = median(sigmas);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTried; ++i) {
    const double cutoff = kLeast * exp(log(highest / kLeast) * i / (kTried - 1));
    const double lambda = lambda_of(cutoff, interval);
    double residual = 0.0, free = 0.0, count = 0.0;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto now = seen.subspan(part * stride, length);
      const auto measured = static_cast<double>(count_seen(now));
      if (measured < static_cast<double>(kFewest)) continue;
      const std::vector<Vector3d> path = spline(times.subspan(part * stride, length), now, interval, lambda);
      for (std::size_t k = 0; k < path.size(); ++k)
        if (now[k].allFinite()) residual += (path[k] - now[k]).squaredNorm() / 3.0;
      const auto frames = static_cast<double>(now.size());
      free += measured - degrees_of_freedom(lambda, measured / frames, frames);
      count += measured;
    }
    if (!(free > 0.0)) continue;
    const double score = count * residual / square(free);
    if (!(score < best)) continue;
    best = score;
    noise.cutoff_hz = cutoff;
  }
  return noise;
}

}  // namespace panto::keypoints
