#include "panto/io/text_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

namespace panto::io {
namespace {

constexpr std::size_t kBlock = 1U << 16U;
constexpr std::uint64_t kPerSecond = 1'000'000'000;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// [-]digits[.digits], at most 9 of each: as `append_seconds` writes
std::optional<Time> parse_plain_seconds(std::string_view token) noexcept {
  const bool negative = token.starts_with('-');
  if (negative) token.remove_prefix(1);
  const std::size_t point = std::min(token.find('.'), token.size());
  const std::size_t decimals = token.size() - std::min(token.size(), point + 1);
  if (point == 0 || point > 9 || decimals > 9) return std::nullopt;
  Time ns = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (i == point) continue;
    if (!is_digit(token[i])) return std::nullopt;
    ns = ns * 10 + (token[i] - '0');
  }
  for (std::size_t i = decimals; i < 9; ++i) ns *= 10;
  return negative ? -ns : ns;
}

constexpr std::string_view kBinary = "this is a binary file; expected a table of numbers in plain text";

// Text has no NUL; other control characters show that carriage returns are not ends of lines.
bool is_binary(std::string_view line, bool returns) {
  if (line.find('\0') != std::string_view::npos) return true;
  return returns && std::any_of(line.begin(), line.end(), [](unsigned char c) {
           return c < '\t' || (c > '\r' && c < ' ' && c != '\x1B');
         });
}

}  // namespace

LineReader::LineReader(std::istream& stream, const std::string& name) : path_(name), stream_(&stream) {}

LineReader::LineReader(const std::string& path)
    : path_(path), file_(std::make_unique<std::ifstream>(path, std::ios::binary)), stream_(file_.get()) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw FormatError(path + ":0: this is a folder, not a file");
  if (!*file_) throw FormatError(path + ":0: cannot be opened for reading");
}

bool LineReader::next(std::string_view& line) {
  line_.clear();
  bool ended = false;
  while (!ended) {
    if (used_ == buffer_.size()) {
      buffer_.resize(kBlock);
      stream_->read(buffer_.data(), static_cast<std::streamsize>(kBlock));
      buffer_.resize(static_cast<std::size_t>(stream_->gcount()));
      used_ = 0;
      if (stream_->bad()) throw error("reading failed");
      if (buffer_.empty()) break;
    }
    const std::size_t end = buffer_.find('\n', used_);
    ended = end != std::string::npos;
    line_.append(buffer_, used_, (ended ? end : buffer_.size()) - used_);
    used_ = ended ? end + 1 : buffer_.size();
    if (line_.size() > kLongestLine) {
      ++number_;
      if (number_ == 1 && is_binary(line_, false)) throw error(kBinary);
      throw error("this line is longer than 4 MiB; expected a table of numbers");
    }
  }
  if (line_.empty() && !ended) return false;
  terminated_ = ended;
  ++number_;
  line = line_;
  if (number_ == 1) {
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
      throw error("this is UTF-16 text; save it as UTF-8 or plain ASCII");
    const bool returns = line.substr(0, line.size() - 1).find('\r') != std::string_view::npos;
    if (is_binary(line, returns)) throw error(kBinary);
    if (returns) throw error("the lines end with carriage returns only; save it with LF or CRLF line ends");
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

FormatError LineReader::error(std::string_view problem) const {
  return FormatError(path_ + ":" + std::to_string(std::max(1L, number_)) + ": " + std::string(problem));
}

std::string comma_hint(std::string_view cell) {
  return cell.find(',') == std::string_view::npos ? "" : "; numbers need a decimal point, not a comma";
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_cells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    const std::size_t end = line.find(separator);
    more = end != std::string_view::npos;
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (more) line.remove_prefix(end + 1);
  }
  return cells;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20U) {
          out += "&#" + std::to_string(static_cast<int>(c)) + ";";
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string in_quotes(std::string_view piece) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : piece.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return text + (piece.size() > longest ? "...'" : "'");
}

std::optional<double> parse_number(std::string_view token) noexcept {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  double value = 0.0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // too large or too small for a double: the sign of the exponent decides
    const std::size_t exponent = token.find_first_of("eE");
    const bool tiny =
        (exponent != std::string_view::npos && token.find('-', exponent) != std::string_view::npos) ||
        (exponent == std::string_view::npos && token.find_first_not_of("-0.") > 300);
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return token.starts_with('-') ? -value : value;
  }
  return value;
}

std::optional<Time> parse_seconds(std::string_view token) noexcept {
  if (const auto exact = parse_plain_seconds(token)) return exact;
  const auto seconds = parse_number(token);
  if (!seconds || !(std::abs(*seconds) < 9.2e9)) return std::nullopt;
  return from_seconds(*seconds);
}

void append_number(double value, std::string& text) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value + 0.0);
  text.append(digits.data(), result.ptr);
}

void append_seconds(Time t, std::string& text) {
  // uses the unsigned magnitude: the most negative stamp has no positive counterpart
  const std::uint64_t ns = t < 0 ? 0U - static_cast<std::uint64_t>(t) : static_cast<std::uint64_t>(t);
  if (t < 0) text += '-';
  std::array<char, 24> digits;
  auto result = std::to_chars(digits.data(), digits.data() + digits.size(), ns / kPerSecond);
  text.append(digits.data(), result.ptr);
  std::uint64_t rest = ns % kPerSecond;
  if (rest == 0) return;
  int decimals = 9;
  for (; rest % 10 == 0; rest /= 10) --decimals;
  result = std::to_chars(digits.data(), digits.data() + digits.size(), rest);
  const auto count = static_cast<int>(result.ptr - digits.data());
  text += '.';
  text.append(static_cast<std::size_t>(decimals - count), '0');
  text.append(digits.data(), result.ptr);
}

}  // namespace panto::io
