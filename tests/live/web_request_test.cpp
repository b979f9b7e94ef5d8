#include "panto/live/web_request.hpp"

#include <gtest/gtest.h>

#include <random>

namespace panto::live {
namespace {

constexpr std::uint16_t kPort = 8123;
const WebNames kNames = names_of_this_computer(kPort);

std::string get(const std::string& path, const std::string& host = "127.0.0.1:8123",
                const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n";
}

int status_of(const std::string& bytes, std::uint16_t port = kPort) {
  const auto request = parse_web_request(bytes, names_of_this_computer(port));
  return request ? request->status : 0;
}

TEST(WebRequest, OfABrowserHereIsTaken) {
  const auto request =
      parse_web_request(get("/1?time=3", "localhost:8123", "Origin: http://localhost:8123\r\n"), kNames);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->status, 200);
  EXPECT_EQ(request->path, "/1");
  EXPECT_FALSE(request->head_only);
  EXPECT_EQ(status_of(get("/", "[::1]:8123")), 200);
  EXPECT_EQ(status_of(get("/", "LOCALHOST:8123")), 200);
  EXPECT_EQ(status_of(get("/", "localhost"), 80), 200);
  EXPECT_TRUE(parse_web_request("HEAD / HTTP/1.1\r\nHost: localhost:8123\r\n\r\n", kNames)->head_only);
}

TEST(WebRequest, IsWaitedForUntilItsHeadEnds) {
  const std::string whole = get("/");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_web_request(whole.substr(0, size), kNames)) << size;
}

TEST(WebRequest, FromElsewhereIsForbiddenWhateverItAsksFor) {
  for (const char* host : {"evil.example:8123", "127.0.0.1:80", "127.0.0.1", "localhost.evil.example:8123",
                           "127.0.0.1:8123@evil.example", "0.0.0.0:8123", "192.168.0.2:8123", ""})
    for (const char* path : {"/", "/1", "/nothing"})
      EXPECT_EQ(status_of(get(path, host)), 403) << host << path;
  for (const char* origin :
       {"http://evil.example", "null", "https://localhost:8123", "http://localhost:81"}) {
    const std::string header = "Origin: " + std::string(origin) + "\r\n";
    EXPECT_EQ(status_of(get("/", "localhost:8123", header)), 403) << origin;
    EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: localhost:8123\r\n" + header + "Content-Length: 0\r\n\r\n"),
              403)
        << origin;
  }
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 403) << "without a Host";
}

TEST(WebRequest, ThatIsNoneIsRefused) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: localhost:8123\r\nContent-Length: 0\r\n\r\n"), 405);
  EXPECT_EQ(status_of("DELETE / HTTP/1.1\r\nHost: localhost:8123\r\n\r\n"), 405);
  for (const char* bytes :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / FTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: localhost:8123\r\n\r\n",
        "GET /\x01 HTTP/1.1\r\nHost: localhost:8123\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:8123\r\nHost: localhost:8123\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: localhost:8123\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:8123\r\nContent-Length: 5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: localhost:8123\r\nTransfer-Encoding: chunked\r\n\r\n"})
    EXPECT_EQ(status_of(bytes), 400) << bytes;
}

TEST(WebRequest, ThatIsTooLongIsRefusedBeforeItEnds) {
  EXPECT_EQ(status_of("GET /" + std::string(kWebLineMost + 10, 'a')), 414);
  std::string head = "GET / HTTP/1.1\r\nHost: localhost:8123\r\n";
  while (head.size() <= kWebHeadMost) head += "X-Filler: " + std::string(100, 'a') + "\r\n";
  EXPECT_EQ(status_of(head), 431);
}

TEST(WebRequest, ThatWasDamagedIsTakenOnlyWithThisHost) {
  std::mt19937 random(5);
  const std::string alphabet = "GET /HTPOSD.1:hlocatbn8231\r\n \t\x01\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = i % 2 == 0 ? get("/") : std::string();
    const std::size_t changes = 1 + random() % 40;
    for (std::size_t k = 0; k < changes; ++k) {
      const char c = alphabet[random() % alphabet.size()];
      if (bytes.empty() || random() % 3 == 0)
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() + 1)), c);
      else
        bytes[random() % bytes.size()] = c;
    }
    const auto request = parse_web_request(bytes, kNames);
    if (!request || request->status != 200) continue;
    // what is taken names this computer
    EXPECT_TRUE(bytes.find(":8123") != std::string::npos) << bytes;
    EXPECT_EQ(request->path.front(), '/');
  }
}

}  // namespace
}  // namespace panto::live
