#include "panto/live/web_request.hpp"

#include <algorithm>

namespace panto::live {
namespace {

WebRequest refused(int status) {
  WebRequest request;
  request.status = status;
  return request;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return small(x) == small(y); });
}

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_own_host(std::string_view host, std::uint16_t port) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"})
    if (same_word(host, std::string(name) + ":" + std::to_string(port)) ||
        (port == 80 && same_word(host, name)))
      return true;
  return false;
}

bool may_ask(std::string_view origin, std::uint16_t port, const std::vector<std::string>& origins) {
  constexpr std::string_view kScheme = "http://";
  if (std::any_of(origins.begin(), origins.end(), [&](const auto& one) { return same_word(one, origin); }))
    return true;
  return origin.starts_with(kScheme) && is_own_host(origin.substr(kScheme.size()), port);
}

// the first line: METHOD /path HTTP/1.x
WebRequest read_first(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
    return refused(400);
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1);
  const bool plain = std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!plain || !target.starts_with('/')) return refused(400);
  WebRequest request;
  request.path = target.substr(0, target.find_first_of("?#"));
  request.head_only = method == "HEAD";
  if (method != "GET" && method != "HEAD") request.status = 405;
  return request;
}

// returns the status that a header gives the request; stores in it what else the header says
int judge_header(std::string_view line, std::uint16_t port, const std::vector<std::string>& origins,
                 int& hosts, WebRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t')
    return 400;
  const std::string_view name = line.substr(0, colon), value = without_blanks(line.substr(colon + 1));
  if (same_word(name, "host")) return ++hosts > 1 ? 400 : is_own_host(value, port) ? 200 : 403;
  if (same_word(name, "origin")) return may_ask(value, port, origins) ? 200 : 403;
  if (same_word(name, "upgrade")) request.upgrade = same_word(value, "websocket");
  if (same_word(name, "content-length")) return value == "0" ? 200 : 400;
  return same_word(name, "transfer-encoding") ? 400 : 200;
}

}  // namespace

std::optional<WebRequest> parse_web_request(std::string_view bytes, std::uint16_t port,
                                            const std::vector<std::string>& origins) {
  const std::size_t line_end = bytes.substr(0, kWebLineMost + 2).find("\r\n");
  if (line_end == std::string_view::npos)
    return bytes.size() > kWebLineMost ? std::optional(refused(414)) : std::nullopt;
  const std::size_t end = bytes.substr(0, kWebHeadMost + 4).find("\r\n\r\n");
  if (end == std::string_view::npos)
    return bytes.size() > kWebHeadMost ? std::optional(refused(431)) : std::nullopt;
  WebRequest request = read_first(bytes.substr(0, line_end));
  if (request.status == 400) return request;
  int hosts = 0;
  std::string_view rest =
      end > line_end ? bytes.substr(line_end + 2, end - line_end - 2) : std::string_view();
  while (!rest.empty()) {
    const std::size_t next = rest.find("\r\n");
    const int status = judge_header(rest.substr(0, next), port, origins, hosts, request);
    // who asks counts more than what for
    if (status == 400) return refused(400);
    if (status == 403) request.status = 403;
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 2);
  }
  if (hosts == 0) request.status = 403;
  return request;
}

}  // namespace panto::live
