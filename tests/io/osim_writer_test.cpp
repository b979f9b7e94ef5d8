// Models that Panto writes for OpenSim. That OpenSim opens them and moves them alike:
// experiments/osim_models.py.

#include "panto/io/osim.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <set>

#include "panto/base/error.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

pugi::xml_node model_in(pugi::xml_document& document, const std::string& text) {
  EXPECT_TRUE(document.load_string(text.c_str()));
  return document.child("OpenSimDocument").child("Model");
}

std::set<std::string> names_under(pugi::xml_node node, const char* element) {
  std::set<std::string> names;
  for (const pugi::xpath_node found : node.select_nodes((std::string(".//") + element).c_str()))
    names.insert(found.node().attribute("name").value());
  return names;
}

TEST(OsimWriter, EveryMovableJointIsACoordinateAndEveryLinkWithMassABody) {
  std::vector<Model> models{human66(), human48()};
  for (const std::string& name : shipped_robots()) models.push_back(shipped_robot(name));
  for (const Model& model : models) {
    SCOPED_TRACE(model.name());
    pugi::xml_document document;
    const pugi::xml_node root = model_in(document, write_osim(model));
    const std::set<std::string> coordinates = names_under(root, "Coordinate");
    const std::set<std::string> bodies = names_under(root, "Body");
    EXPECT_EQ(coordinates.size(), static_cast<std::size_t>(model.dof()) + 6);
    for (const std::string& joint : model.joint_names()) EXPECT_TRUE(coordinates.contains(joint)) << joint;
    for (const Link& link : model.links()) {
      if (link.mass > 0.0) {
        EXPECT_TRUE(bodies.contains(link.name)) << link.name;
      }
    }
  }
}

TEST(OsimWriter, AHumansJointIsOneBallOfThreeCoordinatesWithoutMasslessLinks) {
  pugi::xml_document document;
  const pugi::xml_node root = model_in(document, write_osim(human66()));
  EXPECT_EQ(names_under(root, "Body").size(), 23U);
  EXPECT_EQ(names_under(root, "CustomJoint").size(), 23U);  // 22, and the one to the ground
  EXPECT_TRUE(names_under(root, "CustomJoint").contains("jRightHip"));
}

Model two_links(const std::string& link, const std::string& joint) {
  ModelSpec spec;
  spec.name = "a<b";
  spec.floating_base = false;
  spec.links = {Link{.name = "root"}, Link{.name = link}};
  spec.joints = {Joint{.name = joint, .type = JointType::Revolute, .parent = "root", .child = link}};
  return Model(spec);
}

TEST(OsimWriter, NamesAreEscapedAndThoseThatOpenSimRefusesAreChangedAndTold) {
  std::vector<std::string> notes;
  pugi::xml_document document;
  const pugi::xml_node root = model_in(document, write_osim(two_links("left & right/arm", "j<1>"), &notes));
  EXPECT_EQ(std::string(root.attribute("name").value()), "a<b");
  EXPECT_TRUE(names_under(root, "Body").contains("left_&_right_arm"));
  EXPECT_TRUE(names_under(root, "Coordinate").contains("j<1>"));
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("'left & right/arm' is called 'left_&_right_arm'") != std::string::npos;
  }));
  EXPECT_THROW((void)write_osim(two_links("arm", "pelvis_tilt")), ConfigError);
}

TEST(OsimWriter, AFixedBaseIsLockedAndMasslessLinksGetAMass) {
  std::vector<std::string> notes;
  pugi::xml_document document;
  const pugi::xml_node root = model_in(document, write_osim(two_links("arm", "j"), &notes));
  for (const pugi::xpath_node found : root.select_nodes(".//Coordinate")) {
    const bool base = std::string(found.node().attribute("name").value()).starts_with("pelvis_");
    EXPECT_EQ(std::string(found.node().child_value("locked")), base ? "true" : "false");
  }
  EXPECT_EQ(std::string(root.select_node(".//Body[@name='arm']/mass").node().child_value()), "0.0001");
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("massless links get 1e-4 kg: 2") != std::string::npos;
  }));
}

}  // namespace
}  // namespace panto::io
