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

/// The published name of a message's schema, and the keys that Panto writes, as a JSON Schema.
struct FoxgloveSchema {
  std::string_view name, json;
};
extern const FoxgloveSchema kJointStatesSchema, kFrameTransformsSchema, kSceneUpdateSchema, kLogSchema;

/// Returns foxglove.JointStates: positions [rad] or [m] and velocities by joint. `date`: [ns] since 1970.
[[nodiscard]] std::string joint_states_text(const Model& model, const State& state, Time date);

/// Returns foxglove.FrameTransforms: every link in the frame "world" (z up, metres). `kinematics`: of the
/// model; holds the State afterwards.
[[nodiscard]] std::string link_transforms_text(const Model& model, Kinematics& kinematics, const State& state,
                                               Time date);

/// Returns foxglove.FrameTransforms: the person's segments that have a position, in "world" as "person/NAME".
/// A segment without an orientation gets the identity.
[[nodiscard]] std::string person_transforms_text(const std::vector<std::string>& names,
                                                 const SegmentSample& person, Time date);

/// Returns foxglove.SceneUpdate: the links' shapes, locked to their frames. A link without a shape is drawn
/// as a rod to each of its child joints.
[[nodiscard]] std::string model_scene_text(const Model& model, Time date);

/// How urgent a foxglove.Log is.
enum class LogLevel { Info = 2, Warning = 3, Error = 4 };
/// Returns foxglove.Log.
[[nodiscard]] std::string log_text(LogLevel level, const std::string& message, Time date);

/// Returns the text in quotes, with JSON's escapes; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const std::string& text);

}  // namespace panto::io
