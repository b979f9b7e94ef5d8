#pragma once
// What the readers of our own TOML files share: values of the right kind, and "path:line: ..." for every
// complaint. Not for users.

// The library asserts where a value is missing in a damaged file, and reports that right behind it: in builds
// with assertions, too, a file must not end the program.
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/index.hpp"

namespace panto::io {

/// Base of a reader of one format. All functions throw FormatError with the line of the node; `key` and
/// `owner` are what messages call it.
class TomlReader {
 protected:
  /// `name` stands for the file in messages: usually its path.
  explicit TomlReader(std::string name) : name_(std::move(name)) {}

  /// The text as TOML 1.0.
  [[nodiscard]] toml::table parse(std::string_view text) const;

  [[noreturn]] void fail(const toml::source_region& place, const std::string& message) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;

  /// Refuses keys that are not `known`, with the nearest that is.
  void check_keys(const toml::table& table, const std::vector<std::string>& known,
                  const std::string& owner) const;
  /// The value of a key that must be there.
  [[nodiscard]] const toml::node& needed(const toml::table& table, const std::string& key,
                                         const std::string& owner) const;

  [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& key) const;
  [[nodiscard]] const toml::array& array(const toml::node& node, const std::string& key) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& key) const;
  [[nodiscard]] bool yes_or_no(const toml::node& node, const std::string& key) const;
  /// A unit quaternion (w, x, y, z), within what people round, as a rotation.
  [[nodiscard]] Eigen::Matrix3d rotation(const toml::node& node, const std::string& key) const;
  /// A number, whole or not, within these bounds; infinite only where a bound is.
  [[nodiscard]] double number(const toml::node& node, const std::string& key, double lower,
                              double upper) const;
  /// N numbers in [ ], none larger than `largest` in size.
  template <int N>
  [[nodiscard]] Eigen::Matrix<double, N, 1> vector(const toml::node& node, const std::string& key,
                                                   double largest) const {
    const toml::array& numbers = array_of(node, key, N);
    Eigen::Matrix<double, N, 1> values;
    for (int i = 0; i < N; ++i) values[i] = number(*numbers.get(at(i)), key, -largest, largest);
    return values;
  }

  [[nodiscard]] const std::string& path() const noexcept { return name_; }

 private:
  [[nodiscard]] const toml::array& array_of(const toml::node& node, const std::string& key, int count) const;

  std::string name_;
};

}  // namespace panto::io
