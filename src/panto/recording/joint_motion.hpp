#pragma once
// Every joint of a recorded skeleton: fingers, faces and props too, which the samples of a body leave out.

#include "panto/base/time.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto {

class JointMotion {
 public:
  JointMotion() = default;
  JointMotion(const JointMotion&) = delete;
  JointMotion& operator=(const JointMotion&) = delete;
  virtual ~JointMotion() = default;

  /// Returns the skeleton with its rest pose, without frames; joints are those of `RecordingInfo::rig`.
  [[nodiscard]] virtual const SkeletonClip& skeleton() const noexcept = 0;
  /// Sets `pose` to that of the recording's sample at `t`; false: there is none. Allocates the first time.
  [[nodiscard]] virtual bool pose(Time t, SkeletonPose& pose) const = 0;
};

}  // namespace panto
