#include "panto/live/web_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::live {
namespace {

// A server on a thread of its own: "/" is a page, "/long" one of 3 MB, "/wrong" fails.
class RunningServer {
 public:
  RunningServer() {
    thread_ = std::thread([this] {
      server_.serve(
          [](const WebRequest& request) -> std::optional<WebPage> {
            const std::string& path = request.path;
            if (path == "/wrong") throw Error("take.bvh:3: no number");
            if (path == "/long") return WebPage{std::string(3'000'000, 'x')};
            if (path == "/") return WebPage{"<p>here</p>"};
            return std::nullopt;
          },
          [this] { return stop_.load(); });
    });
  }
  ~RunningServer() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] std::string host() const { return "Host: 127.0.0.1:" + std::to_string(port()) + "\r\n"; }

 private:
  WebServer server_{0};
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// A connection to this computer that is closed at the end.
class Connection {
 public:
  explicit Connection(std::uint16_t port) : handle_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    EXPECT_EQ(setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    EXPECT_EQ(connect(handle_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  ~Connection() { (void)close(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  void say(const std::string& bytes) const { (void)send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // all that comes until the server closes
  [[nodiscard]] std::string hear() const {
    std::string all;
    std::array<char, 65536> some;
    for (ssize_t got; (got = recv(handle_, some.data(), some.size(), 0)) > 0;)
      all.append(some.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  int handle_;
};

std::string ask(const RunningServer& server, const std::string& path, const std::string& method = "GET") {
  const Connection connection(server.port());
  connection.say(method + " " + path + " HTTP/1.1\r\n" + server.host() + "\r\n");
  return connection.hear();
}

TEST(WebServer, AnswersWithAPageThatMayLoadNothing) {
  const RunningServer server;
  const std::string answer = ask(server, "/");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n<p>here</p>")) << answer;
  for (const char* header :
       {"default-src 'none'", "frame-ancestors 'none'", "nosniff", "same-origin", "no-store"})
    EXPECT_NE(answer.find(header), std::string::npos) << header;
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_TRUE(ask(server, "/", "HEAD").ends_with("\r\n\r\n")) << "no body";
}

TEST(WebServer, SendsLongPagesWhole) {
  const RunningServer server;
  const std::string answer = ask(server, "/long");
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 3'000'000U);
}

TEST(WebServer, SaysWhatIsMissingForbiddenOrWrong) {
  const RunningServer server;
  EXPECT_TRUE(ask(server, "/nothing").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask(server, "/../../etc/passwd").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask(server, "/", "POST").starts_with("HTTP/1.1 405 "));
  const std::string wrong = ask(server, "/wrong");
  EXPECT_TRUE(wrong.starts_with("HTTP/1.1 500 ")) << wrong;
  EXPECT_NE(wrong.find("take.bvh:3: no number"), std::string::npos) << wrong;
  const Connection rebound(server.port());
  rebound.say("GET / HTTP/1.1\r\nHost: evil.example:" + std::to_string(server.port()) + "\r\n\r\n");
  EXPECT_TRUE(rebound.hear().starts_with("HTTP/1.1 403 "));
}

TEST(WebServer, GoesOnWhileManyStallAndOnesThatNeverAskAreDropped) {
  const RunningServer server;
  std::vector<std::unique_ptr<Connection>> stalled;
  for (int i = 0; i < 31; ++i) {
    stalled.push_back(std::make_unique<Connection>(server.port()));
    stalled.back()->say("GET / HT");
  }
  EXPECT_TRUE(ask(server, "/").starts_with("HTTP/1.1 200 ")) << "the 32nd client";
  for (int i = 0; i < 8; ++i) stalled.push_back(std::make_unique<Connection>(server.port()));
  EXPECT_EQ(stalled.front()->hear(), "") << "closed after 5 s";
  EXPECT_TRUE(ask(server, "/").starts_with("HTTP/1.1 200 ")) << "then the next ones are served";
}

TEST(WebServer, NamesAPortThatIsTaken) {
  const WebServer first(0);
  try {
    const WebServer second(first.port());
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find(std::to_string(first.port())), std::string::npos)
        << problem.what();
    EXPECT_NE(std::string(problem.what()).find("another port"), std::string::npos) << problem.what();
  }
}

}  // namespace
}  // namespace panto::live
