#pragma once
// Elements of a MuJoCo model with the attributes of their classes, and the compiler's settings. Internal.

#include <Eigen/Core>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/mjcf_document.hpp"

namespace panto::io::mjcf {

inline constexpr double kMaxPosition = 1e6;     // [m] larger numbers are mistakes
inline constexpr double kShortestAxis = 1e-10;  // a shorter axis has no direction

struct Attribute {
  std::string_view name;
  pugi::xml_attribute value;
  pugi::xml_node where;  ///< the element that has it
};

/// What the elements of one class inherit, by the name of the element.
using ClassAttributes = std::map<std::string, std::vector<Attribute>, std::less<>>;

/// The classes of <default>. A class begins with what its parent has.
class Classes {
 public:
  /// @throws FormatError for classes without a name, or two of one name.
  explicit Classes(const Document& document);

  /// Returns the class that applies without a name.
  [[nodiscard]] const ClassAttributes* main() const { return &classes_.at("main"); }
  /// Returns the class named by `attribute` of `node`, else `otherwise`. @throws FormatError for an unknown
  /// class.
  [[nodiscard]] const ClassAttributes* of(const Document& document, pugi::xml_node node,
                                          const char* attribute, const ClassAttributes* otherwise) const;

 private:
  void read(const Document& document, pugi::xml_node node, ClassAttributes& own, std::size_t depth);

  std::map<std::string, ClassAttributes, std::less<>> classes_;
  std::size_t copied_ = 0;  // attributes that classes inherited
};

/// An element of a model. Reads an attribute from the element, else from its class.
class Element {
 public:
  /// `kind`: the element's name in <default>. `attributes` may be null and must outlive this object.
  Element(const Document& document, pugi::xml_node node, std::string_view kind,
          const ClassAttributes* attributes);

  [[nodiscard]] pugi::xml_node node() const { return node_; }
  [[nodiscard]] bool has(const char* name) const { return find(name).has_value(); }
  /// Returns true when the element itself has it.
  [[nodiscard]] bool has_own(const char* name) const { return !node_.attribute(name).empty(); }

  /// Returns text; empty when missing. @throws FormatError when it is not UTF-8.
  [[nodiscard]] std::string text(const char* name) const;
  /// Returns finite numbers, nothing when missing. @throws FormatError for another count.
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t least,
                                                           std::size_t most) const;
  /// The same with infinite numbers and NaN.
  [[nodiscard]] std::optional<std::vector<double>> any_numbers(const char* name, std::size_t least,
                                                               std::size_t most) const;
  [[nodiscard]] double number(const char* name, double otherwise) const;
  [[nodiscard]] Eigen::Vector3d vector(const char* name, const Eigen::Vector3d& otherwise) const;
  /// Returns the position of one of the words. @throws FormatError for another word.
  [[nodiscard]] int choice(const char* name, const std::vector<std::string_view>& words, int otherwise) const;

  /// @throws FormatError at the element.
  [[noreturn]] void fail(const std::string& what) const { document_->fail(node_, what); }

 private:
  [[nodiscard]] std::optional<Attribute> find(const char* name) const;

  const Document* document_;
  pugi::xml_node node_;
  const std::vector<Attribute>* inherited_ = nullptr;
};

/// The settings of <compiler> that concern geometry.
struct Compiler {
  double angle_unit;  ///< [rad]
  bool autolimits = true;
  std::array<char, 3> eulerseq{'x', 'y', 'z'};  ///< capital: about fixed axes
  std::string meshdir;
  bool strippath = false;
  int inertia_from_geoms = 2;  ///< 0 never, 1 always, 2 for bodies without <inertial>
  std::array<double, 2> inertia_groups{0.0, 5.0};
  bool scales_mass = false;  ///< settotalmass

  /// @throws FormatError for values that are invalid or refused (coordinate="global").
  explicit Compiler(const Document& document);
};

/// Pose of an element in the frame around it.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  [[nodiscard]] Pose operator*(const Pose& inner) const { return {R * inner.R, p + R * inner.p}; }
};

/// Reads `pos` and one of quat, axisangle, euler, xyaxes and zaxis. @throws FormatError for several of them,
/// zero axes and positions beyond 1e6 m.
[[nodiscard]] Pose pose_of(const Element& element, const Compiler& compiler);

/// Returns the smallest rotation that turns z to `direction`, which is not zero.
[[nodiscard]] Eigen::Matrix3d turning_z_to(const Eigen::Vector3d& direction);

}  // namespace panto::io::mjcf
