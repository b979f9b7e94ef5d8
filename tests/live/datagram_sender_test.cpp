#include "panto/live/datagram_sender.hpp"

#include <gtest/gtest.h>

#include <array>

namespace panto::live {
namespace {

// A clock that only moves when somebody waits.
struct Waited {
  Time now = 1'000'000'000;
  [[nodiscard]] Clock clock() {
    return {[this] { return now; }, [this](Time t) { now = std::max(now, t); }};
  }
};

TEST(DatagramSender, SendsWhenTheyAreDue) {
  UdpSocket receiver = UdpSocket::bound_to({"127.0.0.1", 0});
  Waited waited;
  DatagramSender sender(UdpSocket::connected_to({"127.0.0.1", receiver.port()}), {.delay = 0.005},
                        waited.clock());
  for (int k = 0; k < 10; ++k) sender.send({{static_cast<std::byte>(k)}}, k * 10'000'000);
  EXPECT_EQ(waited.now, 1'090'000'000) << "nine periods of 10 ms";
  EXPECT_EQ(sender.sent(), 9) << "the last is delayed by 5 ms";
  sender.finish();
  EXPECT_EQ(waited.now, 1'095'000'000);
  EXPECT_EQ(sender.sent(), 10);
  std::array<std::byte, 16> space;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(receiver.wait(1000));
    ASSERT_EQ(receiver.receive(space), 1U);
    EXPECT_EQ(space[0], static_cast<std::byte>(k));
  }
}

}  // namespace
}  // namespace panto::live
