#include "panto/bridge/tls_front.hpp"

#include "panto/base/error.hpp"

#ifdef PANTO_TLS
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <map>
#include <thread>
#include <utility>
#endif

namespace panto::bridge {

#ifndef PANTO_TLS

struct TlsFront::Impl {};
TlsFront::TlsFront(const live::UdpAddress&, const std::string&, std::uint16_t) {
  throw Error("this program was built without OpenSSL (Debian: libssl-dev), so it serves no page by HTTPS");
}
TlsFront::~TlsFront() = default;
std::uint16_t TlsFront::port() const noexcept { return 0; }

#else

namespace tls {  // with a name: `Impl` holds its types

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Problem = beast::error_code;

constexpr int kMost = 24, kMostOfOne = 12;
constexpr std::chrono::seconds kHandshake{5}, kSilence{60};
constexpr unsigned char kFirstByte = 0x16;  // of every handshake

// How many connections there are, by their address.
struct Open {
  int all = 0;
  std::map<asio::ip::address, int> of;
};

// One connection, both ways. Everything happens on the front's thread.
class Relay : public std::enable_shared_from_this<Relay> {
 public:
  Relay(Tcp::socket socket, const asio::ip::address& from, asio::ssl::context& context, std::uint16_t inner,
        Open& open)
      : outer_(std::move(socket), context),
        inner_(outer_.get_executor()),
        deadline_(outer_.get_executor()),
        from_(from),
        port_(inner),
        open_(&open) {
    ++open_->all;
    ++open_->of[from_];
    Problem ignored;
    (void)raw().set_option(Tcp::no_delay(true), ignored);
  }
  ~Relay() {
    --open_->all;
    if (--open_->of[from_] == 0) open_->of.erase(from_);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void begin() {
    // the stream's own timer does not watch a wait for the first byte
    deadline_.expires_after(kHandshake);
    deadline_.async_wait([weak = weak_from_this()](Problem problem) {
      const auto self = weak.lock();
      if (!problem && self) beast::get_lowest_layer(self->outer_).close();
    });
    raw().async_wait(Tcp::socket::wait_read, [self = shared_from_this()](Problem problem) {
      unsigned char first = 0;
      if (!problem) self->raw().receive(asio::buffer(&first, 1), Tcp::socket::message_peek, problem);
      if (problem) return;
      first == kFirstByte ? self->shake_hands() : self->lead_to_https();
    });
  }

 private:
  using Bytes = std::array<char, 16384>;
  Tcp::socket& raw() { return beast::get_lowest_layer(outer_).socket(); }

  void shake_hands() {
    outer_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](Problem problem) {
      if (problem) return;
      self->deadline_.cancel();
      self->inner_.expires_after(kHandshake);
      self->inner_.async_connect(Tcp::endpoint(asio::ip::address_v4::loopback(), self->port_),
                                 [self](Problem failed) {
                                   if (failed) return;
                                   Problem ignored;
                                   (void)self->inner_.socket().set_option(Tcp::no_delay(true), ignored);
                                   self->pass(self->outer_, self->inner_, self->inwards_, kHandshake);
                                   self->pass(self->inner_, self->outer_, self->outwards_, kSilence);
                                 });
    });
  }

  void lead_to_https() {
    // the page's own script knows the address; without a Host nothing can be led anywhere
    static constexpr std::string_view kAnswer =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        "<!doctype html><title>Panto</title><script>location.protocol = 'https:'</script>"
        "This page needs https:// in its address.\n";
    asio::async_write(raw(), asio::buffer(kAnswer.data(), kAnswer.size()),
                      [self = shared_from_this()](Problem, std::size_t) {
                        Problem ignored;
                        (void)self->raw().shutdown(Tcp::socket::shutdown_send, ignored);
                      });
  }

  template <typename From, typename To>
  void pass(From& from, To& to, Bytes& bytes, std::chrono::seconds patience) {
    beast::get_lowest_layer(from).expires_after(patience);
    from.async_read_some(asio::buffer(bytes),
                         [self = shared_from_this(), &from, &to, &bytes](Problem problem, std::size_t size) {
                           if (problem) return self->end();
                           beast::get_lowest_layer(to).expires_after(kSilence);
                           asio::async_write(to, asio::buffer(bytes.data(), size),
                                             [self, &from, &to, &bytes](Problem failed, std::size_t) {
                                               failed ? self->end() : self->pass(from, to, bytes, kSilence);
                                             });
                         });
  }

  void end() {
    if (std::exchange(ended_, true)) return;
    inner_.close();
    // tells the browser that nothing is missing
    beast::get_lowest_layer(outer_).expires_after(kHandshake);
    outer_.async_shutdown(
        [self = shared_from_this()](Problem) { beast::get_lowest_layer(self->outer_).close(); });
  }

  beast::ssl_stream<beast::tcp_stream> outer_;
  beast::tcp_stream inner_;
  asio::steady_timer deadline_;  // of the handshake
  asio::ip::address from_;
  std::uint16_t port_;
  Open* open_;
  Bytes inwards_{}, outwards_{};
  bool ended_ = false;
};

}  // namespace tls

using namespace tls;

struct TlsFront::Impl {
  Open open;
  asio::io_context io{1};
  asio::ssl::context context{asio::ssl::context::tls_server};
  Tcp::acceptor acceptor{io};
  std::uint16_t port = 0, inner = 0;
  std::thread thread;

  void take(Tcp::socket socket) {
    Problem problem;
    const asio::ip::address from = socket.remote_endpoint(problem).address();
    const auto same = open.of.find(from);
    if (problem || open.all >= kMost || (same != open.of.end() && same->second >= kMostOfOne)) return;
    std::make_shared<Relay>(std::move(socket), from, context, inner, open)->begin();
  }

  void take_next() {
    acceptor.async_accept([this](Problem problem, Tcp::socket socket) {
      if (problem == asio::error::operation_aborted) return;
      if (!problem) take(std::move(socket));
      take_next();
    });
  }
};

TlsFront::TlsFront(const live::UdpAddress& at, const std::string& pem, std::uint16_t inner)
    : impl_(std::make_unique<Impl>()) {
  impl_->inner = inner;
  try {
    impl_->context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    impl_->context.use_private_key(asio::buffer(pem), asio::ssl::context::pem);
    impl_->context.use_certificate_chain(asio::buffer(pem));
    const Tcp::endpoint endpoint =
        *Tcp::resolver(impl_->io).resolve(at.host, std::to_string(at.port)).begin();
    impl_->acceptor.open(endpoint.protocol());
    impl_->acceptor.set_option(Tcp::acceptor::reuse_address(true));
    impl_->acceptor.bind(endpoint);
    impl_->acceptor.listen();
    impl_->port = impl_->acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& problem) {
    throw Error("https://" + at.host + ":" + std::to_string(at.port) +
                ": cannot listen: " + problem.code().message() + "; choose another address or port");
  }
  impl_->take_next();
  impl_->thread = std::thread([this] { impl_->io.run(); });
}

TlsFront::~TlsFront() {
  impl_->io.stop();
  impl_->thread.join();
}

std::uint16_t TlsFront::port() const noexcept { return impl_->port; }

#endif

}  // namespace panto::bridge
