// Frames that a WebSocket must not have, and floods of those that it may: fault F24 of the battery
// (docs/fault_battery.md). The client writes its bytes itself.

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/served_viewers.hpp"

namespace panto::bridge {
namespace {

// A connection that has been upgraded.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port, const std::string& wishes = "") {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    say("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n" +
        wishes + "\r\n");
    const std::size_t size = boost::asio::read_until(socket_, in_, "\r\n\r\n", problem_);
    answer = taken(size);
  }
  void say(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes), problem_); }

  struct Frame {
    int opcode = 0;
    std::string body;
  };
  // The next frame of the server, whose frames are short here; nothing once the connection has ended.
  std::optional<Frame> hear() {
    const std::string head = need(2);
    if (head.size() < 2) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(head[1]) & 0x7fU;
    if (size == 126) {
      const std::string wide = need(2);
      if (wide.size() < 2) return std::nullopt;
      size = 256U * static_cast<unsigned char>(wide[0]) + static_cast<unsigned char>(wide[1]);
    }
    return Frame{head[0] & 0x0f, need(size)};
  }
  // The code by which the server closes; 0: it only hangs up.
  unsigned closed_with() {
    while (const auto frame = hear())
      if (frame->opcode == 8 && frame->body.size() >= 2)
        return 256U * static_cast<unsigned char>(frame->body[0]) + static_cast<unsigned char>(frame->body[1]);
    return 0;
  }
  std::string answer;

 private:
  std::string taken(std::size_t size) {
    const auto begin = boost::asio::buffers_begin(in_.data());
    std::string bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
    in_.consume(size);
    return bytes;
  }
  std::string need(std::size_t size) {
    if (in_.size() < size)
      boost::asio::read(socket_, in_, boost::asio::transfer_at_least(size - in_.size()), problem_);
    return in_.size() < size ? std::string() : taken(size);
  }

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_{io_};
  boost::asio::streambuf in_;
  boost::system::error_code problem_;
};

// A frame of a client, masked with zeros; `first`: flags and opcode.
std::string frame(int first, const std::string& body) {
  std::string bytes(1, static_cast<char>(first));
  if (body.size() < 126) {
    bytes += static_cast<char>(0x80U | body.size());
  } else {
    bytes += static_cast<char>(0x80U | 126U);
    bytes += static_cast<char>(body.size() / 256);
    bytes += static_cast<char>(body.size() % 256);
  }
  bytes += std::string(4, '\0');
  bytes += body;
  return bytes;
}

constexpr int kEnd = 0x80, kText = 1, kClose = 8, kPing = 9;

TEST(FaultF24, WhatNoFrameMayBeClosesTheConnectionWithItsCode) {
  test::ServedViewers served;
  const std::string huge = std::string("\x81\xff", 2) + std::string("\x00\x00\x7f\xff\xff\xff\xff\xff", 8);
  std::string endless = frame(kText, std::string(16'000, ' '));
  for (int k = 0; k < 5; ++k) endless += frame(0, std::string(16'000, ' '));
  const struct {
    const char* name;
    std::string bytes;
    unsigned code;
  } all[] = {
      {"not masked", std::string("\x81\x05hello", 7), 1002},
      {"a bit of an extension", frame(kEnd | 0x40 | kText, "{}"), 1002},
      {"an opcode that is none", frame(kEnd | 3, "{}"), 1002},
      {"a control opcode that is none", frame(kEnd | 11, ""), 1002},
      {"a ping of 126 bytes", frame(kEnd | kPing, std::string(126, 'x')), 1002},
      {"a ping in parts", frame(kPing, "x"), 1002},
      {"a part of nothing", frame(kEnd, "x"), 1002},
      {"a message within a message", frame(kText, "x") + frame(kEnd | kText, "y"), 1002},
      {"a close of one byte", frame(kEnd | kClose, "x"), 1002},
      {"a close with a code that is none", frame(kEnd | kClose, std::string("\x03\xed", 2)), 1002},
      {"bytes that are no UTF-8", frame(kEnd | kText, "\xff\xfe"), 1007},
      {"a letter that never ends", frame(kEnd | kText, "\xe2\x82"), 1007},
      {"terabytes", huge + std::string(4, '\0'), 1009},
      {"parts without an end", endless, 1009},
  };
  for (const auto& one : all) {
    RawSocket client(served.port());
    ASSERT_NE(client.answer.find(" 101 "), std::string::npos) << client.answer;
    client.say(one.bytes);
    EXPECT_EQ(client.closed_with(), one.code) << one.name;
  }
  EXPECT_TRUE(test::soon([&] { return served->viewers() == 0; }));
}

TEST(FaultF24, NoCompressionIsAgreedOn) {
  test::ServedViewers served;
  RawSocket client(served.port(), "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
  ASSERT_NE(client.answer.find(" 101 "), std::string::npos) << client.answer;
  EXPECT_EQ(client.answer.find("deflate"), std::string::npos) << "so that no message can be a bomb";
}

TEST(FaultF24, AFloodOfPingsIsAnsweredAndHindersNobody) {
  test::ServedViewers served;
  RawSocket flooding(served.port()), other(served.port());
  std::string flood;
  for (int k = 0; k < 2000; ++k) flood += frame(kEnd | kPing, std::to_string(k));
  flooding.say(flood);
  other.say(frame(kEnd | kPing, "me too"));
  std::optional<RawSocket::Frame> heard;
  while ((heard = other.hear()) && heard->opcode != 10) {
  }
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->body, "me too");
  // pongs may answer the newest of several pings (RFC 6455, section 5.5.3)
  std::string last;
  while (last != "1999" && (heard = flooding.hear()))
    if (heard->opcode == 10) last = heard->body;
  EXPECT_EQ(last, "1999");
}

}  // namespace
}  // namespace panto::bridge
