// Connections that come and go: fault F22 of the battery (docs/fault_battery.md).

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "panto/live/web_server.hpp"
#include "tests/support/test_data.hpp"

namespace panto::live {
namespace {

int files_open() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

// A client that hangs up without a word, after half a line, or before it reads the answer.
void come_and_go(std::uint16_t port, int k) {
  const int handle = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(handle, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  const std::string asks = "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  const std::string said = k % 3 == 0 ? "" : k % 3 == 1 ? "GET / HT" : asks;
  EXPECT_EQ(send(handle, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  if (k % 2 == 0) {  // by a reset
    const linger now{1, 0};
    EXPECT_EQ(setsockopt(handle, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
  }
  EXPECT_EQ(close(handle), 0);
}

TEST(FaultF22, ConnectionsThatComeAndGoLeaveNoFileOpen) {
  WebServer server(0);
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    server.serve([](const WebRequest&) { return std::optional(WebPage{std::string(300'000, 'x')}); },
                 [&] { return stop.load(); });
  });
  const int before = files_open();
  for (int k = 0; k < test::scaled(40); ++k) come_and_go(server.port(), k);
  for (int k = 0; k < 700 && files_open() > before; ++k)  // headers may take 5 s
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(files_open(), before);
  stop = true;
  thread.join();
}

}  // namespace
}  // namespace panto::live
