#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/append.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

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

void write_bound(const char* name, double value, std::string& out) {
  if (!std::isinf(value)) append(out, ", {} = {}", name, toml_number(value));
}

void write_link(const Link& link, std::string& out) {
  append(out, "  {{ name = {}", in_quotes(link.name));
  if (link.mass != 0.0 || !link.com.isZero(0.0) || !link.inertia.isZero(0.0)) {
    const Eigen::Matrix3d& I = link.inertia;
    Eigen::Matrix<double, 6, 1> six;
    six << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    append(out, ", mass = {}, com = {}, inertia = {}", toml_number(link.mass), reals(link.com), reals(six));
  }
  for (std::size_t i = 0; i < link.corners.size(); ++i)
    append(out, "{}{}{}", i == 0 ? ", corners = [" : ", ", reals(link.corners[i]),
           i + 1 == link.corners.size() ? "]" : "");
  if (!link.capsules.empty()) append(out, ", capsules = {}", toml_capsules(link.capsules));
  append(out, " }},\n");
}

void write_joint(const Joint& joint, std::string& out) {
  append(out, "  {{ name = {}, type = \"{}\", parent = {}, child = {}", in_quotes(joint.name),
         to_string(joint.type), in_quotes(joint.parent), in_quotes(joint.child));
  if (!joint.p_PJ.isZero(0.0)) append(out, ", xyz = {}", reals(joint.p_PJ));
  if (!joint.R_PJ.isIdentity(0.0)) append(out, ", rpy = {}", reals(euler::roll_pitch_yaw(joint.R_PJ)));
  if (joint.type != JointType::Fixed) {
    append(out, ", axis = {}", reals(joint.axis));
    write_bound("lower", joint.lower, out);
    write_bound("upper", joint.upper, out);
    write_bound("velocity", joint.velocity, out);
    write_bound("effort", joint.effort, out);
  }
  append(out, " }},\n");
}

void write_row(const CoupledRow& row, std::string& out) {
  append(out, "  {{ name = {}, terms = [", in_quotes(row.name));
  for (std::size_t i = 0; i < row.terms.size(); ++i)
    append(out, "{}[{}, {}]", i == 0 ? "" : ", ", toml_number(row.terms[i].coefficient),
           in_quotes(row.terms[i].joint));
  append(out, "]");
  write_bound("lower", row.lower, out);
  write_bound("upper", row.upper, out);
  append(out, " }},\n");
}

// only joints whose rest position is not the default
void write_rest(const Model& model, std::string& out) {
  bool begun = false;
  for (int i = 0; i < model.dof(); ++i) {
    const double rest = model.rest()[i];
    if (rest == std::clamp(0.0, model.lower()[i], model.upper()[i])) continue;
    append(out, "{}{} = {}\n", begun ? "" : "\n[rest]\n", key(model.joint(i).name), toml_number(rest));
    begun = true;
  }
}

}  // namespace

std::string write_model_table(const Model& model, std::string_view source,
                              const std::vector<std::string>& remarks) {
  const ModelSpec& spec = model.spec();
  std::string out;
  for (const std::string& remark : remarks) append(out, "# {}\n", toml_comment(remark));
  append(out, "version = 1\nname = {}\n", in_quotes(spec.name));
  if (!source.empty()) append(out, "source = {}\n", in_quotes(toml_comment(source)));
  append(out, "base = \"{}\"\n\n", to_string(model.base()));

  append(out,
         "# mass [kg], centre of mass [m], inertia about it [kg m^2]: xx, xy, xz, yy, yz, zz\n"
         "links = [\n");
  for (const Link& link : spec.links) write_link(link, out);
  append(out,
         "]\n\n# origin xyz [m] and rpy [rad] in the parent link, axis in the child link, limits [rad] "
         "or [m]\njoints = [\n");
  for (const Joint& joint : spec.joints) write_joint(joint, out);
  append(out, "]\n");
  if (!spec.rows.empty()) {
    append(out, "\n# lower <= sum of coefficient * joint <= upper\nrows = [\n");
    for (const CoupledRow& row : spec.rows) write_row(row, out);
    append(out, "]\n");
  }
  if (!spec.mimics.empty()) {
    append(out, "\n# joint = multiplier * source + offset\nmimics = [\n");
    for (const Mimic& mimic : spec.mimics)
      append(out, "  {{ joint = {}, source = {}, multiplier = {}, offset = {} }},\n", in_quotes(mimic.joint),
             in_quotes(mimic.source), toml_number(mimic.multiplier), toml_number(mimic.offset));
    append(out, "]\n");
  }
  write_rest(model, out);
  return out;
}

}  // namespace panto::io
