#include "panto/api/relative_words.hpp"

#include <algorithm>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::robot {

RelativeTargets parse_relative(const std::string& words, const std::string& option) {
  RelativeTargets relative{false, false};
  if (words == "off") return relative;
  const std::vector<std::string> valid{"hands", "body", "off"};
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    if (word == "off")
      throw ConfigError(std::string(option).append(": use `off` alone, not in '").append(words).append("'"));
    if (word != "hands" && word != "body") throw ConfigError(unknown_name("choice", word, option, valid));
    (word == "hands" ? relative.hands : relative.body) = true;
    begin = end + 1;
  }
  relative.firm = true;
  return relative;
}

}  // namespace panto::robot
