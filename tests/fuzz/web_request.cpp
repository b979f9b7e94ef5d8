// Heads of requests to the web server.

#include "panto/live/web_request.hpp"

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_request(Bytes bytes) {
  static const live::WebNames names = live::names_of_this_computer(8123);
  const std::optional<live::WebRequest> request = live::parse_web_request(text_of(bytes), names);
  if (!request) {
    promise(bytes.size() <= live::kWebHeadMost, "no head is waited for beyond its limit");
    return;
  }
  promise(request->status == 200 || (request->status >= 400 && request->status < 600), "a status");
  if (request->status == 200) promise(request->path.starts_with('/'), "a path begins with a slash");
  promise(request->path.size() + request->query.size() <= live::kWebLineMost, "a path is bounded");
}

Seeds seeds_of_requests() {
  return {
      "GET /1?time=3 HTTP/1.1\r\nHost: localhost:8123\r\nOrigin: http://localhost:8123\r\n\r\n",
      "HEAD / HTTP/1.1\r\nHost: [::1]:8123\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:8123\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"};
}

const Registered request_target("web_request", check_request, seeds_of_requests);

}  // namespace
}  // namespace panto::fuzz
