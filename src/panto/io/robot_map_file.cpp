#include "panto/io/robot_map_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/toml_reader.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/io/urdf_shapes.hpp"
#include "panto/model/human.hpp"
#include "panto/model/link_pairs.hpp"

namespace panto::io {
namespace {

constexpr double kLargestWeight = 1e9, kLargestRest = 1e3;
constexpr double kFarthest = 1e4;  // [m]
constexpr std::string_view kKind = "robot map";
constexpr std::array<std::pair<std::string_view, BaseKind>, 3> kBases{
    {{"fixed", BaseKind::Fixed}, {"roll", BaseKind::Rolling}, {"float", BaseKind::Floating}}};

class Reader : private TomlReader {
 public:
  explicit Reader(const std::string& name) : TomlReader(name) {}

  RobotMapFile read(std::string_view content) {
    const toml::table root = parse(content);
    const toml::node* kind = root.get("kind");
    if (kind == nullptr || !kind->is_string() || kind->as_string()->get() != kKind)
      throw FormatError(path() + ":1: no `kind = \"robot map\"`: is this a robot map?");
    check_keys(root,
               {"kind", "version", "model", "robot", "base", "segments", "offsets_wxyz", "rest", "relative",
                "shapes", "link_pairs", "obstacles"},
               "a robot map");
    const toml::node& version = needed(root, "version", "a robot map");
    check_version(version);
    const toml::node& model = needed(root, "model", "a robot map");
    file_.model = text(model, "model");
    if (file_.model.empty()) fail(model, "`model` must be a URDF, an MJCF or a shipped robot's name");
    if (const toml::node* robot = root.get("robot")) file_.map.robot = text(*robot, "robot");
    if (const toml::node* base = root.get("base")) file_.map.base = base_kind(*base);
    file_.map.attachments.source = "human";
    read_segments(table(needed(root, "segments", "a robot map"), "segments"));
    read_offsets(table(needed(root, "offsets_wxyz", "a robot map"), "offsets_wxyz"));
    if (const toml::node* rest = root.get("rest")) read_rest(table(*rest, "rest"));
    if (const toml::node* node = root.get("relative")) read_relative(table(*node, "relative"));
    if (const toml::node* node = root.get("shapes")) read_shapes(table(*node, "shapes"));
    if (const toml::node* node = root.get("link_pairs")) read_link_pairs(table(*node, "link_pairs"));
    if (const toml::node* node = root.get("obstacles")) read_obstacles(table(*node, "obstacles"));
    return std::move(file_);
  }

 private:
  void check_segment(const toml::key& key) const {
    if (find_human_segment(key.str()) < 0)
      fail(key.source(), unknown_name("segment", key.str(), "the human", human_segment_names()));
  }

  BaseKind base_kind(const toml::node& node) const {
    const std::string word = text(node, "base");
    for (const auto& [name, kind] : kBases)
      if (word == name) return kind;
    fail(node, unknown_name("base", word, "a robot map", {"fixed", "roll", "float"}));
  }

  std::string link(const toml::node& node, const std::string& key) const {
    std::string name = text(node, key);
    if (name.empty()) fail(node, "`" + key + "` is empty; it must name a link");
    return name;
  }

  // RightHand = "r_hand", or { link = "r_hand", position = true, orientation_weight = 2.0 }. TOML's tables
  // are sorted by key, but the root of the map is the first line of the file
  void read_segments(const toml::table& segments) {
    std::vector<std::pair<toml::source_position, Attachment>> found;
    for (const auto& [key, node] : segments) {
      check_segment(key);
      Attachment a;
      a.segment = std::string(key.str());
      const std::string owner = "`" + a.segment + "`";
      if (node.is_table()) {
        read_attachment(*node.as_table(), owner, a);
      } else {
        a.link = link(node, a.segment);
      }
      found.emplace_back(key.source().begin, std::move(a));
    }
    if (found.empty()) fail(segments, "`segments` is empty: a map needs at least one segment");
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    for (auto& [place, a] : found) file_.map.attachments.attachments.push_back(std::move(a));
  }

