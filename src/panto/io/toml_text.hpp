#pragma once
// What all our TOML files share: values with the place of every complaint, and texts that TOML can hold.
// Private to io: files that people edit are read and written by rig_file and robot_map_file.

#include <toml++/toml.h>

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Reads values of a table. Every complaint is a FormatError "name:line: what would be right".
class TomlReader {
 public:
  /// `name` stands for the file in messages and must outlive the reader.
  explicit TomlReader(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const toml::source_region& place, const std::string& message) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    fail(node.source(), message);
  }

  /// Refuses keys that are not among `known`.
  void check_keys(const toml::table& table, const std::vector<std::string>& known,
                  const std::string& owner) const;
  [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& key) const;
  [[nodiscard]] const toml::node& needed(const toml::table& table, const std::string& key,
                                         const std::string& owner) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& key) const;
  [[nodiscard]] bool yes_or_no(const toml::node& node, const std::string& key) const;
  [[nodiscard]] double number(const toml::node& node, const std::string& key, double lower,
                              double upper) const;
  /// `count` numbers of size `largest` at most.
  [[nodiscard]] Eigen::VectorXd numbers(const toml::node& node, const std::string& key, int count,
                                        double largest) const;
  /// A unit quaternion (w, x, y, z), within what people round.
  [[nodiscard]] Eigen::Matrix3d rotation(const toml::node& node, const std::string& key) const;

 protected:
  const std::string& name_;
};

/// @throws FormatError "name:line: not TOML: ...".
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& name);

/// A TOML string in quotes; nothing when the text is not UTF-8.
[[nodiscard]] std::optional<std::string> toml_string(std::string_view text);

/// Text fit for a comment: one line, valid UTF-8.
[[nodiscard]] std::string toml_comment(std::string_view text);

/// TOML tells 1 from 1.0.
[[nodiscard]] std::string toml_real(double value);

/// "[1.000000000, ...]", rounded to 1e-9.
[[nodiscard]] std::string toml_numbers(const Eigen::VectorXd& v);

/// The same of a rotation's unit quaternion (w, x, y, z).
[[nodiscard]] std::string toml_wxyz(const Eigen::Matrix3d& R);

}  // namespace panto::io
