#include "panto/io/toml_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "panto/base/utf8.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

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

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  // TOML's whole numbers have 64 bits, but doubles are exact only to 2^53
  if (std::abs(value) >= 1e15 && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_numbers(const Eigen::VectorXd& v) {
  std::string out;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    out += fmt::format("{}{:.9f}", i == 0 ? "[" : ", ", std::round(v[i] * 1e9) / 1e9 + 0.0);
  return out + "]";
}

std::string toml_wxyz(const Eigen::Matrix3d& R) { return toml_numbers(so3::to_quaternion_wxyz(R)); }

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

std::string toml_capsules(const std::vector<LinkCapsule>& capsules) {
  std::string out = "[";
  for (const LinkCapsule& capsule : capsules) {
    Eigen::Matrix<double, 7, 1> seven;
    seven << capsule.from, capsule.to, capsule.radius;
    for (Eigen::Index i = 0; i < 7; ++i) {
      if (i == 0) out += out.size() == 1 ? "[" : ", [";
      out += (i == 0 ? "" : ", ") + toml_number(seven[i]);
    }
    out += ']';
  }
  return out + "]";
}

bool has_kind(std::string_view head, std::string_view kind) {
  // the key must be at the beginning of a line
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    const std::string_view line = trimmed(head.substr(begin, end - begin));
    if (line.starts_with("kind") && line.find(kind) != std::string_view::npos) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace panto::io
