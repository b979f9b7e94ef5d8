#pragma once
// Reads and writes robot models in the format of MuJoCo (MJCF): bodies, joints, classes of defaults, included
// files, limits, inertias, shapes, equalities of joints, keyframes. Ignores what only a simulation needs.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/urdf_shapes.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

/// Size limits of an MJCF, of all its files together. Larger ones are refused.
inline constexpr std::size_t kMjcfMaxBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMjcfMaxTags = 500'000;          ///< '<'
inline constexpr std::size_t kMjcfMaxAttributes = 1'000'000;  ///< '='
inline constexpr std::size_t kMjcfMaxDepth = 256;             ///< nested elements; nested bodies
inline constexpr std::size_t kMjcfMaxIncludes = 100;          ///< files
inline constexpr std::size_t kMjcfMaxBodies = 10'000;         ///< bodies; joints too

/// Ranges of this size or more mean "none": MJCF has no infinity.
inline constexpr double kMjcfNoLimit = 1e9;
/// Begins the name of a <numeric> with a joint's speed limit, for which MJCF has no place.
inline constexpr std::string_view kMjcfSpeedLimit = "speed_limit ";

/// Returns the bytes of a file that an MJCF includes, named from the main file's folder; nothing when
/// missing.
/// @throws FormatError for a file that it may not open.
using OpenInclude = std::function<std::optional<std::string>(const std::string& name)>;

/// Opens files within the folder of the file at `path`, for <include>.
[[nodiscard]] OpenInclude includes_beside(const std::string& path);

/// A robot, and the shapes of its links.
struct MjcfRobot {
  Model model;
  RobotShapes shapes;
};

/// Reads the robot in `text`; messages call it `name` (a path). Every body is a link, in MuJoCo's frame, and
/// joints have MuJoCo's values (`ref` included).
///
/// The robot is the body of <worldbody> with the most joints; on a fixed base also others with as many. With
/// a free joint the base floats; else the root is the link `world`. Several joints of a body, and joints
/// beside its origin, have massless links between them, `<joint>_link`; a ball joint becomes hinges `_x`,
/// `_y`, `_z`. Unnamed bodies are called `body<number>`, joints `<body>_joint`. Equalities of joints become
/// mimics. Joints without a range take that of their position actuators.
///
/// `notes`, if given, receives one sentence for every decision and for all that is ignored.
/// @throws FormatError "path:line: <joint name='knee'>: ...".
[[nodiscard]] MjcfRobot read_mjcf_robot(std::string_view text, const std::string& name,
                                        const OpenInclude& open = {},
                                        std::vector<std::string>* notes = nullptr);

/// Reads the robot in a file. @throws FormatError as above, or when the file cannot be read.
[[nodiscard]] MjcfRobot read_mjcf(const std::string& path, std::vector<std::string>* notes = nullptr);

/// Returns `model` as MJCF that MuJoCo opens: bodies and joints with its names, ranges, mimics, capsules as
/// geoms (thin ones where a link has none), a floor, motors where efforts are limited, a keyframe "rest".
/// Lists what the format cannot represent in `notes`, if given.
[[nodiscard]] std::string write_mjcf(const Model& model, std::vector<std::string>* notes = nullptr);

/// Writes it to a file that appears complete or not at all. @throws Error when it cannot be written.
void write_mjcf_file(const Model& model, const std::string& path, std::vector<std::string>* notes = nullptr);

/// Returns true when the first element of the text is <mujoco>. 4096 bytes are enough.
[[nodiscard]] bool is_mjcf(std::string_view head) noexcept;

}  // namespace panto::io
