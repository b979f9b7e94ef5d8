#include "panto/io/model_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/toml_reader.hpp"
#include "panto/io/urdf_text.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using urdf::in_quotes;

constexpr double kMaxPosition = 1e6;   // [m] larger numbers are mistakes, and kinematics would lose digits
constexpr double kMaxAngle = 1e5;      // [rad] `sincos` is exact for smaller angles
constexpr double kMaxInertial = 1e12;  // [kg], [kg m^2]
constexpr double kMaxFactor = 1e9;     // of coupled rows and mimics

// reads the tables of a model; every error names its place
class Reader : TomlReader {
 public:
  explicit Reader(const std::string& path) : TomlReader(path) {}

  Model read(std::string_view content) {
    const toml::table file = parse(content);
    check_keys(file, {"version", "name", "source", "base", "links", "joints", "rows", "mimics", "rest"},
               "a model table");
    read_head(file);
    const toml::node& links = needed(file, "links", "a model table");
    for (const toml::node& node : items(links, "links")) read_link(node);
    if (spec_.links.empty()) fail(links, "`links` is empty: a model needs at least one link");
    const toml::node* joints = file.get("joints");
    if (joints != nullptr) {
      for (const toml::node& node : items(*joints, "joints")) read_joint(node);
    }
    check_one_root(links);
    if (const toml::node* rows = file.get("rows")) {
      for (const toml::node& node : items(*rows, "rows")) read_row(node);
    }
    if (const toml::node* mimics = file.get("mimics")) {
      for (const toml::node& node : items(*mimics, "mimics")) read_mimic(node);
    }
    if (const toml::node* rest = file.get("rest")) read_rest(table(*rest, "rest"));
    try {
      return Model(std::move(spec_));
    } catch (const ModelError& error) {  // cycles remain
      fail(joints != nullptr ? *joints : links, error.what());
    }
  }

 private:
  void read_head(const toml::table& file) {
    const toml::node* version = file.get("version");
    if (version == nullptr) throw FormatError(path() + ":1: no `version = 1`: is this a model table?");
    check_version(*version);
    spec_.name = word(needed(file, "name", "a model table"), "name");
    if (const toml::node* source = file.get("source")) (void)text(*source, "source");
    const toml::node& base = needed(file, "base", "a model table");
    const std::string kind = text(base, "base");
    if (kind != "floating" && kind != "fixed" && kind != "rolling")
      fail(base, unknown_name("base", kind, "a model table", {"floating", "fixed", "rolling"}));
    spec_.floating_base = kind == "floating";
    spec_.rolling_base = kind == "rolling";
    spec_.base_known = true;
  }

  const toml::array& items(const toml::node& node, const std::string& key) const {
    const toml::array& list = array(node, key);
    if (list.size() > kModelTableMaxLinks)
      fail(node, fmt::format("`{}` holds {} items, more than {}", key, list.size(), kModelTableMaxLinks));
    return list;
  }

  // reads a non-empty text
  std::string word(const toml::node& node, const std::string& key) const {
    std::string value = text(node, key);
    if (value.empty()) fail(node, "`" + key + "` is empty");
    return value;
  }

  std::string named(const toml::table& item, const std::string& key, const std::string& owner) const {
    return word(needed(item, key, owner), key);
  }

  double number_or(const toml::table& item, const std::string& key, double otherwise, double lower,
                   double upper) const {
    const toml::node* node = item.get(key);
    return node == nullptr ? otherwise : number(*node, key, lower, upper);
  }

  Vector3d vector_or_zero(const toml::table& item, const std::string& key, double largest) const {
    const toml::node* node = item.get(key);
    return node == nullptr ? Vector3d(Vector3d::Zero()) : vector<3>(*node, key, largest);
  }

  // records a name; refuses a duplicate of its kind
  void declare(std::unordered_map<std::string, int>& known, const std::string& kind, const std::string& name,
               const toml::node& node, int index) {
    if (const auto [first, is_new] = known.emplace(name, index); !is_new)
      fail(node, fmt::format("{} {} is defined twice", kind, in_quotes(name)));
  }

  void read_link(const toml::node& node) {
    const toml::table& item = table(node, "links");
    Link link;
    link.name = named(item, "name", "a link");
    check_keys(item, {"name", "mass", "com", "inertia", "corners", "capsules"},
               "link " + in_quotes(link.name));
    declare(links_, "link", link.name, node, static_cast<int>(spec_.links.size()));
    link.mass = number_or(item, "mass", 0.0, 0.0, kMaxInertial);
    link.com = vector_or_zero(item, "com", kMaxPosition);
    if (const toml::node* six = item.get("inertia")) {
      const Eigen::Matrix<double, 6, 1> I = vector<6>(*six, "inertia", kMaxInertial);
      link.inertia << I[0], I[1], I[2],  //
          I[1], I[3], I[4],              //
          I[2], I[4], I[5];
    }
    if (const toml::node* corners = item.get("corners")) {
      for (const toml::node& corner : items(*corners, "corners"))
        link.corners.emplace_back(vector<3>(corner, "corners", kMaxPosition));
    }
    if (const toml::node* shape = item.get("capsules")) link.capsules = capsules(*shape, "capsules");
    spec_.links.push_back(std::move(link));
  }

