#include "panto/live/wish.hpp"

namespace panto::live {
namespace {

constexpr const char* kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Wish parse_wish(std::string_view line) {
  using enum Wish::Kind;
  const std::string_view all = trimmed(line);
  const auto end = all.find_first_of(kSpace);
  const std::string_view word = all.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? std::string_view() : trimmed(all.substr(end));
  if (word == "m" || word == "mark") return {Mark, std::string(rest)};
  if (word == "c" || word == "calibrate") return {Calibrate, std::string(rest)};
  if (!rest.empty()) return {Disarm, std::string(all)};
  if (word == "a" || word == "arm") return {Arm};
  if (word == "r" || word == "realign") return {Align};
  if (word == "w" || word == "write") return {Record};
  return {Disarm, std::string(all)};
}

}  // namespace panto::live
