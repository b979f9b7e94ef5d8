#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

using Out = std::back_insert_iterator<std::string>;

template <typename Vector>
std::string reals(const Vector& v) {
  std::string out;
  for (Eigen::Index i = 0; i < v.size(); ++i) out += (i == 0 ? "[" : ", ") + toml_number(v[i]);
  return out + "]";
}

std::string in_quotes(const std::string& name) {
  if (auto text = toml_string(name)) return std::move(*text);
  throw FormatError("'" + toml_comment(name) + "': this name is not UTF-8, as TOML requires; rename it");
}

// a key of these characters needs no quotes
std::string key(const std::string& name) {
  const bool bare = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
  });
  return bare ? name : in_quotes(name);
}

void write_bound(const char* name, double value, Out out) {
  if (!std::isinf(value)) fmt::format_to(out, ", {} = {}", name, toml_number(value));
}

void write_link(const Link& link, Out out) {
  fmt::format_to(out, "  {{ name = {}", in_quotes(link.name));
  if (link.mass != 0.0 || !link.com.isZero(0.0) || !link.inertia.isZero(0.0)) {
    const Eigen::Matrix3d& I = link.inertia;
    Eigen::Matrix<double, 6, 1> six;
    six << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    fmt::format_to(out, ", mass = {}, com = {}, inertia = {}", toml_number(link.mass), reals(link.com),
                   reals(six));
  }
  for (std::size_t i = 0; i < link.corners.size(); ++i)
    fmt::format_to(out, "{}{}{}", i == 0 ? ", corners = [" : ", ", reals(link.corners[i]),
                   i + 1 == link.corners.size() ? "]" : "");
  if (!link.capsules.empty()) fmt::format_to(out, ", capsules = {}", toml_capsules(link.capsules));
  fmt::format_to(out, " }},\n");
}

void write_joint(const Joint& joint, Out out) {
  fmt::format_to(out, "  {{ name = {}, type = \"{}\", parent = {}, child = {}", in_quotes(joint.name),
                 to_string(joint.type), in_quotes(joint.parent), in_quotes(joint.child));
  if (!joint.p_PJ.isZero(0.0)) fmt::format_to(out, ", xyz = {}", reals(joint.p_PJ));
  if (!joint.R_PJ.isIdentity(0.0))
    fmt::format_to(out, ", rpy = {}", reals(euler::roll_pitch_yaw(joint.R_PJ)));
  if (joint.type != JointType::Fixed) {
    fmt::format_to(out, ", axis = {}", reals(joint.axis));
    write_bound("lower", joint.lower, out);
    write_bound("upper", joint.upper, out);
    write_bound("velocity", joint.velocity, out);
    write_bound("effort", joint.effort, out);
  }
  fmt::format_to(out, " }},\n");
}

void write_row(const CoupledRow& row, Out out) {
  fmt::format_to(out, "  {{ name = {}, terms = [", in_quotes(row.name));
  for (std::size_t i = 0; i < row.terms.size(); ++i)
    fmt::format_to(out, "{}[{}, {}]", i == 0 ? "" : ", ", toml_number(row.terms[i].coefficient),
                   in_quotes(row.terms[i].joint));
  fmt::format_to(out, "]");
  write_bound("lower", row.lower, out);
  write_bound("upper", row.upper, out);
  fmt::format_to(out, " }},\n");
}

// only joints whose rest position is not the default
void write_rest(const Model& model, Out out) {
  bool begun = false;
  for (int i = 0; i < model.dof(); ++i) {
    const double rest = model.rest()[i];
    if (rest == std::clamp(0.0, model.lower()[i], model.upper()[i])) continue;
    fmt::format_to(out, "{}{} = {}\n", begun ? "" : "\n[rest]\n", key(model.joint(i).name),
                   toml_number(rest));
    begun = true;
  }
}

}  // namespace

std::string write_model_table(const Model& model, std::string_view source,
                              const std::vector<std::string>& remarks) {
  const ModelSpec& spec = model.spec();
  std::string text;
  const Out out(text);
  for (const std::string& remark : remarks) fmt::format_to(out, "# {}\n", toml_comment(remark));
  fmt::format_to(out, "version = 1\nname = {}\n", in_quotes(spec.name));
  if (!source.empty()) fmt::format_to(out, "source = {}\n", in_quotes(toml_comment(source)));
  fmt::format_to(out, "base = \"{}\"\n\n", to_string(model.base()));

  fmt::format_to(out,
                 "# mass [kg], centre of mass [m], inertia about it [kg m^2]: xx, xy, xz, yy, yz, zz\n"
                 "links = [\n");
  for (const Link& link : spec.links) write_link(link, out);
  fmt::format_to(
      out,
      "]\n\n# origin xyz [m] and rpy [rad] in the parent link, axis in the child link, limits [rad] "
      "or [m]\njoints = [\n");
  for (const Joint& joint : spec.joints) write_joint(joint, out);
  fmt::format_to(out, "]\n");
  if (!spec.rows.empty()) {
    fmt::format_to(out, "\n# lower <= sum of coefficient * joint <= upper\nrows = [\n");
    for (const CoupledRow& row : spec.rows) write_row(row, out);
    fmt::format_to(out, "]\n");
  }
  if (!spec.mimics.empty()) {
    fmt::format_to(out, "\n# joint = multiplier * source + offset\nmimics = [\n");
    for (const Mimic& mimic : spec.mimics)
      fmt::format_to(out, "  {{ joint = {}, source = {}, multiplier = {}, offset = {} }},\n",
                     in_quotes(mimic.joint), in_quotes(mimic.source), toml_number(mimic.multiplier),
                     toml_number(mimic.offset));
    fmt::format_to(out, "]\n");
  }
  write_rest(model, out);
  return text;
}

}  // namespace panto::io
