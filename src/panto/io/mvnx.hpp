#pragma once
// MVNX, the XML of Xsens MVN, versions 3 and 4: a streaming reader of everything in a frame. Most users need
// `open_mvnx` (open_recording.hpp), which turns the frames into SegmentSamples.
//
// Errors and repairs: - the header must be complete (frame rate, segments with labels) and the first normal
// frame must have
//   orientations of the right count, or the constructor throws;
// - in later frames a vector of the wrong count is left empty, and an unreadable number becomes NaN; both
//   are counted and noted once with their place;
// - broken XML, truncation, an entity declaration or exceeded `limits` end the motion: frames before it
//   are yielded, then `Malformed`.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/model/human.hpp"

namespace panto::io {

/// Vectors of a frame. S segments, N sensors, J joints, E ergonomic joints, C contact points.
enum class MvnxVector : unsigned char {
  Orientation,             ///< 4 S: w x y z, segment to global
  Position,                ///< 3 S: segment origin, global [m]
  Velocity,                ///< 3 S [m/s]
  Acceleration,            ///< 3 S [m/s^2]
  AngularVelocity,         ///< 3 S: global axes [rad/s]
  AngularAcceleration,     ///< 3 S: global axes [rad/s^2]
  FootContacts,            ///< C: 0 or 1
  SensorFreeAcceleration,  ///< 3 N: global axes, without gravity [m/s^2]
  SensorAcceleration,      ///< 3 N: sensor axes [m/s^2] (version 3)
  SensorAngularVelocity,   ///< 3 N: sensor axes [rad/s] (version 3)
  SensorMagneticField,     ///< 3 N: sensor axes [a.u.]
  SensorOrientation,       ///< 4 N: w x y z, sensor to global
  JointAngle,              ///< 3 J [deg]; see isb_angles.hpp
  JointAngleXZY,           ///< 3 J [deg], other Euler sequence
  JointAngleErgo,          ///< 3 E [deg]
  JointAngleErgoXZY,       ///< 3 E [deg]
  CenterOfMass,            ///< 3 [m], or 9 with velocity and acceleration
};
inline constexpr std::size_t kMvnxVectorCount = 17;

/// Returns the name of the element, e.g. "angularVelocity".
[[nodiscard]] std::string_view to_string(MvnxVector vector) noexcept;

/// A set of vectors. Others are skipped without parsing.
using MvnxVectors = std::uint32_t;
[[nodiscard]] constexpr MvnxVectors only(MvnxVector vector) noexcept {
  return MvnxVectors{1} << static_cast<unsigned>(vector);
}
inline constexpr MvnxVectors kAllMvnxVectors = (MvnxVectors{1} << kMvnxVectorCount) - 1;

struct MvnxPoint {
  std::string label;
  Eigen::Vector3d p_S = Eigen::Vector3d::Zero();  ///< in the segment's T-pose frame, both versions [m]
};

struct MvnxSegment {
  std::string label;
  int id = 0;  ///< as written; 0 when missing
  std::vector<MvnxPoint> points;

  /// Returns nullptr when missing.
  [[nodiscard]] const MvnxPoint* find_point(std::string_view point_label) const noexcept;
};

struct MvnxJoint {
  std::string label;
  std::string parent, parent_point;  ///< connector1, "Pelvis/jL5S1"
  std::string child, child_point;    ///< connector2
};

/// The part before the frames.
struct MvnxHeader {
  std::string version;        ///< attribute of <mvnx>, "4"
  int major = 0;              ///< its leading number; 0 when missing
  std::string software;       ///< version of MVN, "2019.0.0"
  std::string subject;        ///< label
  std::string configuration;  ///< "FullBody", "UpperBody", ...; empty in version 3
  double frame_rate_hz = 0.0;
  std::vector<MvnxSegment> segments;  ///< in the order of all vectors; without finger segments
  std::vector<MvnxJoint> joints;
  std::vector<std::string> sensors, contacts;  ///< labels
  int ergonomic_joint_count = 0;

  [[nodiscard]] const MvnxSegment* find_segment(std::string_view label) const noexcept;
};

/// One frame. A missing or unwanted vector is empty; an unreadable number is NaN.
struct MvnxFrame {
  std::string type;                     ///< "normal", "identity", "tpose", "tpose-isb", "npose"
  std::optional<std::int64_t> index;    ///< version 4's special frames have none
  std::optional<std::int64_t> time_ms;  ///< rounded by the writer: do not compute with it
  std::string time_code;
  std::string marker;  ///< the user's text at this frame
  std::array<std::vector<double>, kMvnxVectorCount> vectors;
  std::int64_t line = 0;  ///< first line of the frame