  int link_of(const toml::table& item, const std::string& key, const std::string& name) const {
    const auto found = links_.find(name);
    if (found != links_.end()) return found->second;
    std::vector<std::string> names;
    for (const Link& link : spec_.links) names.push_back(link.name);
    fail(*item.get(key), unknown_name("link", name, "`links`", names, 12));
  }

  void read_joint(const toml::node& node) {
    const toml::table& item = table(node, "joints");
    Joint joint;
    joint.name = named(item, "name", "a joint");
    const std::string owner = "joint " + in_quotes(joint.name);
    check_keys(
        item,
        {"name", "type", "parent", "child", "xyz", "rpy", "axis", "lower", "upper", "velocity", "effort"},
        owner);
    declare(joints_, "joint", joint.name, node, static_cast<int>(spec_.joints.size()));
    joint.type = type_of(needed(item, "type", owner));
    joint.parent = named(item, "parent", owner);
    joint.child = named(item, "child", owner);
    const int parent = link_of(item, "parent", joint.parent), child = link_of(item, "child", joint.child);
    if (parent == child) fail(node, owner + ": parent and child are the same link");
    parent_joint_.resize(spec_.links.size(), -1);
    int& above = parent_joint_[at(child)];
    if (above >= 0)
      fail(*item.get("child"), fmt::format("link {} is already the child of joint {}", in_quotes(joint.child),
                                           in_quotes(spec_.joints[at(above)].name)));
    above = static_cast<int>(spec_.joints.size());
    joint.p_PJ = vector_or_zero(item, "xyz", kMaxPosition);
    joint.R_PJ = euler::from_roll_pitch_yaw(vector_or_zero(item, "rpy", kMaxAngle));
    if (joint.type == JointType::Fixed) {
      for (const char* key : {"axis", "lower", "upper", "velocity", "effort"}) {
        if (const toml::node* surplus = item.get(key))
          fail(*surplus, owner + " is fixed: it has no `" + key + "`");
      }
    } else {
      read_motion(item, owner, joint);
    }
    spec_.joints.push_back(std::move(joint));
  }

  JointType type_of(const toml::node& node) const {
    const std::string type = text(node, "type");
    for (const JointType known : {JointType::Revolute, JointType::Prismatic, JointType::Fixed}) {
      if (type == to_string(known)) return known;
    }
    fail(node, unknown_name("type", type, "joints", {"revolute", "prismatic", "fixed"}));
  }

