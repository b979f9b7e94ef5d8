#include "panto/io/mjcf_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "panto/base/utf8.hpp"

namespace panto::io::mjcf {
namespace {

using pugi::xml_node;
using urdf::in_quotes;

constexpr std::string_view kExpand =
    "; open the model in MuJoCo, save it (mj_saveLastXML) and give that file";

// where an element is found: the frames around it in its body, and the class that applies
struct Place {
  int body = -1;  // -1: the world
  Pose frame;
  const ClassAttributes* childclass = nullptr;
  std::size_t depth = 0;
};

class TreeReader {
 public:
  explicit TreeReader(const Context& context) : context_(context), document_(context.document) {}

  BodyList read() {
    Place world;
    world.childclass = context_.classes.main();
    for (const xml_node section : document_.children(document_.root(), "worldbody")) {
      read_children(section, world);
    }
    name_the_unnamed();
    for (Body& body : list_.bodies) {
      for (BodyJoint& joint : body.joints) {
        joint.qpos = list_.qpos;
        list_.qpos += joint.motion == Motion::Free ? 7 : joint.motion == Motion::Ball ? 4 : 1;
      }
    }
    return std::move(list_);
  }

 private:
  void read_children(xml_node node, const Place& place) {
    if (place.depth > kMjcfMaxDepth)
      document_.fail(node, fmt::format("bodies nest deeper than {}", kMjcfMaxDepth));
    for (const xml_node child : document_.children(node)) read_child(child, place);
  }

  void read_child(xml_node node, const Place& place) {
    const std::string_view element = node.name();
    if (element == "body") {
      read_body(node, place);
    } else if (element == "frame") {
      Place inner = place;
      inner.childclass = context_.classes.of(document_, node, "childclass", place.childclass);
      inner.frame = place.frame * pose_of(Element(document_, node, "frame", nullptr), context_.compiler);
      ++inner.depth;
      read_children(node, inner);
    } else if (element == "joint" || element == "freejoint") {
      if (place.body < 0) document_.fail(node, "the world cannot have joints");
      add_joint(node, place);
    } else if (element == "geom" && place.body >= 0) {
      const ClassAttributes* own = context_.classes.of(document_, node, "class", place.childclass);
      body_of(place).geoms.push_back({Element(document_, node, "geom", own), place.frame});
    } else if (element == "inertial" && place.body >= 0) {
      Body& body = body_of(place);
      if (body.inertial) document_.fail(node, "a second <inertial> of the body");
      body.inertial = node;
    } else if (element == "replicate" || element == "attach" || element == "composite" ||
               element == "flexcomp") {
      refuse_or_note(node, place);
    }
  }

  // what MuJoCo alone can make: left out beside the robot, refused in it when it makes bodies
  void refuse_or_note(xml_node node, const Place& place) {
    const bool shapes_only = std::string_view{node.name()} == "replicate" && !node.find_node([](xml_node n) {
      const std::string_view name = n.name();
      return name == "body" || name == "joint" || name == "include" || name == "attach";
    });
    if (place.body >= 0 && !shapes_only)
      document_.fail(node, fmt::format("<{}> is not supported{}", node.name(), kExpand));
    context_.remarks.add(
        fmt::format("<{}> is ignored, in", node.name()),
        place.body < 0 ? std::string_view("worldbody") : std::string_view(body_of(place).name));
  }

  Body& body_of(const Place& place) { return list_.bodies[static_cast<std::size_t>(place.body)]; }

  std::string name_of(xml_node node) const {
    const std::string name = node.attribute("name").value();
    if (!is_utf8(name)) document_.fail(node, "attribute 'name' is not UTF-8 text");
    return name;
  }

  void read_body(xml_node node, const Place& place) {
    if (list_.bodies.size() >= kMjcfMaxBodies)
      document_.fail(node, fmt::format("more than {} bodies", kMjcfMaxBodies));
    const auto index = static_cast<int>(list_.bodies.size());
    Body body;
    body.node = node;
    body.name = name_of(node);
    if (body.name == "world") document_.fail(node, "a body cannot be called 'world'");
    if (!body.name.empty()) claim(body_names_, body.name, node, "body");
    body.parent = place.body;
    body.top = place.body < 0 ? index : body_of(place).top;
    body.pose = place.frame * pose_of(Element(document_, node, "body", nullptr), context_.compiler);
    list_.bodies.push_back(std::move(body));
    Place inner;
    inner.body = index;
    inner.childclass = context_.classes.of(document_, node, "childclass", place.childclass);
    inner.depth = place.depth + 1;
    read_children(node, inner);
  }

  void add_joint(xml_node node, const Place& place) {
    if (++joints_ > kMjcfMaxBodies) document_.fail(node, fmt::format("more than {} joints", kMjcfMaxBodies));
    const bool free_element = std::string_view{node.name()} == "freejoint";
    const ClassAttributes* own =
        free_element ? nullptr : context_.classes.of(document_, node, "class", place.childclass);
    const Element element(document_, node, "joint", own);
    const int type = free_element ? 0 : element.choice("type", {"free", "ball", "slide", "hinge"}, 3);
    BodyJoint joint{{element, place.frame}, static_cast<Motion>(type), name_of(node), 0};
    if (!joint.name.empty()) claim(joint_names_, joint.name, node, "joint");
    Body& body = body_of(place);
    const bool is_free = joint.motion == Motion::Free;
    if (is_free && body.parent >= 0) element.fail("a free joint is only allowed on a body of the world");
    if (!body.joints.empty() && (is_free || body.floats()))
      element.fail("a body with a free joint cannot have another joint");
    if (!is_free) ++list_.bodies[static_cast<std::size_t>(body.top)].moving;
    body.joints.push_back(std::move(joint));
  }

  using Names = std::unordered_map<std::string, xml_node>;
  void claim(Names& names, const std::string& name, xml_node node, const char* what) const {
    const auto [first, is_new] = names.emplace(name, node);
    if (!is_new)
      document_.fail(
          node, fmt::format("a {} of this name is already at {}", what, document_.place_of(first->second)));
  }

  void name_the_unnamed() {
    const auto is_new = [](Names& names) {
      return [&names](const std::string& name) { return names.emplace(name, xml_node()).second; };
    };
    for (std::size_t i = 0; i < list_.bodies.size(); ++i) {
      Body& body = list_.bodies[i];
      if (body.name.empty()) {
        body.name = unused(fmt::format("body{}", i + 1), is_new(body_names_));
        context_.remarks.add("bodies without a name are called", body.name);
      }
      for (std::size_t j = 0; j < body.joints.size(); ++j) {
        BodyJoint& joint = body.joints[j];
        if (!joint.name.empty()) continue;
        const std::string number = body.joints.size() > 1 ? std::to_string(j + 1) : "";
        joint.name = unused(fmt::format("{}_joint{}", body.name, number), is_new(joint_names_));
        if (joint.motion != Motion::Free)
          context_.remarks.add("joints without a name are called", joint.name);
      }
    }
  }

  const Context& context_;
  const Document& document_;
  BodyList list_;
  Names body_names_, joint_names_;
  std::size_t joints_ = 0;
};

}  // namespace

BodyList read_bodies(const Context& context) { return TreeReader(context).read(); }

}  // namespace panto::io::mjcf
