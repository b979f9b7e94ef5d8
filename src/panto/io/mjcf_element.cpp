#include "panto/io/mjcf_element.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/utf8.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/urdf_text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::io::mjcf {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;
using urdf::in_quotes;

constexpr std::size_t kMostInherited = 500'000;  // attributes copied from class to class
constexpr std::size_t kMostOfAKind = 200;        // attributes of one kind of element in a class
constexpr double kMaxAngle = 1e5;                // [rad] `sincos` is exact for smaller angles

// all shortcuts of actuators share their defaults
std::string kind_of(std::string_view element) {
  constexpr std::array<std::string_view, 9> kActuators{
      "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor"};
  const bool actuator = std::find(kActuators.begin(), kActuators.end(), element) != kActuators.end();
  return std::string(actuator ? "general" : element);
}

void merge(xml_node node, std::vector<Attribute>& into) {
  for (const auto attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const Attribute& a) { return a.name == name; });
    if (known == into.end()) {
      into.push_back({name, attribute, node});
    } else {
      *known = {name, attribute, node};
    }
  }
}

}  // namespace

Classes::Classes(const Document& document) {
  ClassAttributes& main = classes_["main"];
  for (const xml_node section : document.children(document.root(), "default")) {
    const std::string_view name = section.attribute("class").value();
    if (!name.empty() && name != "main") document.fail(section, "the outermost class must be called 'main'");
    read(document, section, main, 0);
  }
}

// first what the class has itself, then the classes within, which begin with it
void Classes::read(const Document& document, xml_node node, ClassAttributes& own, std::size_t depth) {
  if (depth > kMjcfMaxDepth) document.fail(node, fmt::format("classes nest deeper than {}", kMjcfMaxDepth));
  const std::vector<xml_node> children = document.children(node);
  for (const xml_node child : children) {
    if (std::string_view{child.name()} == "default") continue;
    std::vector<Attribute>& attributes = own[kind_of(child.name())];
    merge(child, attributes);
    if (attributes.size() > kMostOfAKind)
      document.fail(child, fmt::format("a class has more than {} attributes of one element", kMostOfAKind));
  }
  for (const xml_node child : children) {
    if (std::string_view{child.name()} != "default") continue;
    const std::string name = child.attribute("class").value();
    if (name.empty()) document.fail(child, "attribute 'class' is missing");
    for (const auto& [kind, attributes] : own) copied_ += attributes.size() + 1;
    if (copied_ > kMostInherited) document.fail(child, "too many classes");
    const auto [added, is_new] = classes_.emplace(name, own);
    if (!is_new) document.fail(child, fmt::format("a second class of the name {}", in_quotes(name)));
    read(document, child, added->second, depth + 1);
  }
}

const ClassAttributes* Classes::of(const Document& document, xml_node node, const char* attribute,
                                   const ClassAttributes* otherwise) const {
  const std::string_view name = node.attribute(attribute).value();
  if (name.empty()) return otherwise;
  const auto found = classes_.find(name);
  if (found == classes_.end())
    document.fail(node, fmt::format("{}={} is not a class of <default>", attribute, in_quotes(name)));
  return &found->second;
}

Element::Element(const Document& document, xml_node node, std::string_view kind,
                 const ClassAttributes* attributes)
    : document_(&document), node_(node) {
  if (attributes == nullptr) return;
  const auto found = attributes->find(kind);
  if (found != attributes->end()) inherited_ = &found->second;
}

std::optional<Attribute> Element::find(const char* name) const {
  if (const auto own = node_.attribute(name)) return Attribute{own.name(), own, node_};
  if (inherited_ == nullptr) return std::nullopt;
  const auto found = std::find_if(inherited_->begin(), inherited_->end(),
                                  [&](const Attribute& attribute) { return attribute.name == name; });
  if (found == inherited_->end()) return std::nullopt;
  return *found;
}

std::string Element::text(const char* name) const {
  const auto found = find(name);
  if (!found) return {};
  if (!is_utf8(found->value.value()))
    document_->fail(found->where, fmt::format("attribute '{}' is not UTF-8 text", name));
  return found->value.value();
}

std::optional<std::vector<double>> Element::numbers(const char* name, std::size_t least,
                                                    std::size_t most) const {
  const auto values = any_numbers(name, least, most);
  if (values && !std::all_of(values->begin(), values->end(), [](double v) { return std::isfinite(v); })) {
    const auto found = find(name);
    document_->fail(found->where,
                    fmt::format("{}={} is not a finite number", name, in_quotes(found->value.value())));
  }
  return values;
}

std::optional<std::vector<double>> Element::any_numbers(const char* name, std::size_t least,
                                                        std::size_t most) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  const std::string_view text = found->value.value();
  const auto wrong = [&](const std::string& what) {
    document_->fail(found->where, fmt::format("{}={} {}", name, in_quotes(text), what));
  };
  std::vector<double> values;
  for (const std::string_view word : urdf::words(text, most + 1)) {
    const auto value = parse_number(word);
    if (!value) wrong("is not a number (write decimals with a point)");
    values.push_back(*value);
  }
  if (values.size() < least || values.size() > most)
    wrong(least == most ? fmt::format("needs {} number{}", most, most == 1 ? "" : "s")
                        : fmt::format("needs {} to {} numbers", least, most));
  return values;
}

double Element::number(const char* name, double otherwise) const {
  const auto values = numbers(name, 1, 1);
  return values ? values->front() : otherwise;
}

Vector3d Element::vector(const char* name, const Vector3d& otherwise) const {
  const auto values = numbers(name, 3, 3);
  return values ? Vector3d(values->data()) : otherwise;
}

