#include "panto/base/words.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace panto {
namespace {

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_letter(c) && !is_digit(c)) {
      open = false;
      continue;
    }
    const char before = i > 0 ? name[i - 1] : '\0';
    const bool next_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    const bool new_word = is_digit(c) != is_digit(before) || (is_upper(c) && is_lower(before)) ||
                          (is_upper(c) && is_upper(before) && next_lower);
    if (!open || new_word) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    open = true;
  }
  return words;
}

bool mentions(std::string_view name, std::string_view part) {
  return std::search(name.begin(), name.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != name.end();
}

NamedSide side_of_word(std::string_view word) {
  if (is_one_of(word, {"left", "l", "lft"})) return NamedSide::Left;
  if (is_one_of(word, {"right", "r", "rgt", "rt"})) return NamedSide::Right;
  return NamedSide::None;
}

}  // namespace panto
