#include "panto/live/outputs.hpp"

#include <utility>

namespace panto::live {
namespace {

constexpr Time kIntroductionEvery = 1'000'000'000;  // [ns]

bool send_all(UdpSocket& socket, const stream::Datagrams& datagrams) noexcept {
  bool all = true;
  for (const auto& datagram : datagrams) all = socket.send(datagram) && all;
  return all;
}

}  // namespace

void PersonOutput::write(const LiveFrame& frame) noexcept {
  try {
    if (!std::exchange(begun_, true) || frame.person.t - introduced_ >= kIntroductionEvery) {
      (void)send_all(socket_, encoder_->introduction());
      introduced_ = frame.person.t;
    }
    ++(send_all(socket_, encoder_->encode(frame.person)) ? sent_ : dropped_);
  } catch (...) {
    ++dropped_;  // no memory
  }
}

}  // namespace panto::live
