// Maps of public robots, found from their files alone.

#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/ik/robot_map.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human_segments.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

RobotMapProposal proposal_of(const Model& model) { return propose_robot_map(model); }

[[maybe_unused]] std::map<std::string, std::string> links_of(const RobotMapProposal& proposal) {
  std::map<std::string, std::string> links;
  for (const Attachment& a : proposal.map.attachments.attachments) links[a.segment] = a.link;
  return links;
}

TEST(Dump, Fakes) {
  const Model model = io::read_urdf(test::data_file("models/icub/teleoperation_iCub_model_V_2_5.urdf"));
  Kinematics k(model);
  State s = rest_state(model);
  s.s.setZero();
  k.update(s);
  for (const Attachment& a : proposal_of(model).map.attachments.attachments) {
    const int link = model.link_index(a.link), fake = model.link_index(a.link + "_fake");
    const Eigen::Matrix3d R_SF = (k.R_WL(link).transpose() * k.R_WL(fake)).transpose();
    std::printf("%s %.3f\n", a.segment.c_str(), so3::distance(R_SF, a.R_SF) * kDegrees);
  }
}
TEST(Dump, Humans) {
  for (const char* f : {"01_48", "01_66", "03_48"}) {
    const Model model =
        io::read_urdf(test::data_file(std::string("models/human-gazebo/humanSubject") + f + "dof.urdf"));
    for (const Attachment& a : proposal_of(model).map.attachments.attachments)
      std::printf("%s %s %.4f\n", f, a.segment.c_str(),
                  so3::angle(a.R_SF) * kDegrees);
  }
}
TEST(Dump, Others) {
  for (const char* f : {"talos/talos_reduced", "talos/simple_humanoid", "talos/icub_reduced", "unitree/g1_29dof_rev_1_0", "unitree/h1"}) {
    const Model model =
        io::read_urdf(test::data_file(std::string("models/") + f + ".urdf"));
    for (const Attachment& a : proposal_of(model).map.attachments.attachments) {
      const Eigen::Vector3d v= so3::log(a.R_SF) * kDegrees;
      std::printf("%s %s %.3f %.3f %.3f\n", f, a.segment.c_str(), v.x(),v.y(),v.z());
    }
  }
}

}  // namespace
}  // namespace panto
