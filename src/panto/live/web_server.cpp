#include "panto/live/web_server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/live/web_request.hpp"

namespace panto::live {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kClients = 32;
constexpr std::chrono::seconds kRequestTime{5}, kAnswerTime{30};
constexpr int kAskEvery = 100;  // [ms]
constexpr std::string_view kHeaders =
    "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; connect-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

// A connection: its request as far as it came, its answer as far as it went.
struct Client {
  int handle = -1;
  std::string in, out;
  std::size_t sent = 0;
  Clock::time_point until;
  bool done = false, outside = false;
};

std::string answer_bytes(const WebPage& page, bool head_only) {
  std::string bytes = "HTTP/1.1 " + std::to_string(page.status) + " " + reason_of(page.status) +
                      "\r\nContent-Type: " + page.type +
                      "\r\nContent-Length: " + std::to_string(page.body.size()) + "\r\n" +
                      std::string(kHeaders) + (page.status == 405 ? "Allow: GET, HEAD\r\n\r\n" : "\r\n");
  if (!head_only) bytes += page.body;
  return bytes;
}

WebPage refusal(int status, const std::string& why) {
  return {why + "\n", "text/plain; charset=utf-8", status};
}

std::string answer(const WebRequest& request, const WebServer::Pages& pages) {
  if (request.status != 200)
    return answer_bytes(refusal(request.status, reason_of(request.status)), request.head_only);
  try {
    const std::optional<WebPage> page = pages(request);
    return answer_bytes(page ? *page : refusal(404, "There is no such page here."), request.head_only);
  } catch (const Error& problem) {
    return answer_bytes(refusal(500, problem.what()), request.head_only);
  }
}

// what every client of a server shares
struct Service {
  const WebNames &names, &outside;
  const WebServer::Pages& pages;
  const WebServer::Upgraded& upgraded;
};

void receive(Client& client, const Service& service) {
  std::array<char, 16384> some;
  const ssize_t got = recv(client.handle, some.data(), some.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    client.done = true;
    return;
  }
  if (got < 0) return;
  client.in.append(some.data(), static_cast<std::size_t>(got));
  std::optional<WebRequest> request =
      parse_web_request(client.in, client.outside ? service.outside : service.names);
  if (!request) return;
  request->outside = client.outside;
  if (request->upgrade && request->status == 200) {
    request->status =
        service.upgraded && !request->head_only ? service.upgraded(*request, client.handle, client.in) : 400;
    if (request->status == 0) {
      client.handle = -1;
      client.done = true;
      return;
    }
  }
  client.out = answer(*request, service.pages);
  client.in.clear();
  client.until = Clock::now() + kAnswerTime;
}

void send_some(Client& client) {
  const ssize_t went =
      send(client.handle, client.out.data() + client.sent, client.out.size() - client.sent, MSG_NOSIGNAL);
  if (went < 0) {
    client.done = errno != EAGAIN && errno != EINTR;
    return;
  }
  client.sent += static_cast<std::size_t>(went);
  client.until = Clock::now() + kAnswerTime;
  client.done = client.sent == client.out.size();
}

void hang_up(const Client& client) {
  if (client.handle >= 0) (void)close(client.handle);  // -1: passed on as a WebSocket
}

// Connections that are closed when they go.
class Clients {
 public:
  ~Clients() {
    for (const Client& client : all_) hang_up(client);
  }
  [[nodiscard]] std::vector<Client>& all() noexcept { return all_; }
  [[nodiscard]] bool full() const noexcept { return all_.size() >= kClients; }
  void take(int listening, bool outside) {
    const int handle = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (handle < 0) return;
    Client& client = all_.emplace_back();
    client.handle = handle;
    client.outside = outside;
    client.until = Clock::now() + kRequestTime;
  }
  // `busy`: time that pages took to make, which is nobody's delay
  void drop_finished(Clock::duration busy) {
    const Clock::time_point now = Clock::now();
    for (Client& client : all_) {
      client.until += busy;
      client.done = client.done || now > client.until;
      if (client.done) hang_up(client);
    }
    std::erase_if(all_, [](const Client& client) { return client.done; });
  }

 private:
  std::vector<Client> all_;
};

// Returns a socket that listens at a port of 127.0.0.1, and sets the port.
int listen_here(std::uint16_t& port) {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int again = 1;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (handle < 0 || setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again) != 0 ||
      bind(handle, address, sizeof at) != 0 || listen(handle, 16) != 0 ||
      getsockname(handle, address, &size) != 0) {
    const int why = errno;
    if (handle >= 0) (void)close(handle);
    throw Error("http://127.0.0.1:" + std::to_string(port) + ": cannot listen: " + std::strerror(why) +
                "; choose another port, or 0 for a free one");
  }
  port = ntohs(at.sin_port);
  return handle;
}

}  // namespace

WebServer::WebServer(std::uint16_t port, const std::vector<std::string>& origins)
    : listening_(listen_here(port)), port_(port), names_(names_of_this_computer(port, origins)) {}

WebServer::~WebServer() {
  (void)close(listening_);
  if (listening_outside_ >= 0) (void)close(listening_outside_);
}

std::uint16_t WebServer::listen_for_outside(WebNames names) {
  outside_ = std::move(names);
  std::uint16_t port = 0;
  listening_outside_ = listen_here(port);
  return port;
}

void WebServer::serve(const Pages& pages, const std::function<bool()>& stop, const Upgraded& upgraded) {
  const Service service{names_, outside_, pages, upgraded};
  Clients clients;
  while (!stop()) {
    std::vector<pollfd> waited;
    for (const Client& client : clients.all())
      waited.push_back({client.handle, static_cast<short>(client.out.empty() ? POLLIN : POLLOUT), 0});
    if (!clients.full()) {
      waited.push_back({listening_, POLLIN, 0});
      waited.push_back({listening_outside_, POLLIN, 0});  // poll skips -1
    }
    if (poll(waited.data(), static_cast<nfds_t>(waited.size()), kAskEvery) < 0 && errno != EINTR)
      throw Error(std::string("cannot wait for browsers: ") + std::strerror(errno));
    const Clock::time_point began = Clock::now();
    const std::size_t count = clients.all().size();
    for (std::size_t i = 0; i < count; ++i) {
      if (waited[i].revents == 0) continue;
      Client& client = clients.all()[i];
      client.out.empty() ? receive(client, service) : send_some(client);
    }
    for (std::size_t i = count; i < waited.size(); ++i)
      if (waited[i].revents != 0) clients.take(waited[i].fd, i > count);
    clients.drop_finished(Clock::now() - began);
  }
}

}  // namespace panto::live
