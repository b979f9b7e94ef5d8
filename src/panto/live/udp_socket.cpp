#include "panto/live/udp_socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::live {
namespace {

static_assert(sizeof(sockaddr_storage) <= sizeof(UdpPeer::bytes));

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string text_of(const UdpAddress& address) {
  const bool six = address.host.find(':') != std::string::npos;
  return "udp://" + (six ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Found look_up(const UdpAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (code != 0)
    throw Error(text_of(address) + ": unknown host '" + address.host + "' (" + gai_strerror(code) + ")");
  return {found, &freeaddrinfo};
}

// returns -1 with the reason in errno when `attach` (connect or bind) fails
int open_with(const addrinfo& at, int (*attach)(int, const sockaddr*, socklen_t)) noexcept {
  const int handle = socket(at.ai_family, at.ai_socktype, at.ai_protocol);
  if (handle < 0) return -1;
  (void)fcntl(handle, F_SETFD, FD_CLOEXEC);
  const bool ready = fcntl(handle, F_SETFL, fcntl(handle, F_GETFL) | O_NONBLOCK) == 0;
  if (ready && attach(handle, at.ai_addr, at.ai_addrlen) == 0) return handle;
  const int why = errno;
  (void)close(handle);
  errno = why;
  return -1;
}

int open_any(const UdpAddress& address, int (*attach)(int, const sockaddr*, socklen_t), const char* what) {
  const Found found = look_up(address);
  int why = EADDRNOTAVAIL;
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    const int handle = open_with(*at, attach);
    if (handle >= 0) return handle;
    why = errno;
  }
  throw Error(text_of(address) + ": cannot " + what + ": " + std::strerror(why));
}

// the number of a host as IPv6 writes it, with IPv4 mapped into it
std::optional<in6_addr> number_of(const UdpPeer& peer) noexcept {
  const auto* any = reinterpret_cast<const sockaddr*>(peer.bytes);
  if (peer.size >= sizeof(sockaddr_in6) && any->sa_family == AF_INET6)
    return reinterpret_cast<const sockaddr_in6*>(peer.bytes)->sin6_addr;
  if (peer.size < sizeof(sockaddr_in) || any->sa_family != AF_INET) return std::nullopt;
  in6_addr mapped{};
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  std::memcpy(mapped.s6_addr + 12, &reinterpret_cast<const sockaddr_in*>(peer.bytes)->sin_addr, 4);
  return mapped;
}

}  // namespace

std::vector<UdpPeer> addresses_of(const std::string& host) {
  std::vector<UdpPeer> peers;
  const Found found = look_up({host, 0});
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    UdpPeer& peer = peers.emplace_back();
    std::memcpy(peer.bytes, at->ai_addr, at->ai_addrlen);
    peer.size = at->ai_addrlen;
  }
  return peers;
}

bool same_host(const UdpPeer& one, const UdpPeer& other) noexcept {
  const auto a = number_of(one), b = number_of(other);
  return a && b && std::memcmp(&*a, &*b, sizeof *a) == 0;
}

bool operator==(const UdpPeer& a, const UdpPeer& b) noexcept {
  return a.size == b.size && std::equal(a.bytes, a.bytes + a.size, b.bytes);
}

UdpSocket UdpSocket::connected_to(const UdpAddress& address) {
  return UdpSocket(open_any(address, &connect, "send to this address"));
}

UdpSocket UdpSocket::bound_to(const UdpAddress& address) {
  return UdpSocket(open_any(address, &bind, "listen at this address"));
}

UdpSocket::UdpSocket(UdpSocket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), unreceived_(other.unreceived_) {}

UdpSocket& UdpSocket::operator=(UdpSocket&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(unreceived_, other.unreceived_);
  return *this;
}

UdpSocket::~UdpSocket() {
  if (handle_ >= 0) (void)close(handle_);
}

bool UdpSocket::send(std::span<const std::byte> datagram) noexcept {
  const ssize_t sent = ::send(handle_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(datagram.size());
}

bool UdpSocket::send_to(const UdpPeer& peer, std::span<const std::byte> datagram) noexcept {
  const ssize_t sent = sendto(handle_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(peer.bytes), peer.size);
  return sent == static_cast<ssize_t>(datagram.size());
}

std::optional<std::size_t> UdpSocket::receive(std::span<std::byte> space, UdpPeer* peer) noexcept {
  iovec piece{space.data(), space.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (peer != nullptr) {
    message.msg_name = peer->bytes;
    message.msg_namelen = sizeof(peer->bytes);
  }
  for (;;) {
    const ssize_t size = recvmsg(handle_, &message, MSG_DONTWAIT);
    if (size >= 0) {
      if (peer != nullptr) peer->size = message.msg_namelen;
      return static_cast<std::size_t>(size);
    }
    // the system reports here, once, that an earlier datagram found no receiver; read on
    if (errno == ECONNREFUSED)
      ++unreceived_;
    else if (errno != EINTR)
      return std::nullopt;
  }
}

bool UdpSocket::wait(int milliseconds) noexcept {
  pollfd waiting{handle_, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

std::uint16_t UdpSocket::port() const noexcept {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(handle_, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

}  // namespace panto::live