  void read_attachment(const toml::table& line, const std::string& owner, Attachment& a) const {
    check_keys(line,
               {"link", "orientation", "position", "orientation_weight", "position_weight", "touch_weight"},
               owner);
    a.link = link(needed(line, "link", owner), "link");
    if (const toml::node* node = line.get("orientation")) a.orientation = yes_or_no(*node, "orientation");
    if (const toml::node* node = line.get("position")) a.position = yes_or_no(*node, "position");
    if (const toml::node* node = line.get("orientation_weight"))
      a.orientation_weight = weight(*node, "orientation_weight");
    if (const toml::node* node = line.get("position_weight"))
      a.position_weight = weight(*node, "position_weight");
    if (const toml::node* node = line.get("touch_weight")) a.touch_weight = weight(*node, "touch_weight");
  }

  double weight(const toml::node& node, const std::string& key) const {
    const double value = number(node, key, 0.0, kLargestWeight);
    if (!(value > 0.0)) fail(node, "`" + key + "` must be larger than 0");
    return value;
  }

  // an offset belongs to the link for which it was found
  void read_offsets(const toml::table& offsets) {
    std::set<std::string> given;
    for (const auto& [key, node] : offsets) {
      check_segment(key);
      const std::string segment(key.str()), owner = "`" + segment + "`";
      const toml::table& line = table(node, segment);
      check_keys(line, {"link", "wxyz"}, owner);
      const std::string on = link(needed(line, "link", owner), "link");
      auto& all = file_.map.attachments.attachments;
      const auto a =
          std::find_if(all.begin(), all.end(), [&](const Attachment& x) { return x.segment == segment; });
      if (a == all.end()) fail(key.source(), owner + " has an offset but no line in `segments`");
      if (a->link != on)
        fail(key.source(),
             fmt::format(
                 "the offset of {} is for link '{}', but `segments` names '{}': give the offset of that "
                 "link, or run `panto map` again",
                 segment, on, a->link));
      a->R_SF = rotation(needed(line, "wxyz", owner), "wxyz");
      given.insert(segment);
    }
    for (const Attachment& a : file_.map.attachments.attachments) {
      if (!given.contains(a.segment)) fail(offsets, "`offsets_wxyz` has no line for " + a.segment);
    }
  }

  void read_rest(const toml::table& rest) {
    for (const auto& [key, node] : rest) {
      const std::string joint(key.str());
      file_.map.rest.emplace_back(joint, number(node, joint, -kLargestRest, kLargestRest));
    }
  }

  void read_relative(const toml::table& relative) {
    check_keys(relative, {"hands", "body", "firm"}, "`relative`");
    robot::RelativeTargets& own = file_.map.relative;
    if (const toml::node* node = relative.get("hands")) own.hands = yes_or_no(*node, "hands");
    if (const toml::node* node = relative.get("body")) own.body = yes_or_no(*node, "body");
    if (const toml::node* node = relative.get("firm")) own.firm = yes_or_no(*node, "firm");
  }

  void read_shapes(const toml::table& shapes) {
    for (const auto& [key, node] : shapes) {
      const std::string link(key.str());
      file_.map.shapes.emplace_back(link, capsules(node, link));
    }
  }

  // apart = [["left_hand", "right_hand"]], touch = [["torso", "left_arm"]]
  void read_link_pairs(const toml::table& pairs) {
    check_keys(pairs, {"apart", "touch"}, "`link_pairs`");
    for (const auto& [key, node] : pairs)
      for (const toml::node& one : array(node, std::string(key.str()))) {
        const toml::array* names = one.as_array();
        if (names == nullptr || names->size() != 2) fail(one, "a pair must be the names of two links in [ ]");
        file_.map.pair_rules.push_back(
            {link(*names->get(0), "link"), link(*names->get(1), "link"), key.str() == "apart"});
      }
  }

