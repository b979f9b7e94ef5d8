#include "panto/io/text_scanner.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/io/text_lines.hpp"

namespace panto::io {
namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

bool is_brace(char c) noexcept { return c == '{' || c == '}'; }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

// Opening a pipe would block, and its head can be read only once.
void check_regular_file(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status))
    throw FormatError(printable_name(path) + ": this is a folder, not a regular file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw FormatError(printable_name(path) + ": not a regular file; save its content to a file first");
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  check_regular_file(path);
  const auto refuse = [&](int error) {
    throw FormatError(printable_name(path) + ": cannot be read: " + std::generic_category().message(error));
  };
  const std::unique_ptr<std::FILE, CloseFile> file{std::fopen(path.c_str(), "rb")};
  if (!file) refuse(errno);
  const auto check = [&](std::size_t size) {
    if (size > max_bytes)
      throw FormatError(path + ": larger than " + std::to_string(max_bytes) + " bytes, the limit");
  };
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) check(size);
  std::string text;
  std::array<char, 65536> block;
  // the size may change while the file is read
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    check(text.size() + got);
    text.append(block.data(), got);
  }
  if (std::ferror(file.get()) != 0) refuse(errno);
  return text;
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code unknown;
  const std::filesystem::path top = std::filesystem::canonical(folder, unknown);
  if (unknown) return false;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, unknown);
  return !unknown && std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first == top.end();
}

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

std::string read_head(const std::string& path) {
  check_regular_file(path);
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file{std::fopen(path.c_str(), "rb")};
  std::array<char, 4096> block;
  const std::size_t got = file ? std::fread(block.data(), 1, block.size(), file.get()) : 0;
  if (!file || std::ferror(file.get()) != 0)
    throw FormatError(printable_name(path) + ": cannot be read: " + std::generic_category().message(errno));
  return {block.data(), got};
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

TextScanner::TextScanner(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  if (text_.substr(0, 3) == "\xef\xbb\xbf") position_ = 3;
  const std::string_view mark = text_.substr(0, 2);
  if (mark == "\xff\xfe" || mark == "\xfe\xff") fail("this is UTF-16 text; save it as UTF-8 or plain ASCII");
}

TextScanner::Place TextScanner::skip_blanks() const noexcept {
  Place place{position_, position_, line_};
  while (place.begin < text_.size() && is_blank(text_[place.begin])) {
    if (text_[place.begin] == '\n') ++place.line;
    ++place.begin;
  }
  place.end = place.begin;
  return place;
}

TextScanner::Place TextScanner::find_next() const noexcept {
  Place place = skip_blanks();
  if (place.end < text_.size() && is_brace(text_[place.end])) {
    ++place.end;
    return place;
  }
  while (place.end < text_.size() && !is_blank(text_[place.end]) && !is_brace(text_[place.end])) ++place.end;
  return place;
}

std::string_view TextScanner::next() noexcept {
  const Place place = find_next();
  position_ = place.end;
  line_ = place.line;
  return text_.substr(place.begin, place.end - place.begin);
}

std::string_view TextScanner::plain_number(double& value) noexcept {
  const Place place = skip_blanks();
  const char* const begin = text_.data() + place.begin;
  const char* const end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop == end || !is_blank(*stop) || !std::isfinite(value)) return {};
  position_ = static_cast<std::size_t>(stop - text_.data());
  line_ = place.line;
  return {begin, static_cast<std::size_t>(stop - begin)};
}

std::string_view TextScanner::peek() noexcept {
  const Place place = find_next();
  return text_.substr(place.begin, place.end - place.begin);
}

std::string_view TextScanner::peek_on_line() noexcept {
  const Place place = find_next();
  return place.line == line_ ? text_.substr(place.begin, place.end - place.begin) : std::string_view{};
}

double TextScanner::number(std::string_view what) {
  const std::string_view token = next();
  if (token.empty()) fail("the text ends where " + std::string(what) + " should be");
  return to_number(token, what);
}

double TextScanner::to_number(std::string_view token, std::string_view what) const {
  const std::optional<double> value = parse_number(token);
  if (value && std::isfinite(*value)) return *value;

  std::string message = std::string(what) + " is " + in_quotes(token);
  if (value || token.find('#') != std::string_view::npos) {
    message += ", not a finite number";
  } else if (token.find(',') != std::string_view::npos) {
    message += ": decimals need a point, as in 1.5, and numbers are separated by blanks, not commas";
  } else {
    message += ", not a number";
  }
  fail(message);
}

long long TextScanner::to_count(std::string_view token, std::string_view what, long long max) const {
  long long value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool whole = end == token.data() + token.size() && !token.empty();
  if (whole && error == std::errc{} && value >= 0 && value <= max) return value;
  const bool too_large = whole && (error == std::errc::result_out_of_range || value > max);
  fail(std::string(what) + " is " + in_quotes(token) +
       (too_large ? "; the limit is " + std::to_string(max) : ", not a whole number from 0"));
}

void TextScanner::fail(const std::string& message) const {
  throw FormatError(name_ + ":" + std::to_string(line_) + ": " + message);
}

}  // namespace panto::io
