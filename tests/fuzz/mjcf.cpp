// MJCF: a robot with finite shapes on its links, or a refusal.

#include "panto/io/mjcf.hpp"

#include "panto/io/urdf_shapes.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_mjcf(Bytes bytes) {
  const auto include = [](const std::string& file) -> std::optional<std::string> {
    if (file != "part.xml") return std::nullopt;
    return "<mujocoinclude><body name='part'><joint/><geom size='1'/></body></mujocoinclude>";
  };
  std::vector<std::string> notes;
  const io::MjcfRobot robot = io::read_mjcf_robot(text_of(bytes), "damaged.xml", include, &notes);
  promise(robot.model.links().size() <= 4 * io::kMjcfMaxBodies, "links are bounded");
  check_model(robot.model);
  for (const io::LinkShape& shape : robot.shapes.shapes) {
    promise(shape.size.allFinite() && shape.R_LG.allFinite() && shape.p_LG.allFinite(), "shapes are finite");
    promise(robot.model.find_link(shape.link).has_value(), "shapes are on links");
  }
}

constexpr const char* kMjcfRobot = R"(<mujoco model="bot">
<compiler angle="radian" eulerseq="xyz" meshdir="meshes"/>
<default><joint range="-1 1" armature="0.1"/>
<default class="leg"><joint axis="0 1 0"/><geom type="capsule" size="0.05 0.2"/></default></default>
<asset><mesh name="m" file="m.stl" scale="1 1 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="base" pos="0 0 1" quat="1 0 0 0.1"><freejoint name="free"/>
<inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/><geom type="mesh" mesh="m"/>
<body name="hip" pos="0 0.1 0" childclass="leg" euler="0 0.1 0">
<joint name="h1" axis="1 0 0" pos="0 0 0.1"/><joint name="h2" ref="0.1"/><geom/>
<frame pos="0 0 0.1" axisangle="0 0 1 0.2"><geom type="box" size="0.1 0.1 0.1"/></frame>
<body name="foot" pos="0 0 -0.3" zaxis="0 0.1 1"><joint name="b" type="ball" range="0 1"/>
<geom fromto="0 0 0 0 0 0.3" size="0.04"/></body></body>
<include file="part.xml"/></body></worldbody>
<equality><joint joint1="h2" joint2="h1" polycoef="0 0.5 0 0 0"/></equality>
<tendon><fixed name="t" range="-1 1"><joint joint="h1" coef="1"/><joint joint="h2" coef="-1"/></fixed></tendon>
<actuator><motor joint="h1" class="leg"/><velocity joint="h2" ctrlrange="-3 3"/></actuator>
</mujoco>)";

Seeds seeds_of_mjcf() { return {kMjcfRobot, io::write_mjcf(small_model())}; }

const Registered mjcf_target("mjcf", check_mjcf, seeds_of_mjcf);

}  // namespace
}  // namespace panto::fuzz