  // table = { shape = "box", position = [0.6, 0, 0.4], size = [0.8, 1.2, 0.8] }
  void read_obstacles(const toml::table& obstacles) {
    for (const auto& [key, node] : obstacles) {
      const std::string name(key.str()), owner = "obstacle '" + name + "'";
      const toml::table& line = table(node, name);
      const toml::node& shape = needed(line, "shape", owner);
      const std::string kind = text(shape, "shape");
      Obstacle& obstacle = file_.map.obstacles.emplace_back();
      obstacle.name = name;
      std::vector<std::string> keys{"shape", "position"};
      if (kind == "plane" || kind == "box") {
        keys.emplace_back("wxyz");
        if (const toml::node* wxyz = line.get("wxyz")) obstacle.R_WO = rotation(*wxyz, "wxyz");
      }
      obstacle.p_WO = vector<3>(needed(line, "position", owner), "position", kFarthest);
      if (kind == "box") {
        keys.emplace_back("size");
        const toml::node& size = needed(line, "size", owner);
        obstacle.shape = Obstacle::Shape::Box;
        obstacle.half = 0.5 * vector<3>(size, "size", kFarthest);
        if (!(obstacle.half.array() > 0.0).all()) fail(size, "`size` must be three lengths > 0");
      } else if (kind == "sphere" || kind == "capsule") {
        keys.emplace_back("radius");
        obstacle.shape = Obstacle::Shape::Capsule;
        obstacle.radius = number(needed(line, "radius", owner), "radius", 0.0, kFarthest);
        obstacle.end_W = obstacle.p_WO;
        if (kind == "capsule") {
          keys.emplace_back("end");
          obstacle.end_W = vector<3>(needed(line, "end", owner), "end", kFarthest);
        }
      } else if (kind != "plane") {
        fail(shape, unknown_name("shape", kind, owner, {"plane", "sphere", "capsule", "box"}));
      }
      check_keys(line, keys, owner);
    }
  }

  RobotMapFile file_;
};

std::string in_quotes(const std::string& name) {
  if (auto text = toml_string(name)) return std::move(*text);
  throw FormatError("'" + toml_comment(name) +
                    "': this name is not UTF-8, as a robot map requires; save the model as UTF-8");
}

class Writer {
 public:
  explicit Writer(const robot::MapProposal& proposal) : proposal_(proposal) {}

  std::string write(const std::string& model) {
    const robot::Map& map = proposal_.map;
    out_ = fmt::format(
        "# Maps segments of a person to links of the robot; found from its model.\n"
        "# Edit it, check it and use it: panto check THIS; panto retarget FILE --robot THIS\n"
        "kind = \"{}\"\nversion = 1\nmodel = {}  # from this file's folder, or a shipped name\nrobot = {}\n",
        kKind, in_quotes(model), in_quotes(map.robot));
    for (const auto& [name, kind] : kBases)
      if (map.base == kind) out_ += fmt::format("base = \"{}\"  # or fixed, roll, float\n", name);
    for (const std::string& note : proposal_.notes) out_ += "# " + toml_comment(note) + "\n";
    out_ +=
        "\n# The root first. After #: how well the joints turn it about x forward, y left, z up of the "
        "segment\n"
        "# in a T-pose (1 freely, 0 not at all), and the reason for this link.\n[segments]\n";
    for (std::size_t i = 0; i < map.attachments.attachments.size(); ++i) write_segment(i);
    out_ +=
        "\n# Link frames in their segments, quaternion (w, x, y, z). An edited link needs a new one.\n"
        "[offsets_wxyz]\n";
    for (const Attachment& a : map.attachments.attachments)
      out_ += fmt::format("{:<13} = {{ link = {}, wxyz = {} }}\n", a.segment, in_quotes(a.link),
                          toml_wxyz(a.R_SF));
    out_ +=
        "\n# Rest positions of joints [rad] or [m]; without a line: zero, else the middle of the "
        "range.\n[rest]\n";
    for (const auto& [joint, value] : map.rest)
      out_ += fmt::format("{} = {}\n", in_quotes(joint), toml_number(value));
    out_ += fmt::format(
        "\n# Keeps contacts of the hands with each other or the person's own body on the robot.\n"
        "[relative]\nhands = {}\nbody = {}\nfirm = {}\n",
        map.relative.hands, map.relative.body, map.relative.firm);
    if (!map.shapes.empty())
      out_ += "\n# Shapes of links: both ends of a segment, then its radius [m].\n[shapes]\n";
    for (const auto& [link, capsules] : map.shapes)
      out_ += in_quotes(link) + " = " + toml_capsules(capsules) + "\n";
    write_link_pairs(map.pair_rules);
    if (!map.obstacles.empty())
      out_ += "\n# Obstacles that the body avoids, in the world [m].\n[obstacles]\n";
    for (const Obstacle& obstacle : map.obstacles) write_obstacle(obstacle);
    return std::move(out_);
  }

