#include "panto/io/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kQuaternionTolerance = 1e-3;  // rounding by people

// length of the UTF-8 character at `i`, 0 where there is none (RFC 3629)
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned first = byte(i), second = byte(i + 1);
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0U) == 0x80U; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(i + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return !overlong && !surrogate && follows(i + 1) && follows(i + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second > 0x8f;
    return !overlong && !beyond && follows(i + 1) && follows(i + 2) && follows(i + 3) ? 4 : 0;
  }
  return 0;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// "nested too deep (TOML_MAX_NESTED_VALUES)": what only the library's users set is left out
std::string_view without_library_names(std::string_view text) { return text.substr(0, text.find(" (TOML_")); }

}  // namespace

void TomlReader::fail(const toml::source_region& place, const std::string& message) const {
  throw FormatError(fmt::format("{}:{}: {}", name_, std::max<unsigned>(place.begin.line, 1), message));
}

void TomlReader::check_keys(const toml::table& table, const std::vector<std::string>& known,
                            const std::string& owner) const {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      fail(key.source(), unknown_name("key", key.str(), owner, known));
  }
}

const toml::table& TomlReader::table(const toml::node& node, const std::string& key) const {
  if (!node.is_table()) fail(node, "`" + key + "` must be a table");
  return *node.as_table();
}

const toml::node& TomlReader::needed(const toml::table& table, const std::string& key,
                                     const std::string& owner) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(table, owner + " has no `" + key + "`");
  return *node;
}

std::string TomlReader::text(const toml::node& node, const std::string& key) const {
  if (!node.is_string()) fail(node, "`" + key + "` must be a text in quotes");
  return node.as_string()->get();
}

bool TomlReader::yes_or_no(const toml::node& node, const std::string& key) const {
  if (!node.is_boolean()) fail(node, "`" + key + "` must be true or false");
  return node.as_boolean()->get();
}

double TomlReader::number(const toml::node& node, const std::string& key, double lower, double upper) const {
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !(*value >= lower && *value <= upper))
    fail(node, fmt::format("`{}` must be a number from {:g} to {:g}", key, lower, upper));
  return *value;
}

Eigen::VectorXd TomlReader::numbers(const toml::node& node, const std::string& key, int count,
                                    double largest) const {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() != at(count))
    fail(node, fmt::format("`{}` must be {} numbers in [ ]", key, count));
  Eigen::VectorXd numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = number(*array->get(at(i)), key, -largest, largest);
  return numbers;
}

Eigen::Matrix3d TomlReader::rotation(const toml::node& node, const std::string& key) const {
  const Eigen::Vector4d wxyz = numbers(node, key, 4, 1.0 + kQuaternionTolerance);
  if (!(std::abs(wxyz.norm() - 1.0) <= kQuaternionTolerance))
    fail(node,
         fmt::format("`{}` must be a unit quaternion, [w, x, y, z]; its norm is {:.4g}", key, wxyz.norm()));
  return so3::from_quaternion_wxyz(wxyz.normalized());
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw FormatError(fmt::format("{}:{}: not TOML: {}", name,
                                  std::max<unsigned>(error.source().begin.line, 1),
                                  toml_comment(without_library_names(error.description()))));
  }
}

std::optional<std::string> toml_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = utf8_length(text, i);
    if (length == 0) return std::nullopt;
    const char c = text[i];
    if (length == 1 && (c == '"' || c == '\\')) {
      out += std::string("\\") + c;
    } else if (length == 1 && is_control(c)) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += text.substr(i, length);
    }
  }
  return out + "\"";
}

std::string toml_comment(std::string_view text) {
  std::string out;
  for (std::size_t i = 0, length = 0; i < text.size(); i += std::max<std::size_t>(length, 1)) {
    length = utf8_length(text, i);
    if (length == 0 || (length == 1 && is_control(text[i]))) {
      out += '?';
    } else {
      out += text.substr(i, length);
    }
  }
  return out;
}

std::string toml_real(double value) { return fmt::format("{:#}", value); }

std::string toml_numbers(const Eigen::VectorXd& v) {
  std::string out;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    out += fmt::format("{}{:.9f}", i == 0 ? "[" : ", ", std::round(v[i] * 1e9) / 1e9 + 0.0);
  return out + "]";
}

std::string toml_wxyz(const Eigen::Matrix3d& R) { return toml_numbers(so3::to_quaternion_wxyz(R)); }

}  // namespace panto::io
