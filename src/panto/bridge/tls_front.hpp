#pragma once
// The door for computers of a network: takes connections by TLS and passes their bytes to a port of this
// computer.

#include <cstdint>
#include <memory>
#include <string>

#include "panto/live/robot.hpp"

namespace panto::bridge {

/// At most 24 connections at a time, 12 of one address; each has 5 s for its handshake, 5 s more for its
/// first byte, and ends after 60 s without a byte in one of both directions. A browser that asks by plain
/// HTTP is led to HTTPS.
class TlsFront {
 public:
  /// `at`: where to listen; port 0: a free one. `pem`: private key and certificate. `inner`: port of
  /// 127.0.0.1 that gets the bytes. @throws Error when it cannot listen, or this program has no OpenSSL
  /// inside.
  TlsFront(const live::UdpAddress& at, const std::string& pem, std::uint16_t inner);
  ~TlsFront();
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
