#include "python/bindings/values.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"

namespace panto::python {

nb::ndarray<nb::numpy, const double> view(const Rows& rows) {
  return {rows.data(),
          {static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())},
          nb::handle()};
}

nb::ndarray<nb::numpy, const double> view(const Eigen::VectorXd& column) {
  return {column.data(), {static_cast<std::size_t>(column.size())}, nb::handle()};
}

nb::ndarray<nb::numpy, double> owned(std::vector<double> values, std::vector<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  double* data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {data, shape.size(), shape.data(), owner};
}

io::Input input_of(const std::string& name, const std::optional<nb::bytes>& content) {
  if (content) return {std::string(content->c_str(), content->size()), name};
  return io::Input(name, io::Folder::Allowed);
}

Reading::Reading(OpenRecording& recording) : recording_(&recording) {
  if (recording.busy.exchange(true))
    throw ConfigError("this recording is being read by another job; open it once for each thread");
  try {
    recording.recording->rewind();
  } catch (...) {  // whatever it is goes to the caller
    recording.busy = false;
    throw;
  }
}

SolvedMotion::SolvedMotion(Motion solved, std::shared_ptr<const Model> of, std::shared_ptr<const Robot> by)
    : motion(std::move(solved)), model(std::move(of)), robot(std::move(by)) {
  const auto frames = static_cast<Eigen::Index>(motion.states.size());
  const auto joints = static_cast<Eigen::Index>(motion.joint_names.size());
  times.resize(frames);
  base_quaternion.resize(frames, 4);
  for (Rows* rows : {&base_position, &base_velocity, &base_angular_velocity}) rows->resize(frames, 3);
  for (Rows* rows : {&joint_positions, &joint_velocities}) rows->resize(frames, joints);
  for (Eigen::Index i = 0; i < frames; ++i) {
    const State& state = motion.states[static_cast<std::size_t>(i)];
    times[i] = to_seconds(state.t);
    base_position.row(i) = state.p_WB;
    base_quaternion.row(i) = so3::to_quaternion_wxyz(state.R_WB);
    if (i > 0 && base_quaternion.row(i).dot(base_quaternion.row(i - 1)) < 0.0) base_quaternion.row(i) *= -1.0;
    joint_positions.row(i) = state.s;
    base_velocity.row(i) = state.v_WB;
    base_angular_velocity.row(i) = state.w_WB;
    joint_velocities.row(i) = state.sdot;
  }
}

Observer Watch::observer() {
  Observer observer;
  observer.progress = [this](std::int64_t done, std::optional<std::int64_t> of) {
    constexpr std::int64_t kEvery = 64;  // frames: looking at Python costs about a frame
    if (done < pass_) before_ += pass_;  // another pass begins
    pass_ = done;
    of_ = std::max(of_, before_ + std::max(done, of.value_or(0)));
    return !error_ &&
           (++calls_ % kEvery != 0 || tell(before_ + done, of ? std::optional(of_) : std::nullopt));
  };
  return observer;
}

bool Watch::tell_end() { return of_ == 0 || tell(of_, of_); }

bool Watch::tell(std::int64_t done, std::optional<std::int64_t> of) {
  const nb::gil_scoped_acquire held;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_none()) progress_(done, of ? nb::object(nb::int_(*of)) : nb::none());
    return true;
  } catch (const nb::python_error&) {
    error_ = std::current_exception();
    return false;
  }
}

}  // namespace panto::python
