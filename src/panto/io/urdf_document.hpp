#pragma once
// The XML of a URDF: parsing, attributes, and messages with the line. Internal.

#include <Eigen/Core>
#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "panto/io/urdf_text.hpp"

namespace panto::io::urdf {

inline constexpr std::string_view kXacroAdvice =
    "this is a xacro source, not a URDF; expand it first: xacro robot.urdf.xacro > robot.urdf";

/// The document that a reader reads. Text and name must outlive it.
class UrdfDocument {
 protected:
  UrdfDocument(std::string_view text, const std::string& name);

  /// Checks sizes and parses. @throws FormatError for text that is not the XML of a robot.
  void parse();

  [[nodiscard]] std::ptrdiff_t line_of(pugi::xml_node node) const;
  /// @throws FormatError "path:12: <joint name='knee'>: <origin>: what"
  [[noreturn]] void fail(pugi::xml_node node, const std::string& what) const;

  // attributes and elements; @throws FormatError when missing, empty or unreadable
  [[nodiscard]] std::string text_attribute(pugi::xml_node node, const char* attribute) const;
  [[nodiscard]] double number(pugi::xml_node node, const char* attribute) const;
  [[nodiscard]] double number_or(pugi::xml_node node, const char* attribute, double otherwise) const;
  /// Refuses elements beyond `largest` too.
  [[nodiscard]] Eigen::Vector3d vector_or(pugi::xml_node node, const char* attribute,
                                          const Eigen::Vector3d& otherwise, double largest) const;
  /// Returns the first child of this name, with a remark if there are more.
  [[nodiscard]] pugi::xml_node only_child(pugi::xml_node node, const char* element);

  struct Pose {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
  };
  [[nodiscard]] Pose origin_of(pugi::xml_node node);

  [[nodiscard]] const Remarks& remarks() const { return remarks_; }

  const std::string& name_;
  pugi::xml_node robot_;
  Remarks remarks_;

 private:
  [[noreturn]] void fail_at_line(std::ptrdiff_t line, const std::string& what) const;
  [[nodiscard]] double finite(pugi::xml_node node, const char* attribute, std::string_view token) const;

  std::string_view text_;
  pugi::xml_document document_;
};

}  // namespace panto::io::urdf
