#pragma once
// The keys of a glTF animation and the clock to sample them on (docs/formats/gltf.md). Internal.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/gltf_file.hpp"
#include "panto/io/gltf_nodes.hpp"

namespace panto::io {

enum class GltfPath : unsigned char { Translation, Rotation, Scale };
enum class GltfCurve : unsigned char { Step, Linear, Cubic };

/// One property of one node over time. The numbers are the file's, which outlives it.
struct GltfTrack {
  std::size_t node = 0;
  GltfPath path = GltfPath::Translation;
  GltfCurve curve = GltfCurve::Linear;
  const std::vector<double>* times = nullptr;  ///< increasing [s]
  const std::vector<double>* values = nullptr;

  /// Returns the value at key `k` of a translation or scale.
  [[nodiscard]] Eigen::Vector3d vector(std::size_t k) const;
  /// Sets the property of `pose` at time t; scales stay as they are.
  void apply(double t, GltfPose& pose) const;

 private:
  [[nodiscard]] Eigen::Vector4d element(std::size_t index) const;
  [[nodiscard]] Eigen::Vector4d value(std::size_t k) const;
};

struct GltfAnimation {
  std::size_t index = 0;
  std::vector<GltfTrack> tracks;
};

/// Steady times: `frames` from `start`, a whole number.
struct GltfClock {
  double start = 0.0, rate_hz = 0.0, frames = 0.0;
};

/// Returns the first animation that moves a node of `kept`, with a note when there are several; nothing when
/// none does. `take`: instead, the one of this name, or number from 1. @throws FormatError for keys that do
/// not fit their nodes or times; ConfigError for a chosen one that is not there or turns no joint.
[[nodiscard]] std::optional<GltfAnimation> choose_animation(GltfFile& file,
                                                            const std::vector<unsigned char>& kept,
                                                            const std::string& take,
                                                            std::vector<std::string>& notes);

/// Returns the clock that the keys were made on; noted when keys are further apart than 1/24 s.
[[nodiscard]] GltfClock clock_of(const GltfAnimation& animation, std::vector<std::string>& notes);

}  // namespace panto::io