 private:
  void write_link_pairs(const std::vector<LinkPairRule>& rules) {
    std::array<std::string, 2> lists;
    for (const LinkPairRule& rule : last_rules(rules)) {
      std::string& list = lists[rule.apart ? 0 : 1];
      list += (list.empty() ? "[" : ", [") + in_quotes(rule.first) + ", " + in_quotes(rule.second) + "]";
    }
    if (!rules.empty()) out_ += "\n# Links that keep apart, and links that may overlap.\n[link_pairs]\n";
    if (!lists[0].empty()) out_ += "apart = [" + lists[0] + "]\n";
    if (!lists[1].empty()) out_ += "touch = [" + lists[1] + "]\n";
  }

  void write_obstacle(const Obstacle& obstacle) {
    using enum Obstacle::Shape;
    const auto three = [](const Eigen::Vector3d& v) {
      return "[" + toml_number(v.x()) + ", " + toml_number(v.y()) + ", " + toml_number(v.z()) + "]";
    };
    const char* shape = obstacle.shape == Plane ? "plane" : obstacle.shape == Box ? "box" : "capsule";
    out_ += fmt::format("{} = {{ shape = \"{}\", position = {}", in_quotes(obstacle.name), shape,
                        three(obstacle.p_WO));
    if (obstacle.shape == Capsule)
      out_ += ", end = " + three(obstacle.end_W) + ", radius = " + toml_number(obstacle.radius);
    else
      out_ += ", wxyz = " + toml_wxyz(obstacle.R_WO);
    if (obstacle.shape == Box) out_ += ", size = " + three(2.0 * obstacle.half);
    out_ += " }\n";
  }

  void write_segment(std::size_t i) {
    const Attachment& a = proposal_.map.attachments.attachments[i];
    std::string line = "{ link = " + in_quotes(a.link);
    if (!a.orientation) line += ", orientation = false";
    if (a.position) line += ", position = true";
    if (a.orientation_weight) line += ", orientation_weight = " + toml_number(*a.orientation_weight);
    if (a.position_weight) line += ", position_weight = " + toml_number(*a.position_weight);
    if (a.touch_weight) line += ", touch_weight = " + toml_number(*a.touch_weight);
    line += " }";
    if (line.find(',') == std::string::npos) line = in_quotes(a.link);
    out_ += fmt::format("{:<13} = {:<46}", a.segment, line);
    if (i < proposal_.reasons.size()) {
      const robot::MapReason& reason = proposal_.reasons[i];
      out_ += fmt::format("  # {:.2f} {:.2f} {:.2f}  {}", reason.follows.x(), reason.follows.y(),
                          reason.follows.z(), toml_comment(reason.why));
    }
    out_ += '\n';
  }

  const robot::MapProposal& proposal_;
  std::string out_;
};

}  // namespace

std::string write_robot_map(const robot::MapProposal& proposal, const std::string& model) {
  return Writer(proposal).write(model);
}

RobotMapFile read_robot_map(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

RobotMapFile read_robot_map(const std::string& path) {
  return read_robot_map(read_text_file(path, kRobotMapMaxBytes), path);
}

std::string model_of_map(const RobotMapFile& file, const std::string& map_path) {
  const std::filesystem::path model(file.model);
  if (!is_model_file(file.model) || model.is_absolute()) return file.model;
  return (std::filesystem::path(map_path).parent_path() / model).string();
}

bool is_robot_map(std::string_view head) { return has_kind(head, kKind); }

bool is_robot_map_file(const std::string& path) {
  return extension_of(path) == ".toml" && is_robot_map(read_head(path));
}

}  // namespace panto::io
