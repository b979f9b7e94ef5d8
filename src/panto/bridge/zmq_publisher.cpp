#include "panto/bridge/zmq_publisher.hpp"

#ifdef PANTO_ZMQ
#include <zmq.h>
#endif

#include "panto/base/error.hpp"

namespace panto::bridge {

#ifdef PANTO_ZMQ

namespace {

constexpr int kBacklog = 10;  // messages that wait for a slow subscriber

}  // namespace

struct ZmqPublisher::Impl {
  void* context = zmq_ctx_new();
  void* socket = context != nullptr ? zmq_socket(context, ZMQ_PUB) : nullptr;
  ~Impl() {
    if (socket != nullptr) zmq_close(socket);
    if (context != nullptr) zmq_ctx_term(context);
  }
};

ZmqPublisher::ZmqPublisher(const live::UdpAddress& at) : impl_(std::make_unique<Impl>()) {
  const bool v6 = at.host.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + at.host + "]" : at.host == "localhost" ? "127.0.0.1" : at.host;
  const std::string place = "tcp://" + host + ":" + (at.port != 0 ? std::to_string(at.port) : "*");
  const int none = 0, one = 1;
  void* socket = impl_->socket;
  if (socket == nullptr)
    throw Error(std::string("cannot open a ZeroMQ socket: ") + zmq_strerror(zmq_errno()));
  zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
  zmq_setsockopt(socket, ZMQ_SNDHWM, &kBacklog, sizeof kBacklog);
  if (v6) zmq_setsockopt(socket, ZMQ_IPV6, &one, sizeof one);
  if (zmq_bind(socket, place.c_str()) != 0)
    throw Error("cannot publish at " + place + ": " + zmq_strerror(zmq_errno()) +
                "; the address must be one of this computer, and no other program may use the port");
  char bound[256];
  std::size_t size = sizeof bound;
  zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size);
  const std::string end(bound);
  port_ = static_cast<std::uint16_t>(std::stoi(end.substr(end.rfind(':') + 1)));
}

bool ZmqPublisher::send(std::span<const std::byte> message) noexcept {
  return zmq_send(impl_->socket, message.data(), message.size(), ZMQ_DONTWAIT) >= 0;
}

#else

struct ZmqPublisher::Impl {};

ZmqPublisher::ZmqPublisher(const live::UdpAddress& /*at*/) {
  throw ConfigError(
      "this Panto was built without ZeroMQ. Install it (Debian, Ubuntu: apt-get install libzmq3-dev) and "
      "build again");
}

bool ZmqPublisher::send(std::span<const std::byte> /*message*/) noexcept { return false; }

#endif

ZmqPublisher::~ZmqPublisher() = default;

}  // namespace panto::bridge
