#pragma once
// Reads the head of an HTTP request and refuses what a page of this computer would not send.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::live {

inline constexpr std::size_t kWebLineMost = 8192;   ///< bytes of a request's first line
inline constexpr std::size_t kWebHeadMost = 32768;  ///< bytes of a request's head

/// A request for a page, or why there is none.
struct WebRequest {
  int status = 200;        ///< 200, or the status to refuse it with
  std::string path;        ///< as sent, without what follows "?"; begins with "/"
  std::string query;       ///< what follows "?"
  bool head_only = false;  ///< HEAD: an answer without its body
  bool upgrade = false;    ///< asks to continue as a WebSocket
  bool outside = false;    ///< came by the second listener of a `WebServer`
};

/// Names under which a server may be asked for, as "localhost:8123", and origins whose pages may ask, as
/// "http://localhost:8123". Capitals do not matter.
struct WebNames {
  std::vector<std::string> hosts, origins;
};

/// Returns the names localhost, 127.0.0.1 and [::1] with a port, their pages' origins, and further `origins`.
[[nodiscard]] WebNames names_of_this_computer(std::uint16_t port,
                                              const std::vector<std::string>& origins = {});

/// Reads the head of a request from the bytes that came so far; nothing while its end is missing. Refuses:
/// 400 what is no request, names Host twice or announces a body; 403 a Host that is none of `names` (a page
/// elsewhere whose name was made to mean this computer), and an Origin that is none of them; 405 other
/// methods than GET and HEAD; 414 and 431 longer lines and heads.
[[nodiscard]] std::optional<WebRequest> parse_web_request(std::string_view bytes, const WebNames& names);

}  // namespace panto::live