  // reads the keys of movable joints
  void read_motion(const toml::table& item, const std::string& owner, Joint& joint) const {
    const toml::node& axis = needed(item, "axis", owner);
    joint.axis = vector<3>(axis, "axis", kMaxPosition);
    const double largest = joint.axis.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) fail(axis, "`axis` is zero; it needs a direction, such as [0, 0, 1]");
    // a unit vector is kept to the bit, so that written tables read back unchanged
    if (std::abs(joint.axis.squaredNorm() - 1.0) >= 1e-15) joint.axis = (joint.axis / largest).normalized();
    joint.lower = number_or(item, "lower", -kInfinity, -kInfinity, kInfinity);
    joint.upper = number_or(item, "upper", kInfinity, -kInfinity, kInfinity);
    check_range(item, owner, joint.lower, joint.upper);
    joint.velocity = number_or(item, "velocity", kInfinity, 0.0, kInfinity);
    if (joint.velocity == 0.0)
      fail(*item.get("velocity"), "`velocity` must be more than 0; without a limit leave it out");
    joint.effort = number_or(item, "effort", kInfinity, 0.0, kInfinity);
  }

  void check_range(const toml::table& item, const std::string& owner, double lower, double upper) const {
    if (lower <= upper && lower < kInfinity && upper > -kInfinity) return;
    const toml::node* node = item.get("upper") != nullptr ? item.get("upper") : item.get("lower");
    fail(*node,
         fmt::format("{}: `lower` {:g} and `upper` {:g} leave no value between them", owner, lower, upper));
  }

  void check_one_root(const toml::node& place) {
    parent_joint_.resize(spec_.links.size(), -1);
    const Link* root = nullptr;
    for (std::size_t i = 0; i < spec_.links.size(); ++i) {
      if (parent_joint_[i] >= 0) continue;
      if (root != nullptr)
        fail(*place.as_array()->get(i),
             fmt::format("{} and {} are both roots: give one of them a parent joint", in_quotes(root->name),
                         in_quotes(spec_.links[i].name)));
      root = &spec_.links[i];
    }
  }

  // finds a joint of State::s
  std::string movable(const toml::node& node, const std::string& name) const {
    const auto found = joints_.find(name);
    if (found != joints_.end() && spec_.joints[at(found->second)].type != JointType::Fixed) return name;
    std::vector<std::string> names;
    for (const Joint& joint : spec_.joints) {
      if (joint.type != JointType::Fixed) names.push_back(joint.name);
    }
    fail(node, unknown_name("movable joint", name, "`joints`", names, 12));
  }

  void read_row(const toml::node& node) {
    const toml::table& item = table(node, "rows");
    CoupledRow row;
    row.name = named(item, "name", "a row");
    const std::string owner = "row " + in_quotes(row.name);
    check_keys(item, {"name", "terms", "lower", "upper"}, owner);
    const toml::node& terms = needed(item, "terms", owner);
    for (const toml::node& term : items(terms, "terms")) {
      const toml::array& pair = array(term, "terms");
      if (pair.size() != 2) fail(term, "a term is [coefficient, \"joint\"]");
      const double coefficient = number(*pair.get(0), "terms", -kMaxFactor, kMaxFactor);
      const std::string joint = movable(*pair.get(1), word(*pair.get(1), "terms"));
      for (const CoupledRow::Term& other : row.terms) {
        if (other.joint == joint) fail(term, fmt::format("{} has joint {} twice", owner, in_quotes(joint)));
      }
      row.terms.push_back({joint, coefficient});
    }
    if (row.terms.empty()) fail(terms, owner + " has no terms");
    row.lower = number_or(item, "lower", -kInfinity, -kInfinity, kInfinity);
    row.upper = number_or(item, "upper", kInfinity, -kInfinity, kInfinity);
    check_range(item, owner, row.lower, row.upper);
    if (std::isinf(row.lower) && std::isinf(row.upper))
      fail(node, owner + " has neither `lower` nor `upper`");
    spec_.rows.push_back(std::move(row));
  }

  void read_mimic(const toml::node& node) {
    const toml::table& item = table(node, "mimics");
    check_keys(item, {"joint", "source", "multiplier", "offset"}, "a mimic");
    const toml::node &joint = needed(item, "joint", "a mimic"), &source = needed(item, "source", "a mimic");
    Mimic mimic;
    mimic.joint = movable(joint, word(joint, "joint"));
    mimic.source = movable(source, word(source, "source"));
    if (mimic.joint == mimic.source) fail(node, "joint " + in_quotes(mimic.joint) + " mimics itself");
    mimic.multiplier = number_or(item, "multiplier", 1.0, -kMaxFactor, kMaxFactor);
    mimic.offset = number_or(item, "offset", 0.0, -kMaxFactor, kMaxFactor);
    spec_.mimics.push_back(std::move(mimic));
  }

  void read_rest(const toml::table& rest) {
    std::unordered_map<std::string, int> dof;
    std::vector<const Joint*> joints;
    for (const Joint& joint : spec_.joints) {
      if (joint.type == JointType::Fixed) continue;
      dof.emplace(joint.name, static_cast<int>(joints.size()));
      joints.push_back(&joint);
    }
    spec_.rest.resize(static_cast<Eigen::Index>(joints.size()));
    for (std::size_t i = 0; i < joints.size(); ++i)
      spec_.rest[static_cast<Eigen::Index>(i)] = std::clamp(0.0, joints[i]->lower, joints[i]->upper);
    for (const auto& [key, node] : rest) {
      const std::string name = movable(node, std::string(key.str()));
      const int i = dof.at(name);
      const double value = number(node, name, -kMaxPosition, kMaxPosition);
      if (!(value >= joints[at(i)]->lower && value <= joints[at(i)]->upper))
        fail(node, fmt::format("joint {} has the rest position {:g}, outside its limits {:g} to {:g}",
                               in_quotes(name), value, joints[at(i)]->lower, joints[at(i)]->upper));
      spec_.rest[i] = value;
    }
  }

  ModelSpec spec_;
  std::unordered_map<std::string, int> links_, joints_;  // by name
  std::vector<int> parent_joint_;                        // by link; -1: none
};

}  // namespace

Model read_model_table(std::string_view text, const std::string& name) {
  if (text.size() > kModelTableMaxBytes)
    throw FormatError(fmt::format("{}: larger than {} bytes", name, kModelTableMaxBytes));
  return Reader(name).read(text);
}

}  // namespace panto::io
