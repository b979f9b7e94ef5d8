#include "panto/bridge/headset.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "panto/base/error.hpp"
#include "panto/bridge/qr_code.hpp"
#include "panto/live/own_addresses.hpp"
#include "tests/stream/headset_person.hpp"

namespace panto::bridge {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;

// A folder that is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "headset_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

constexpr int kPatience = 5000;  // [ms]

// A view that serves a headset, as `panto live` has it.
struct Served {
  HeadsetSource source{"secret"};
  LiveView view;

  Served() : view(options()) {}
  ViewOptions options() {
    ViewOptions options;
    options.page = "the page";
    options.token = "secret";
    options.outside.hosts = {"192.168.1.5:8012"};
    options.outside.origins = {"https://192.168.1.5:8012"};
    options.headset = [this](int handle, const std::string& head) { source.adopt(handle, head); };
    return options;
  }
  [[nodiscard]] std::uint16_t port() const {
    const std::string address = view.address();
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
};

// A headset's page by another implementation of the client's end: Beast's own.
class Page {
 public:
  explicit Page(std::uint16_t port, const std::string& subprotocol = "panto.webxr.v1") {
    stream_.next_layer().connect({asio::ip::address_v4::loopback(), port});
    stream_.set_option(websocket::stream_base::decorator(
        [=](websocket::request_type& request) { request.set("Sec-WebSocket-Protocol", subprotocol); }));
    stream_.handshake("127.0.0.1:" + std::to_string(port), "/headset", problem_);
  }
  [[nodiscard]] bool open() const { return !problem_; }
  void say(const std::string& text) {
    stream_.text(true);
    stream_.write(asio::buffer(text), problem_);
  }
  void show(stream::WebxrFrame frame, Time t, std::uint32_t number) {
    frame.t = t;
    frame.number = number;
    show(stream::webxr_bytes(frame));
  }
  void show(const std::vector<std::byte>& bytes) {
    stream_.binary(true);
    stream_.write(asio::buffer(bytes), problem_);
  }
  std::string hear() {
    beast::flat_buffer bytes;
    stream_.read(bytes, problem_);
    return problem_ ? "" : beast::buffers_to_string(bytes.data());
  }
  [[nodiscard]] unsigned closed_with() {
    while (!hear().empty()) {
    }
    return stream_.reason().code;
  }

