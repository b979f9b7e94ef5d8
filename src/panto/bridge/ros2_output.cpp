#include "panto/bridge/ros2_output.hpp"

#include <chrono>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/shown_urdf.hpp"
#include "panto/live/pacer.hpp"

namespace panto::bridge {
namespace {

constexpr Time kOld = 1'000'000'000;  // [ns]

}  // namespace

Ros2Output::Ros2Output(const live::UdpAddress& at, const Model* model, std::vector<std::string> segments,
                       const std::string& file)
    : publisher_(at), model_(model), segments_(std::move(segments)) {
  if (model == nullptr) return;
  frames_ = link_frames(*model);
  if (!publisher_.description(io::shown_urdf(*model, file)))
    throw Error("cannot publish the description of " + model->name() + " for ROS 2");
}

// A recorded run has the clock of its own computer: its first frame is of now.
Time Ros2Output::date_of(const LiveFrame& frame) {
  if (!since_1970_) {
    const Time now = live::monotonic_now();
    const Time since = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    const bool here = frame.arrival <= now && now - frame.arrival < kOld;
    since_1970_ = since - (here ? now : frame.arrival);
  }
  return *since_1970_ + frame.arrival;
}

void Ros2Output::write(const LiveFrame& frame) noexcept {
  if (!frame.valid || frame.flushed()) return;
  bool taken = false;
  try {
    const Time date = date_of(frame);
    if (model_ != nullptr)
      place_links(*model_, frame.state, frames_);
    else
      place_person(segments_, frame.person, frames_);
    taken = model_ == nullptr ||
            publisher_.joint_states(date, model_->joint_names(), frame.state.s, frame.state.sdot);
    taken = publisher_.transforms(date, frames_) && taken;
  } catch (...) {
    taken = false;  // no memory
  }
  ++(taken ? sent_ : dropped_);
}

}  // namespace panto::bridge
