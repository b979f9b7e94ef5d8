#include <fmt/core.h>

#include <Eigen/Geometry>
#include <cmath>
#include <unordered_map>

#include "panto/io/append.hpp"
#include "panto/io/input.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/shown_urdf.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kWrittenForNone = 1e308;                    // see kUrdfNoLimit
constexpr double kRod = 0.02, kShortestRod = 1e-3;           // [m]
constexpr std::size_t kLargestFile = std::size_t{64} << 20;  // [bytes]
constexpr const char* kMaterial =
    "  <material name=\"panto\"><color rgba=\"0.72 0.79 0.86 1\"/></material>\n";

// returns text for a comment, which must not contain "--"
std::string commented(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '-' && !out.empty() && out.back() == '-' ? '_' : c;
  return out;
}

std::string triple(const Vector3d& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

std::string origin(const Matrix3d& R, const Vector3d& p) {
  if (R.isIdentity(0.0)) return fmt::format("<origin xyz=\"{}\"/>", triple(p));
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", triple(p), triple(euler::roll_pitch_yaw(R)));
}

double written_limit(double value) {
  return std::isinf(value) ? std::copysign(kWrittenForNone, value) : value;
}

// `visuals`: elements of its shapes; may be empty
void write_link(const Link& link, const std::string& visuals, std::string& out) {
  const bool light = link.mass == 0.0 && link.com.isZero(0.0) && link.inertia.isZero(0.0);
  if (light && visuals.empty()) {
    append(out, "  <link name=\"{}\"/>\n", xml_text(link.name));
    return;
  }
  const Matrix3d& I = link.inertia;
  append(out, "  <link name=\"{}\">\n", xml_text(link.name));
  if (!light)
    append(out,
           "    <inertial>\n      {}\n      <mass value=\"{}\"/>\n"
           "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n"
           "    </inertial>\n",
           origin(Matrix3d::Identity(), link.com), link.mass, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2),
           I(2, 2));
  append(out, "{}  </link>\n", visuals);
}

std::string visual(const Matrix3d& R, const Vector3d& p, const std::string& shape) {
  return fmt::format("    <visual>{}<geometry><{}/></geometry><material name=\"panto\"/></visual>\n",
                     origin(R, p), shape);
}

// returns a cylinder between two balls
std::string visuals_of(const LinkCapsule& capsule) {
  const std::string ball = fmt::format("sphere radius=\"{}\"", capsule.radius);
  const Vector3d along = capsule.to - capsule.from;
  std::string text = visual(Matrix3d::Identity(), capsule.from, ball);
  if (along.norm() < kShortestRod) return text;
  text += visual(Matrix3d::Identity(), capsule.to, ball);
  const Matrix3d R = least_turn(Vector3d::UnitZ(), along.normalized());
  return text + visual(R, 0.5 * (capsule.from + capsule.to),
                       fmt::format("cylinder radius=\"{}\" length=\"{}\"", capsule.radius, along.norm()));
}

std::string visuals_of(const Model& model, const Link& link) {
  std::string text;
  for (const LinkCapsule& capsule : link.capsules) text += visuals_of(capsule);
  if (!text.empty()) return text;
  for (const Joint& joint : model.all_joints())
    if (joint.parent == link.name && joint.p_PJ.norm() >= kShortestRod)
      text += visuals_of(LinkCapsule{Vector3d::Zero(), joint.p_PJ, kRod});
  return text;
}

const char* type_of(const Joint& joint) {
  if (joint.type == JointType::Fixed) return "fixed";
  if (joint.type == JointType::Prismatic) return "prismatic";
  return std::isinf(joint.lower) && std::isinf(joint.upper) ? "continuous" : "revolute";
}

// A continuous joint without speed and effort limits needs no <limit>; any other <limit> requires both.
void write_limits(const Joint& joint, std::string& out) {
  const bool continuous = std::string_view{type_of(joint)} == "continuous";
  if (continuous && std::isinf(joint.effort) && std::isinf(joint.velocity)) return;
  append(out, "    <limit");
  if (!continuous) {
    append(out, " lower=\"{}\" upper=\"{}\"", written_limit(joint.lower), written_limit(joint.upper));
  }
  append(out, " effort=\"{}\" velocity=\"{}\"/>\n", written_limit(joint.effort),
         written_limit(joint.velocity));
}

void write_joint(const Joint& joint, const Mimic* mimic, std::string& out) {
  append(out,
         "  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n"
         "    {}\n",
         xml_text(joint.name), type_of(joint), xml_text(joint.parent), xml_text(joint.child),
         origin(joint.R_PJ, joint.p_PJ));
  if (joint.type != JointType::Fixed) {
    append(out, "    <axis xyz=\"{}\"/>\n", triple(joint.axis));
    write_limits(joint, out);
  }
  if (mimic != nullptr) {
    append(out, "    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n", xml_text(mimic->source),
           mimic->multiplier, mimic->offset);
  }
  append(out, "  </joint>\n");
}

std::string sentence(const CoupledRow& row) {
  std::string sum;
  for (const CoupledRow::Term& term : row.terms) {
    sum += fmt::format("{}{} {}", sum.empty() ? "" : " + ", term.coefficient, term.joint);
  }
  return fmt::format("{}: {} .. {} = {}", row.name, row.lower, row.upper, sum);
}

std::string write_text(const Model& model, bool shown, std::vector<std::string>* notes) {
  const ModelSpec& spec = model.spec();
  const auto note = [&](const std::string& text) {
    if (notes != nullptr) notes->push_back("URDF of '" + model.name() + "': " + text);
  };
  std::string out;
  append(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot name=\"{}\">\n", xml_text(model.name()));

  // what the format cannot represent
  for (const CoupledRow& row : spec.rows) {
    append(out, "  <!-- coupled row, not part of URDF: {} -->\n", commented(sentence(row)));
    note("coupled row left out: " + sentence(row));
  }
  if (!model.floating_base())
    note("URDF cannot mark the base as fixed: choose a fixed base where the file is read");
  if (spec.rest.size() != 0 && !spec.rest.isZero(0.0)) note("the rest pose is left out");

  std::unordered_map<std::string, const Mimic*> mimic_of;
  for (const Mimic& mimic : spec.mimics) {
    if (!mimic_of.emplace(mimic.joint, &mimic).second) {
      note("joint '" + mimic.joint + "' has a second mimic, which is left out");
    }
  }
  if (shown) out += kMaterial;
  for (const Link& link : spec.links) write_link(link, shown ? visuals_of(model, link) : "", out);
  for (const Joint& joint : spec.joints) {
    const auto mimic = mimic_of.find(joint.name);
    write_joint(joint, mimic == mimic_of.end() ? nullptr : mimic->second, out);
  }
  out += "</robot>\n";
  return out;
}

}  // namespace

std::string write_urdf(const Model& model, std::vector<std::string>* notes) {
  return write_text(model, false, notes);
}

std::string shown_urdf(const Model& model, const std::string& file) {
  if (!file.empty()) {
    Input input(file);
    if (input.head().find("<robot") != std::string::npos) return std::string(input.whole(kLargestFile));
  }
  return write_text(model, true, nullptr);
}

void write_urdf_file(const Model& model, const std::string& path, std::vector<std::string>* notes) {
  write_file(path, write_urdf(model, notes));
}

}  // namespace panto::io