int Element::choice(const char* name, const std::vector<std::string_view>& words, int otherwise) const {
  const auto found = find(name);
  if (!found) return otherwise;
  const std::string_view word = found->value.value();
  const auto at = std::find(words.begin(), words.end(), word);
  if (at != words.end()) return static_cast<int>(at - words.begin());
  std::string valid;
  for (const std::string_view known : words) valid += (valid.empty() ? "" : ", ") + std::string(known);
  document_->fail(found->where, fmt::format("{}={} must be one of: {}", name, in_quotes(word), valid));
}

Compiler::Compiler(const Document& document) : angle_unit(kDegree) {
  for (const xml_node node : document.children(document.root(), "compiler")) {
    const Element element(document, node, "compiler", nullptr);
    if (element.has("angle"))
      angle_unit = element.choice("angle", {"radian", "degree"}, 1) == 0 ? 1.0 : kDegree;
    autolimits = element.choice("autolimits", {"false", "true"}, autolimits ? 1 : 0) == 1;
    strippath = element.choice("strippath", {"false", "true"}, strippath ? 1 : 0) == 1;
    if (element.choice("coordinate", {"local", "global"}, 0) == 1)
      element.fail("coordinate='global' is not supported; load and save the model in MuJoCo 2.3.3");
    inertia_from_geoms = element.choice("inertiafromgeom", {"false", "true", "auto"}, inertia_from_geoms);
    scales_mass = scales_mass || element.number("settotalmass", -1.0) > 0.0;
    if (const auto groups = element.numbers("inertiagrouprange", 2, 2))
      inertia_groups = {(*groups)[0], (*groups)[1]};
    for (const char* name : {"assetdir", "meshdir"})
      if (element.has(name)) meshdir = element.text(name);
    if (!element.has("eulerseq")) continue;
    const std::string sequence = element.text("eulerseq");
    if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
      element.fail(fmt::format("eulerseq={} must be three of x, y, z, X, Y, Z", in_quotes(sequence)));
    std::copy(sequence.begin(), sequence.end(), eulerseq.begin());
  }
}

namespace {

Vector3d direction(const Element& element, const char* name, const Vector3d& v) {
  if (!(v.norm() > kShortestAxis)) element.fail(fmt::format("{} has an axis without a direction", name));
  return v.normalized();
}

Matrix3d from_euler(const Element& element, const Vector3d& angles, const std::array<char, 3>& sequence) {
  Matrix3d R = Matrix3d::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const double angle = angles[static_cast<int>(i)];
    if (!(std::abs(angle) <= kMaxAngle))
      element.fail(fmt::format("euler has an angle beyond {:g} rad", kMaxAngle));
    const bool fixed = sequence[i] <= 'Z';
    const Matrix3d turn = so3::about_axis(sequence[i] - (fixed ? 'X' : 'x'), angle);
    R = fixed ? (turn * R).eval() : (R * turn).eval();
  }
  return R;
}

Matrix3d from_axes(const Element& element, const std::vector<double>& axes) {
  Matrix3d R;
  R.col(0) = direction(element, "xyaxes", Vector3d(axes.data()));
  const Vector3d y(axes.data() + 3);
  R.col(1) = direction(element, "xyaxes", y - R.col(0) * R.col(0).dot(y));
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

// reads the attribute `name`, one of the five kinds of orientation
Matrix3d orientation(const Element& element, const Compiler& compiler, std::string_view name) {
  if (name == "quat") {
    const auto q = element.numbers("quat", 4, 4).value();
    const Eigen::Vector4d wxyz(q.data());
    if (!(wxyz.norm() > kShortestAxis)) element.fail("quat is zero");
    return so3::from_quaternion_wxyz(wxyz);
  }
  if (name == "axisangle") {
    const auto values = element.numbers("axisangle", 4, 4).value();
    const double angle = values[3] * compiler.angle_unit;
    if (!(std::abs(angle) <= kMaxAngle))
      element.fail(fmt::format("axisangle has an angle beyond {:g} rad", kMaxAngle));
    return so3::exp(angle * direction(element, "axisangle", Vector3d(values.data())));
  }
  if (name == "euler")
    return from_euler(element, compiler.angle_unit * element.vector("euler", Vector3d::Zero()),
                      compiler.eulerseq);
  if (name == "xyaxes") return from_axes(element, element.numbers("xyaxes", 6, 6).value());
  return turning_z_to(direction(element, "zaxis", element.vector("zaxis", Vector3d::UnitZ())));
}

}  // namespace

Matrix3d turning_z_to(const Vector3d& direction) {
  const Vector3d axis = Vector3d::UnitZ().cross(direction);
  const double sine = axis.norm();
  const double angle = atan2(sine, direction.z());
  return so3::exp(angle * (sine < kShortestAxis ? Vector3d::UnitX() : Vector3d(axis / sine)));
}

Pose pose_of(const Element& element, const Compiler& compiler) {
  constexpr std::array<const char*, 5> kForms{"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  Pose pose;
  pose.p = element.vector("pos", Vector3d::Zero());
  if (!(pose.p.cwiseAbs().maxCoeff() <= kMaxPosition))
    element.fail(fmt::format("pos is beyond {:g} m", kMaxPosition));
  const auto own = [&](const char* form) { return element.has_own(form); };
  if (std::count_if(kForms.begin(), kForms.end(), own) > 1) element.fail("several orientations; give one");
  auto form = std::find_if(kForms.begin(), kForms.end(), own);
  if (form == kForms.end())
    form = std::find_if(kForms.begin(), kForms.end(), [&](const char* name) { return element.has(name); });
  if (form != kForms.end()) pose.R = orientation(element, compiler, *form);
  return pose;
}

}  // namespace panto::io::mjcf
