#pragma once
// What Foxglove, Lichtblick and the live page show: messages of Foxglove's published schemas, as JSON text.

#include <string>
#include <string_view>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::io {

/// A message's schema: its published name, and what its JSON looks like as a JSON Schema.
struct FoxgloveSchema {
  std::string_view name, json;
};
extern const FoxgloveSchema kJointStatesSchema, kFrameTransformsSchema, kSceneUpdateSchema, kLogSchema;

/// The frame that all others hang on: z up, metres.
inline constexpr std::string_view kWorldFrame = "world";
/// What the frames of a person's segments begin with.
inline constexpr std::string_view kPersonPrefix = "person/";

/// Returns foxglove.JointStates: positions [rad] or [m] and velocities by joint. `date`: [ns] since 1970.
[[nodiscard]] std::string joint_states_text(const Model& model, const State& state, Time date);

/// Returns foxglove.FrameTransforms: every link in the world. `kinematics`: of the model; holds the State
/// after.
[[nodiscard]] std::string link_transforms_text(const Model& model, Kinematics& kinematics, const State& state,
                                               Time date);

/// Returns foxglove.FrameTransforms: the person's segments that have a place, as "person/NAME"; those without
/// an orientation are not turned.
[[nodiscard]] std::string person_transforms_text(const std::vector<std::string>& names,
                                                 const SegmentSample& person, Time date);

/// Returns foxglove.SceneUpdate: the links' shapes, which move along with their frames; a link without a
/// shape is a rod to each joint that hangs on it.
[[nodiscard]] std::string model_scene_text(const Model& model, Time date);

/// How urgent a foxglove.Log is.
enum class LogLevel { Info = 2, Warning = 3, Error = 4 };
/// Returns foxglove.Log.
[[nodiscard]] std::string log_text(LogLevel level, const std::string& message, Time date);

/// Returns the text in quotes, with JSON's escapes; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const std::string& text);

}  // namespace panto::io