 private:
  asio::io_context io_;
  websocket::stream<Tcp::socket> stream_{io_};
  beast::error_code problem_;
};

// what a plain HTTP request gets
std::string ask(std::uint16_t port, const std::string& path, const std::string& headers) {
  asio::io_context io;
  Tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  asio::write(socket, asio::buffer("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n"));
  std::string answer;
  beast::error_code problem;
  std::array<char, 4096> some{};
  while (const std::size_t got = socket.read_some(asio::buffer(some), problem))
    answer.append(some.data(), got);
  return answer;
}

TEST(AHeadsetsPage, SendsFramesOnceItHasSaidTheToken) {
  Served served;
  Page page(served.port());
  ASSERT_TRUE(page.open());
  page.say(R"({"token":"secret"})");
  EXPECT_EQ(page.hear(), R"({"op":"welcome"})");
  const test::HeadsetPerson person;
  int tapped = 0;
  served.source.tap = [&](auto bytes, auto, Time) { tapped += stream::is_webxr(bytes) ? 1 : 0; };
  page.show(person.body(), 1'000'000'000, 0);
  page.show(person.body(), 1'014'000'000, 1);
  ASSERT_TRUE(served.source.next(kPatience));
  ASSERT_TRUE(served.source.next(kPatience));
  EXPECT_EQ(served.source.decoder().sample().t, 14'000'000);
  EXPECT_EQ(tapped, 2);
  EXPECT_FALSE(served.source.next(1)) << "nothing more came";
}

TEST(AHeadsetsPage, WithoutTheTokenIsClosed) {
  Served served;
  for (const char* said : {R"({"token":"guess"})", R"({"token":7})", "{}", "no json", "[1]"}) {
    Page page(served.port());
    page.say(said);
    EXPECT_EQ(page.closed_with(), websocket::close_code::policy_error) << said;
  }
  Page hasty(served.port());
  hasty.show(stream::webxr_bytes(test::HeadsetPerson().body()));
  EXPECT_EQ(hasty.closed_with(), websocket::close_code::policy_error) << "frames before the token";
  EXPECT_FALSE(served.source.next(1));
  EXPECT_FALSE(Page(served.port(), "chat").open());
}

TEST(AHeadsetsPage, WaitsWhileAnotherOneSends) {
  Served served;
  Page first(served.port());
  first.say(R"({"token":"secret"})");
  ASSERT_FALSE(first.hear().empty());
  Page second(served.port());
  second.say(R"({"token":"secret"})");
  EXPECT_EQ(second.closed_with(), websocket::close_code::try_again_later);
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // the first one is silent
  Page third(served.port());
  third.say(R"({"token":"secret"})");
  EXPECT_FALSE(third.hear().empty()) << "welcome";
  EXPECT_EQ(first.closed_with(), websocket::close_code::try_again_later);
}

TEST(AHeadsetsPage, ThatSendsWhatIsNoFrameIsClosed) {
  Served served;
  Page page(served.port());
  page.say(R"({"token":"secret"})");
  ASSERT_FALSE(page.hear().empty());
  for (int i = 0; i < 33; ++i) page.show(std::vector<std::byte>(40));
  EXPECT_EQ(page.closed_with(), websocket::close_code::policy_error);
  Page large(served.port());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  large.say(R"({"token":"secret"})");
  ASSERT_FALSE(large.hear().empty()) << "the one that was closed holds nothing";
  large.show(std::vector<std::byte>(8192));
  EXPECT_EQ(large.closed_with(), websocket::close_code::too_big);
}

TEST(AHeadsetsPage, ThatSendsTextIsToldSo) {
  Served served;
  Page page(served.port());
  page.say(R"({"token":"secret"})");
  ASSERT_FALSE(page.hear().empty());
  page.say("frame");
  EXPECT_EQ(page.closed_with(), websocket::close_code::policy_error);
}

TEST(AHeadsetsPage, IsToldThatTheRunHasEnded) {
  std::optional<Served> served(std::in_place);
  Page page(served->port());
  page.say(R"({"token":"secret"})");
  ASSERT_FALSE(page.hear().empty());
  std::thread end([&] { served.reset(); });
  EXPECT_EQ(page.closed_with(), websocket::close_code::going_away);
  end.join();
}

// The second listener is for other computers: only the page itself is for everybody.
TEST(AViewFromOutside, NeedsTheTokenForEverythingButThePage) {
  Served served;
  const Model human = human48();
  served.view.begin(human, {"run", "", "{\"run\":1}", {}, false});
  const std::uint16_t outside = served.view.outside_port();
  const std::string host = "Host: 192.168.1.5:8012\r\n";
  EXPECT_TRUE(ask(outside, "/", host).ends_with("the page")) << "it stays: it asks for the run by itself";
  EXPECT_TRUE(ask(outside, "/run.json", host).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(outside, "/run.json?guess", host).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(outside, "/run.json?secret", host).ends_with("{\"run\":1}"));
  const std::string upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n";
  EXPECT_TRUE(ask(outside, "/", host + upgrade).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(outside, "/other", host + upgrade).starts_with("HTTP/1.1 404 "));
}

TEST(AViewFromOutside, KnowsOnlyItsOwnNames) {
  Served served;
  const std::uint16_t outside = served.view.outside_port();
  const std::string inside = "Host: 127.0.0.1:" + std::to_string(served.port()) + "\r\n";
  EXPECT_TRUE(ask(outside, "/", inside).starts_with("HTTP/1.1 403 ")) << "not this computer's own rules";
  EXPECT_TRUE(ask(outside, "/", "Host: evil.example:8012\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(outside, "/", "Host: 192.168.1.5:8012\r\nOrigin: https://evil.example\r\n")
                  .starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(outside, "/", "Host: 192.168.1.5:8012\r\nOrigin: https://192.168.1.5:8012\r\n")
                  .starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(ask(served.port(), "/run.json", inside).starts_with("HTTP/1.1 404 ")) << "before the run";
}

#ifdef PANTO_TLS

TEST(ACertificate, IsMadeOnceAndKeptForThisUserAlone) {
  const Folder folder;
  const std::string path = folder.file("state/panto/headset.pem");
  std::string note;
  const std::string first = kept_certificate(path, {"192.168.1.5", "desk.local"}, note);
  EXPECT_TRUE(is_valid_certificate(first));
  EXPECT_EQ(note, "");
  EXPECT_EQ(kept_certificate(path, {"10.0.0.1"}, note), first) << "the browser has accepted it";
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST(ACertificate, ThatIsDamagedOrOfAnotherKeyIsMadeAnew) {
  const Folder folder;
  const std::string path = folder.file("headset.pem");
  std::string note;
  const std::string one = new_certificate({}), other = new_certificate({});
  const std::string mixed =
      one.substr(0, one.find("-----BEGIN CERT")) + other.substr(other.find("-----BEGIN CERT"));
  for (const std::string& bad :
       {std::string(), std::string("no PEM"), mixed, one.substr(0, one.size() / 2)}) {
    EXPECT_FALSE(is_valid_certificate(bad));
    std::ofstream(path) << bad;
    EXPECT_TRUE(is_valid_certificate(kept_certificate(path, {}, note)));
  }
  EXPECT_EQ(note, "");
}

TEST(ACertificate, HoldsForOneRunWhereItCannotBeKept) {
  std::string note;
  EXPECT_TRUE(is_valid_certificate(kept_certificate("/proc/none/headset.pem", {}, note)));
  EXPECT_NE(note.find("/proc/none/headset.pem"), std::string::npos) << note;
}

TEST(ATlsFront, SaysThatItsPortIsTaken) {
  const std::string pem = new_certificate({});
  const TlsFront first({"127.0.0.1", 0}, pem, 1);
  try {
    const TlsFront second({"127.0.0.1", first.port()}, pem, 1);
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find(std::to_string(first.port())), std::string::npos)
        << problem.what();
  }
}

TEST(ATlsFront, DropsTheSilentAndKeepsRoomForOthers) {
  const TlsFront front({"127.0.0.1", 0}, new_certificate({}), 1);
  asio::io_context io;
  std::vector<Tcp::socket> silent;
  for (int i = 0; i < 24; ++i) {
    silent.emplace_back(io);
    silent.back().connect({asio::ip::address_v4::loopback(), front.port()});
  }
  const auto begun = std::chrono::steady_clock::now();
  std::array<char, 16> some{};
  beast::error_code problem;
  EXPECT_EQ(silent.back().read_some(asio::buffer(some), problem), 0U) << "twelve of one address are enough";
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
  EXPECT_EQ(silent.front().read_some(asio::buffer(some), problem), 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << "5 s, on a busy machine";
  EXPECT_NE(ask(front.port(), "/", "Host: x\r\n").find("https:"), std::string::npos);
}

TEST(ATlsFront, LeadsABrowserFromHttpToHttps) {
  const TlsFront front({"127.0.0.1", 0}, new_certificate({}), 1);
  EXPECT_NE(ask(front.port(), "/", "Host: x\r\n").find("location.protocol = 'https:'"), std::string::npos);
}

#endif

#ifdef PANTO_QR

TEST(AQrCode, HasLinesOfOneWidthAndTheThreeSquares) {
  const std::string code = qr_code("https://192.168.100.100:8012/#0123456789abcdef0123456789abcdef");
  std::istringstream lines(code);
  std::string line;
  std::vector<std::string> all;
  while (std::getline(lines, line)) all.push_back(line);
  ASSERT_GE(all.size(), 17U);
  EXPECT_LE(all.size(), 22U) << "fits a terminal of 24 lines";
  // seven dark modules begin the first line, behind a border of two
  const std::string dark = "\u2588\u2580\u2580\u2580\u2580\u2580\u2588";
  EXPECT_EQ(all[1].find(dark), all[1].find("m") + 3) << all[1];
  EXPECT_EQ(qr_code(std::string(5000, 'x')), "");
}

#endif

TEST(OwnAddresses, AreNotTheLoop) {
  for (const std::string& address : live::own_addresses()) EXPECT_NE(address.substr(0, 4), "127.");
}

}  // namespace
}  // namespace panto::bridge
