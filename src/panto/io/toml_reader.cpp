#include "panto/io/toml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

// "nested too deep (TOML_MAX_NESTED_VALUES)": drops names of the library's macros
std::string_view without_library_names(std::string_view text) { return text.substr(0, text.find(" (TOML_")); }

constexpr int kMostDots = 32;

// Keys with dots are nested tables, which the library parses recursively without a bound. Returns the line of
// the first that is too deep; 0: none. Our files have no such keys; texts with as many dots have commas.
unsigned line_of_deep_key(std::string_view text) {
  unsigned line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view words = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = words.find_first_not_of(" \t");
    // with quotes the line may belong to a longer text instead of a comment
    if (first != words.npos && words[first] == '#' && words.find_first_of("\"'") == words.npos) continue;
    int dots = 0;
    for (const char c : words) {
      if (std::string_view(",=[]{}").find(c) != std::string_view::npos) dots = 0;
      if (c == '.' && ++dots > kMostDots) return line;
    }
  }
  return 0;
}

// TOML allows characters beyond ASCII only in strings and comments. Elsewhere, and after a line end in
// multi-line strings, the library's search for blanks reaches code marked unreachable. Follows the text as
// the library does, up to its first error, and returns the line of the first such character; 0: none.
class StrayCharacters {
 public:
  explicit StrayCharacters(std::string_view text) : text_(text) {}

  unsigned line() {
    for (i_ = text_.starts_with("\xef\xbb\xbf") ? 3 : 0; i_ < text_.size(); ++i_) {
      if (text_[i_] == '\n') {
        ++line_;
        if (!several_lines_) quote_ = 0;
      } else if (quote_ == 0 ? outside() : inside()) {
        return line_;
      }
    }
    return 0;
  }

 private:
  [[nodiscard]] bool three(char quote) const { return text_.substr(i_, 3) == std::string(3, quote); }
  [[nodiscard]] bool beyond_ascii() const { return static_cast<unsigned char>(text_[i_]) >= 0x80; }

  // returns true when the character is not allowed
  bool outside() {
    const char c = text_[i_];
    if (c != '"' && c != '\'' && c != '#') return beyond_ascii();
    quote_ = c;
    several_lines_ = c != '#' && three(c);
    if (several_lines_) i_ += 2;
    return false;
  }

  bool inside() {
    const char c = text_[i_];
    if (c == '\\' && quote_ == '"') {
      if (i_ + 1 < text_.size() && text_[i_ + 1] != '\n') ++i_;
    } else if (c == quote_ && c != '#' && (!several_lines_ || three(c))) {
      if (several_lines_) i_ += 2;
      quote_ = 0;
      several_lines_ = false;
    }
    return several_lines_ && beyond_ascii();
  }

  std::string_view text_;
  std::size_t i_ = 0;
  unsigned line_ = 1;
  char quote_ = 0;  // opening quote of the string, '#' in a comment, 0 outside
  bool several_lines_ = false;
};

}  // namespace

toml::table TomlReader::parse(std::string_view text) const {
  if (const unsigned line = StrayCharacters(text).line(); line > 0)
    throw FormatError(
        fmt::format("{}:{}: not TOML: characters beyond ASCII belong in quotes on one line, or in a comment",
                    name_, line));
  if (const unsigned line = line_of_deep_key(text); line > 0)
    throw FormatError(fmt::format("{}:{}: a key has more than {} parts", name_, line, kMostDots));
  try {
    return toml::parse(text, name_);
  } catch (const toml::parse_error& error) {
    fail(error.source(), "not TOML: " + toml_comment(without_library_names(error.description())));
  }
}

void TomlReader::fail(const toml::source_region& place, const std::string& message) const {
  throw FormatError(fmt::format("{}:{}: {}", name_, std::max<unsigned>(place.begin.line, 1), message));
}

void TomlReader::fail(const toml::node& node, const std::string& message) const {
  fail(node.source(), message);
}

void TomlReader::check_keys(const toml::table& table, const std::vector<std::string>& known,
                            const std::string& owner) const {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      fail(key.source(), unknown_name("key", key.str(), owner, known));
  }
}

const toml::node& TomlReader::needed(const toml::table& table, const std::string& key,
                                     const std::string& owner) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(table, owner + " has no `" + key + "`");
  return *node;
}

// not by the library's conversion to a whole number, which takes true, and is undefined beyond the range
void TomlReader::check_version(const toml::node& version) const {
  if (!version.is_integer() || version.as_integer()->get() != 1) fail(version, "`version` must be 1");
}

const toml::table& TomlReader::table(const toml::node& node, const std::string& key) const {
  if (!node.is_table()) fail(node, "`" + key + "` must be a table");
  return *node.as_table();
}

const toml::array& TomlReader::array(const toml::node& node, const std::string& key) const {
  if (!node.is_array()) fail(node, "`" + key + "` must be a list in [ ]");
  return *node.as_array();
}

std::vector<LinkCapsule> TomlReader::capsules(const toml::node& node, const std::string& key) const {
  constexpr double kLargest = 1e4;  // [m]
  std::vector<LinkCapsule> capsules;
  for (const toml::node& one : array(node, key)) {
    const Eigen::Matrix<double, 7, 1> seven = vector<7>(one, key, kLargest);
    if (!(seven[6] > 0.0)) fail(one, key + ": the radius, the last of the seven numbers, must be > 0");
    capsules.push_back({seven.head<3>(), seven.segment<3>(3), seven[6]});
  }
  return capsules;
}

const toml::array& TomlReader::array_of(const toml::node& node, const std::string& key, int count) const {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() != at(count))
    fail(node, fmt::format("`{}` must be {} numbers in [ ]", key, count));
  return *array;
}

std::string TomlReader::text(const toml::node& node, const std::string& key) const {
  if (!node.is_string()) fail(node, "`" + key + "` must be a text in quotes");
  return node.as_string()->get();
}

double TomlReader::number(const toml::node& node, const std::string& key, double lower, double upper) const {
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !(*value >= lower && *value <= upper))
    fail(node, fmt::format("`{}` must be a number from {:g} to {:g}", key, lower, upper));
  return *value;
}

bool TomlReader::yes_or_no(const toml::node& node, const std::string& key) const {
  if (!node.is_boolean()) fail(node, "`" + key + "` must be true or false");
  return node.as_boolean()->get();
}

Eigen::Matrix3d TomlReader::rotation(const toml::node& node, const std::string& key) const {
  constexpr double rounding = 1e-3;  // of numbers that people type
  const Eigen::Vector4d wxyz = vector<4>(node, key, 1.0 + rounding);
  if (!(std::abs(wxyz.norm() - 1.0) <= rounding))
    fail(node,
         fmt::format("`{}` must be a unit quaternion, [w, x, y, z]; its norm is {:.4g}", key, wxyz.norm()));
  return so3::from_quaternion_wxyz(wxyz.normalized());
}

}  // namespace panto::io
