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

bool one_of(std::string_view word, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const auto& one) { return same_word(one, word); });
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
  const std::string_view behind = target.substr(request.path.size());
  if (behind.starts_with('?')) request.query = behind.substr(1, behind.find('#', 1) - 1);
  request.head_only = method == "HEAD";
  if (method != "GET" && method != "HEAD") request.status = 405;
  return request;
}

// returns the status that a header gives the request; stores in it what else the header says
int judge_header(std::string_view line, const WebNames& names, int& hosts, WebRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t')
    return 400;
  const std::string_view name = line.substr(0, colon), value = without_blanks(line.substr(colon + 1));
  if (same_word(name, "host")) return ++hosts > 1 ? 400 : one_of(value, names.hosts) ? 200 : 403;
  if (same_word(name, "origin")) return one_of(value, names.origins) ? 200 : 403;
  if (same_word(name, "upgrade")) request.upgrade = same_word(value, "websocket");
  if (same_word(name, "content-length")) return value == "0" ? 200 : 400;
  return same_word(name, "transfer-encoding") ? 400 : 200;
}

}  // namespace

WebNames names_of_this_computer(std::uint16_t port, const std::vector<std::string>& origins) {
  WebNames names;
  names.origins = origins;
  for (const std::string name : {"localhost", "127.0.0.1", "[::1]"}) {
    names.hosts.push_back(name + ":" + std::to_string(port));
    if (port == 80) names.hosts.push_back(name);  // browsers leave that port out
  }
  for (const std::string& host : names.hosts) names.origins.push_back("http://" + host);
  return names;
}

std::optional<WebRequest> parse_web_request(std::string_view bytes, const WebNames& names) {
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
    const int status = judge_header(rest.substr(0, next), names, hosts, request);
    // who asks counts more than what for
    if (status == 400) return refused(400);
    if (status == 403) request.status = 403;
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 2);
  }
  if (hosts == 0) request.status = 403;
  return request;
}

}  // namespace panto::live
