#pragma once
// Turns States into measurements of a motion capture suit.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {

/// Returns the links that a source would measure: the 23 segments of a human model, else all links.
[[nodiscard]] std::vector<std::string> measured_links(const Model& model);

/// Forward kinematics of chosen links as a sample with all quantities valid. The model must outlive this
/// object.
class LinkSampler {
 public:
  /// @throws ModelError for an unknown link.
  LinkSampler(const Model& model, std::vector<std::string> links);

  [[nodiscard]] const std::vector<std::string>& links() const noexcept { return links_; }
  /// Fills `sample`, resizing it when needed; no allocation when its size fits.
  void sample(const State& state, SegmentSample& sample);

 private:
  Kinematics kinematics_;
  std::vector<std::string> links_;
  std::vector<int> index_;
};

/// Returns a sample of `measured_links(model)` at one state; for many states, keep a LinkSampler.
[[nodiscard]] SegmentSample segment_sample(const Model& model, const State& state);

/// Measurement errors: independent, normal, mean zero.
struct NoiseOptions {
  double attitude_deg_per_axis = 1.0;  ///< about each of a segment's axes [deg], >= 0
  double angular_velocity = 0.0;       ///< each component [rad/s], >= 0; a good gyroscope: 0.01
  double position = 0.0;               ///< each component [m], >= 0
  double linear_velocity = 0.0;        ///< each component [m/s], >= 0
  std::uint64_t seed = 1;
};

/// Adds noise to samples; the same seed gives the same noise.
class Noise {
 public:
  /// @throws ConfigError for a negative or non-finite level.
  explicit Noise(const NoiseOptions& options);
  void add_to(SegmentSample& sample) noexcept;

 private:
  NoiseOptions options_;
  std::mt19937_64 engine_;
};

struct SyntheticSourceOptions {
  double duration = 10.0;  ///< [s], > 0
  double rate_hz = 60.0;   ///< > 0
  std::optional<NoiseOptions> noise = std::nullopt;
  std::vector<std::string> links = {};  ///< empty: `measured_links`
};

/// A synthetic motion as a source of segments: t = i / rate from 0. The synthesis' model must outlive it.
class SyntheticSource : public Source<SegmentSample> {
 public:
  /// @throws ConfigError (duration, rate, noise), ModelError (links).
  explicit SyntheticSource(Synthesis synthesis, const SyntheticSourceOptions& options = {});

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return sampler_.links(); }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  /// Returns the true state of the last sample.
  [[nodiscard]] const State& truth() const noexcept { return state_; }
  /// Restarts from the beginning, with the same noise.
  void rewind();

 private:
  Synthesis synthesis_;
  LinkSampler sampler_;
  SyntheticSourceOptions options_;
  std::optional<Noise> noise_;
  std::int64_t frames_;
  std::int64_t next_ = 0;
  State state_;
};

}  // namespace panto
