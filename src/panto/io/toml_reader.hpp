#pragma once
// Shared code of the readers of our TOML files: typed values, and "path:line: ..." for every error. Internal.

// For a missing value in a damaged file the library asserts and then reports it. A file must not end the
// program, also in builds with assertions.
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

/// Base of a reader of one format. All functions throw FormatError with the line of the node; messages name
/// `key` and `owner`.
class TomlReader {
 protected:
  /// Messages call the file `name`, usually its path.
  explicit TomlReader(std::string name) : name_(std::move(name)) {}

  /// Parses the text as TOML 1.0.
  [[nodiscard]] toml::table parse(std::string_view text) const;

  [[noreturn]] void fail(const toml::source_region& place, const std::string& message) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;

  /// Refuses keys that are not `known` and suggests the nearest.
  void check_keys(const toml::table& table, const std::vector<std::string>& known,
                  const std::string& owner) const;
  /// Returns the value of a required key.
  [[nodiscard]] const toml::node& needed(const toml::table& table, const std::string& key,
                                         const std::string& owner) const;

  /// Refuses every version of a format but 1.
  void check_version(const toml::node& version) const;

  [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& key) const;
  [[nodiscard]] const toml::array& array(const toml::node& node, const std::string& key) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& key) const;
  [[nodiscard]] bool yes_or_no(const toml::node& node, const std::string& key) const;
  /// Reads a unit quaternion (w, x, y, z), rounded as people type it, as a rotation.
  [[nodiscard]] Eigen::Matrix3d rotation(const toml::node& node, const std::string& key) const;
  /// Reads a number, whole or not, within these bounds; infinite only if a bound is.
  [[nodiscard]] double number(const toml::node& node, const std::string& key, double lower,
                              double upper) const;
  /// Reads N numbers in [ ], none larger than `largest` in magnitude.
  template <int N>
  [[nodiscard]] Eigen::Matrix<double, N, 1> vector(const toml::node& node, const std::string& key,
                                                   double largest) const {
    const toml::array& numbers = array_of(node, key, N);
    Eigen::Matrix<double, N, 1> values;
    for (int i = 0; i < N; ++i) values[i] = number(*numbers.get(at(i)), key, -largest, largest);
    return values;
  }

  /// Reads capsules: lists of seven numbers, both ends of a segment, then the radius > 0 [m].
  [[nodiscard]] std::vector<LinkCapsule> capsules(const toml::node& node, const std::string& key) const;

  [[nodiscard]] const std::string& path() const noexcept { return name_; }

 private:
  [[nodiscard]] const toml::array& array_of(const toml::node& node, const std::string& key, int count) const;

  std::string name_;
};

}  // namespace panto::io
