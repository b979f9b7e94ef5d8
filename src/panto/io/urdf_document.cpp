#include "panto/io/urdf_document.hpp"

#include <fmt/core.h>

#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/utf8.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/xml_document.hpp"
#include "panto/math/euler.hpp"

namespace panto::io::urdf {
namespace {

using Eigen::Vector3d;
using pugi::xml_node;

constexpr double kMaxPosition = 1e6;  // [m] larger numbers are mistakes, and kinematics would lose digits
constexpr double kMaxAngle = 1e5;     // [rad] `sincos` is exact for smaller angles

bool is_xacro(std::string_view value) {
  return value.find("${") != std::string_view::npos || value.find("$(") != std::string_view::npos;
}

}  // namespace

UrdfDocument::UrdfDocument(std::string_view text, const std::string& name)
    : name_(name), text_(xml::without_mark(text)) {}

std::ptrdiff_t UrdfDocument::line_of(xml_node node) const { return xml::line_at(text_, node.offset_debug()); }

void UrdfDocument::fail_at_line(std::ptrdiff_t line, const std::string& what) const {
  throw FormatError(fmt::format("{}:{}: {}", name_, line, what));
}

// "path:12: <joint name='knee'>: <origin>: what"
void UrdfDocument::fail(xml_node node, const std::string& what) const {
  std::string inner;
  xml_node item = node;
  while (item.parent() && item.parent() != robot_ && item != robot_) {
    inner.insert(0, fmt::format("<{}>: ", clipped(item.name())));
    item = item.parent();
  }
  const auto label = item.attribute("name");
  const std::string outer =
      label ? fmt::format("<{} name={}>: ", clipped(item.name()), in_quotes(label.value()))
            : fmt::format("<{}>: ", clipped(item.name()));
  fail_at_line(line_of(node), outer + inner + what);
}

std::string UrdfDocument::text_attribute(xml_node node, const char* attribute) const {
  const auto found = node.attribute(attribute);
  if (!found) fail(node, fmt::format("attribute '{}' is missing", attribute));
  const std::string_view value = found.value();
  if (value.empty()) fail(node, fmt::format("attribute '{}' is empty", attribute));
  if (is_xacro(value)) fail(node, fmt::format("{}={}: {}", attribute, in_quotes(value), kXacroAdvice));
  if (!is_utf8(value)) fail(node, fmt::format("attribute '{}' is not UTF-8 text", attribute));
  return std::string{value};
}

double UrdfDocument::finite(xml_node node, const char* attribute, std::string_view token) const {
  const auto value = parse_number(token);
  const char* wrong = !value                   ? "is not a number (write decimals with a point)"
                      : !std::isfinite(*value) ? "is not a finite number"
                                               : nullptr;
  if (wrong != nullptr && is_xacro(token)) wrong = kXacroAdvice.data();
  if (wrong != nullptr) fail(node, fmt::format("{}={} {}", attribute, in_quotes(token), wrong));
  return *value;
}

double UrdfDocument::number(xml_node node, const char* attribute) const {
  const auto found = node.attribute(attribute);
  if (!found) fail(node, fmt::format("attribute '{}' is missing", attribute));
  const std::string_view value = found.value();
  const auto tokens = words(value);
  if (tokens.size() != 1) return finite(node, attribute, value);  // reports the whole value
  return finite(node, attribute, tokens[0]);
}

double UrdfDocument::number_or(xml_node node, const char* attribute, double otherwise) const {
  return node.attribute(attribute) ? number(node, attribute) : otherwise;
}

Vector3d UrdfDocument::vector_or(xml_node node, const char* attribute, const Vector3d& otherwise,
                                 double largest) const {
  const auto found = node.attribute(attribute);
  if (!found) return otherwise;
  const auto tokens = words(found.value());
  if (is_xacro(found.value()))
    fail(node, fmt::format("{}={}: {}", attribute, in_quotes(found.value()), kXacroAdvice));
  if (tokens.size() != 3) {
    fail(node, fmt::format("{}={} needs three numbers", attribute, in_quotes(found.value())));
  }
  Vector3d value;
  for (int i = 0; i < 3; ++i) value[i] = finite(node, attribute, tokens[static_cast<std::size_t>(i)]);
  if (value.cwiseAbs().maxCoeff() > largest) {
    fail(node, fmt::format("{}={} is beyond {:g}; URDF has metres and radians", attribute,
                           in_quotes(found.value()), largest));
  }
  return value;
}

xml_node UrdfDocument::only_child(xml_node node, const char* element) {
  const xml_node child = node.child(element);
  if (child && child.next_sibling(element)) {
    remarks_.add(fmt::format("more than one <{}>, only the first is used, in", element),
                 node.attribute("name").value());
  }
  return child;
}

UrdfDocument::Pose UrdfDocument::origin_of(xml_node node) {
  const xml_node origin = only_child(node, "origin");
  const Vector3d rpy = vector_or(origin, "rpy", Vector3d::Zero(), kMaxAngle);
  return {euler::from_roll_pitch_yaw(rpy), vector_or(origin, "xyz", Vector3d::Zero(), kMaxPosition)};
}

void UrdfDocument::parse() {
  constexpr xml::Limits kLimits{kUrdfMaxBytes, kUrdfMaxTags, kUrdfMaxAttributes, kUrdfMaxDepth};
  xml::parse(text_, name_, kLimits, "a URDF", "<robot name='...'>", document_);
  robot_ = document_.document_element();
  const std::string_view element = robot_.name();
  if (element == "robot") return;
  fail(robot_, element == "mujoco" ? "this is a MuJoCo model (MJCF); its name must end in .xml"
               : element == "sdf"  ? "this is another format; export the model as URDF"
                                   : "the outermost element of a URDF must be <robot>");
}

}  // namespace panto::io::urdf
