#include "panto/io/chain_file.hpp"

#include <fmt/core.h>

#include <set>

#include "panto/io/text_scanner.hpp"
#include "panto/io/toml_reader.hpp"
#include "panto/io/toml_text.hpp"

namespace panto::io {
namespace {

constexpr double kLargestLength = 1e3, kLargestTurn = 3600.0;  // [m], [deg]
constexpr double kDegree = 3.14159265358979323846 / 180.0;

class Reader : private TomlReader {
 public:
  explicit Reader(const std::string& name) : TomlReader(name) {}

  DhTree read(std::string_view content) {
    const toml::table root = parse(content);
    const toml::node* kind = root.get("kind");
    if (kind == nullptr || kind->value<std::string>() != "dh chain")
      throw FormatError(path() + ":1: no `kind = \"dh chain\"`: is this a chain?");
    const std::string owner = "a chain";
    check_keys(root, {"kind", "version", "name", "source", "convention", "base", "root", "links"}, owner);
    const toml::node& version = needed(root, "version", owner);
    check_version(version);
    tree_.name = text(needed(root, "name", owner), "name");
    tree_.convention = one_of(needed(root, "convention", owner), "convention", "classical", "modified")
                           ? DhConvention::Classical
                           : DhConvention::Modified;
    tree_.floating_base = one_of(needed(root, "base", owner), "base", "floating", "fixed");
    if (const toml::node* node = root.get("root")) tree_.root = text(*node, "root");
    const toml::node& links = needed(root, "links", owner);
    for (const toml::node& node : array(links, "links")) read_link(table(node, "links"));
    if (tree_.links.empty()) fail(links, "`links` is empty: a chain needs at least one link");
    return std::move(tree_);
  }

 private:
  // returns true for `first`, false for `second`; refuses everything else
  bool one_of(const toml::node& node, const std::string& key, const std::string& first,
              const std::string& second) const {
    const std::string word = text(node, key);
    if (word == first) return true;
    if (word != second) fail(node, "`" + key + "` must be \"" + first + "\" or \"" + second + "\"");
    return false;
  }

  void read_link(const toml::table& line) {
    DhLink link;
    const toml::node& name = needed(line, "name", "a link");
    link.name = text(name, "name");
    if (link.name.empty()) fail(name, "a link's `name` is empty");
    if (!names_.insert(link.name).second) fail(name, "two links are named '" + link.name + "'");
    const std::string owner = "link '" + link.name + "'";
    check_keys(line,
               {"name", "joint", "parent", "type", "theta_deg", "d", "a", "alpha_deg", "range_deg", "range",
                "speed_deg", "speed"},
               owner);
    if (const toml::node* node = line.get("type")) link.type = type(*node);
    link.joint = link.type == JointType::Fixed ? link.name + "_fixed" : "";
    if (link.type != JointType::Fixed) link.joint = text(needed(line, "joint", owner), "joint");
    if (const toml::node* node = line.get("parent")) link.parent = text(*node, "parent");
    link.theta = kDegree * optional_number(line, "theta_deg", kLargestTurn);
    link.alpha = kDegree * optional_number(line, "alpha_deg", kLargestTurn);
    link.a = optional_number(line, "a", kLargestLength);
    link.d = optional_number(line, "d", kLargestLength);
    read_limits(line, owner, link);
    tree_.links.push_back(std::move(link));
  }

  JointType type(const toml::node& node) const {
    const std::string word = text(node, "type");
    for (const JointType type : {JointType::Revolute, JointType::Prismatic, JointType::Fixed}) {
      if (word == to_string(type)) return type;
    }
    fail(node, "`type` must be \"revolute\", \"prismatic\" or \"fixed\"");
  }

  double optional_number(const toml::table& line, const std::string& key, double largest) const {
    const toml::node* node = line.get(key);
    return node == nullptr ? 0.0 : number(*node, key, -largest, largest);
  }

  // hinges in degrees, slides in metres; keys of the other unit are mistakes
  void read_limits(const toml::table& line, const std::string& owner, DhLink& link) const {
    const bool turns = link.type == JointType::Revolute, moves = link.type != JointType::Fixed;
    for (const std::string key : {"range_deg", "speed_deg", "range", "speed"}) {
      const bool in_degrees = key.ends_with("_deg");
      const toml::node* node = line.get(key);
      if (node != nullptr && (!moves || in_degrees != turns))
        fail(*node, fmt::format("{} is {}: it has no `{}`", owner, to_string(link.type), key));
    }
    const double unit = turns ? kDegree : 1.0, largest = turns ? kLargestTurn : kLargestLength;
    const std::string suffix = turns ? "_deg" : "";
    if (const toml::node* node = line.get("range" + suffix)) {
      const Eigen::Vector2d range = vector<2>(*node, "range" + suffix, largest);
      if (range[0] > range[1]) fail(*node, "`range" + suffix + "` must be [lower, upper]");
      link.lower = unit * range[0];
      link.upper = unit * range[1];
    }
    if (const toml::node* node = line.get("speed" + suffix)) {
      link.velocity = unit * number(*node, "speed" + suffix, 0.0, 100.0 * largest);
      if (!(link.velocity > 0.0)) fail(*node, "`speed" + suffix + "` must be larger than 0");
    }
  }

  DhTree tree_{.name = "", .convention = DhConvention::Classical};
  std::set<std::string> names_;
};

}  // namespace

bool is_dh_chain(std::string_view head) { return has_kind(head, "dh chain"); }

DhTree read_dh_chain(const std::string& path) {
  return read_dh_chain(read_text_file(path, kDhChainMaxBytes), path);
}

DhTree read_dh_chain(std::string_view text, const std::string& name) { return Reader(name).read(text); }

}  // namespace panto::io