  [[nodiscard]] const std::vector<double>& operator[](MvnxVector vector) const noexcept {
    return vectors[static_cast<std::size_t>(vector)];
  }
};

/// Quaternions with norms this close to 1 are normalised; others are not orientations.
inline constexpr double kMvnxQuaternionTolerance = 1e-2;
/// Larger positions [m] and rates [m/s], [rad/s] are damage, not motion.
inline constexpr double kMvnxLargest = 1e6;

/// Size limits of a file; the message of a refusal names the limit.
struct MvnxLimits {
  std::size_t segments = 512;
  std::size_t points_per_segment = 512;
  std::size_t joints = 1024;
  std::size_t sensors = 512;
  std::size_t text_bytes = std::size_t{256} * 1024;    ///< of one element
  std::size_t token_bytes = std::size_t{1024} * 1024;  ///< of one tag or comment
  int depth = 64;
};

/// Streams a file: `MvnxLimits` bounds the memory, whatever the file's length.
class MvnxFile {
 public:
  /// Reads up to the end of the first normal frame. @throws FormatError ("path:line: ...") when the file is
  /// not MVNX, its header is incomplete or it has no usable normal frame; Error when it cannot be opened.
  explicit MvnxFile(const std::string& path, MvnxVectors wanted = kAllMvnxVectors,
                    const MvnxLimits& limits = {});
  /// The same for any stream; messages call it `name`.
  MvnxFile(std::unique_ptr<std::istream> stream, std::string name, MvnxVectors wanted = kAllMvnxVectors,
           const MvnxLimits& limits = {});
  ~MvnxFile();
  MvnxFile(MvnxFile&&) noexcept;
  MvnxFile& operator=(MvnxFile&&) noexcept;

  [[nodiscard]] const MvnxHeader& header() const noexcept;
  /// Returns the special frame of this type ("tpose") if it was already read; else nullptr.
  [[nodiscard]] const MvnxFrame* special(std::string_view type) const noexcept;
  /// Returns the first normal frame, before and after it is read.
  [[nodiscard]] const MvnxFrame& first() const noexcept;

  /// Reads the next normal frame. After `Malformed` the motion has ended.
  [[nodiscard]] ReadStatus read(MvnxFrame& frame) noexcept;

  /// Returns why the last `read` was `Malformed`; else empty.
  [[nodiscard]] const std::string& problem() const noexcept;
  /// Returns the repairs so far, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept;
  /// Return the counts of vectors left empty because of a wrong count, and of numbers that became NaN.
  [[nodiscard]] std::int64_t refused_vectors() const noexcept;
  [[nodiscard]] std::int64_t refused_numbers() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

/// Returns the largest distance, over the joints, between the joint's position on its parent and on its child
/// in `frame` [m] (formats, section 2.2); empty when no joint has both points, poses and positions.
/// `n_pose_arms`: turns the arms' orientations of version 3 to T-pose frames first.
[[nodiscard]] std::optional<double> mvnx_closure(const MvnxHeader& header, const MvnxFrame& frame,
                                                 bool n_pose_arms);

/// Returns true when the arms' orientations are the identity for hanging arms (version 3). The first normal
/// frame decides if it has positions and the two readings differ clearly; else the version decides. A
/// decision against the version is added to `notes`. @throws FormatError when the joints gape by more than 1
/// m in both readings: the positions are not in metres.
[[nodiscard]] bool mvnx_has_n_pose_arms(const MvnxFile& file, std::vector<std::string>& notes);

/// Returns the person's dimensions from joint points and connectors; ends and height from the surface points
/// if present, else from average proportions. Empty, with a note, when a joint is missing.
[[nodiscard]] std::optional<SubjectDimensions> mvnx_subject(const MvnxHeader& header,
                                                            std::vector<std::string>& notes);

/// Returns R_T_isb of `isb_angles` for this recording, by MVN segment: from its `tpose` and `tpose-isb`
/// frames, or from N-pose arms (version 3), whose frames are the ISB frames. Empty when it has neither.
[[nodiscard]] std::optional<std::array<Eigen::Matrix3d, kHumanSegmentCount>> mvnx_isb_frames(
    const MvnxFile& file, bool n_pose_arms);

/// Opens a file for reading from its beginning. @throws Error when it cannot be read.
[[nodiscard]] std::unique_ptr<std::istream> open_mvnx_stream(const std::string& path);

/// Opens MVNX from a stream, which every reading of the recording reads from its beginning; messages call it
/// `name`. `header`, if given, receives the part before the frames.
[[nodiscard]] std::unique_ptr<Recording> open_mvnx(std::unique_ptr<std::istream> file,
                                                   const std::string& name, MvnxHeader* header = nullptr);
/// Opens MVNX from the bytes of a file.
[[nodiscard]] std::unique_ptr<Recording> open_mvnx(std::string bytes, const std::string& name);

}  // namespace panto::io
