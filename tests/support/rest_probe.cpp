// panto_rest_probe ROBOT COUNT SEED [CLIP]: where a robot comes to rest under targets that do not move, as
// JSON, for tests/python/test_rest_oracle.py. Half of the poses are frames of CLIP, the others drawn: a
// quarter that the robot can take, a quarter that it cannot.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/robot/skeleton.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/eigen_json.hpp"
#include "tests/support/person_clip.hpp"
#include "tests/support/random_model.hpp"

namespace {

using nlohmann::json;
using panto::test::Random;
using panto::test::to_json;

constexpr panto::Time kStep = 20'000'000;  // [ns]
constexpr int kMostSteps = 20'000;
constexpr double kAtRest = 1e-12;  // [rad/s], [m/s]: no joint and no base is faster

double speed(const panto::State& state) {
  return std::max({state.sdot.cwiseAbs().maxCoeff(), state.v_WB.norm(), state.w_WB.norm()});
}

// Segments that lie where a robot in a drawn pose has its links; moved by up to `off` [rad], and a third of
// that in metres.
panto::SegmentSample drawn(const panto::Model& robot, const panto::AttachmentMap& map, double off,
                           Random& random) {
  panto::State state = panto::rest_state(robot);
  for (int i = 0; i < robot.dof(); ++i)
    state.s[i] =
        panto::test::uniform(random, std::max(robot.lower()[i], -3.0), std::min(robot.upper()[i], 3.0));
  if (robot.floating_base()) {
    state.R_WB = panto::test::random_rotation(random);
    state.p_WB = panto::test::random_vector(random, 1.0);
  }
  panto::Kinematics kinematics(robot);
  kinematics.update(state);
  panto::SegmentSample sample;
  for (const panto::Attachment& a : map.attachments) {
    panto::SegmentMotion& segment = sample.segments.emplace_back();
    const int link = robot.link_index(a.link);
    segment.R_WS =
        panto::so3::exp(panto::test::random_vector(random, off)) * kinematics.R_WL(link) * a.R_SF.transpose();
    segment.p_WS = kinematics.p_WL(link) + panto::test::random_vector(random, off / 3.0);
    segment.has_orientation = segment.has_position = true;
  }
  return sample;
}

class Probe {
 public:
  Probe(const panto::Model& robot, panto::AttachmentMap map, const std::vector<std::string>& names)
      : robot_(robot), tracker_(robot, map, panto::robot_options(), names) {}

  // Holds one sample until nothing moves any more.
  json rest(panto::SegmentSample sample, const char* kind) {
    for (panto::SegmentMotion& segment : sample.segments)
      segment.has_angular_velocity = segment.has_linear_velocity = false;
    sample.t = 0;
    sample.cut = false;
    tracker_.reset();
    panto::State state = tracker_.rest_state();
    panto::StepStatus status{};
    int steps = 0;
    do {
      status = tracker_.step(sample, state);
      sample.t += kStep;
    } while (panto::usable(status) && ++steps < kMostSteps && (steps < 10 || speed(state) > kAtRest));
    json targets = json::array();
    for (const panto::Target& row : tracker_.targets().rows) {
      json out{{"link", robot_.link_names()[static_cast<std::size_t>(row.link)]}};
      if (row.has_orientation && row.orientation_weight > 0.0)
        out.update({{"R", to_json(row.R_WF)},
                    {"orientation_weight", row.orientation_weight},
                    {"orientation_gain", row.orientation_gain}});
      if (row.has_position && row.position_weight > 0.0)
        out.update({{"p", to_json(row.p_WF)},
                    {"position_weight", row.position_weight},
                    {"position_gain", row.position_gain}});
      targets.push_back(std::move(out));
    }
    return {{"kind", kind},
            {"status", to_string(status)},
            {"steps", steps},
            {"speed", speed(state)},
            {"targets", std::move(targets)},
            {"p_WB", to_json(state.p_WB)},
            {"R_WB", to_json(state.R_WB)},
            {"s", to_json(state.s)}};
  }

 private:
  const panto::Model& robot_;
  panto::SegmentTracker tracker_;
};

json rows_json(const panto::Model& robot) {
  json rows = json::array();
  for (const panto::CoupledRow& row : robot.rows()) {
    json terms = json::object();
    for (const auto& term : row.terms) terms[term.joint] = term.coefficient;
    json out{{"terms", std::move(terms)}};
    if (row.lower > -panto::kInfinity) out["lower"] = row.lower;
    if (row.upper < panto::kInfinity) out["upper"] = row.upper;
    rows.push_back(std::move(out));
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw panto::ConfigError("usage: panto_rest_probe ROBOT COUNT SEED [CLIP]");
  panto::ModelSpec spec = panto::io::shipped_robot(argv[1]).spec();
  const int count = std::atoi(argv[2]);
  Random random(std::strtoull(argv[3], nullptr, 10));
  const panto::robot::Map map = panto::robot::propose_robot_map(panto::Model(spec)).map;
  spec.rest = panto::robot::rest_of(map, panto::Model(spec));
  const panto::Model robot(spec);

  json poses = json::array();
  const int of_clip = argc > 4 ? count / 2 : 0;
  if (of_clip > 0) {
    const panto::test::PersonClip clip = panto::test::read_person_clip(argv[4]);
    panto::robot::Skeleton skeleton(robot, map, clip.subject, clip.names);
    Probe probe(robot, panto::test::attached(map.attachments, clip.names), clip.names);
    panto::SegmentSample posed;
    for (int k = 0; k < of_clip; ++k) {
      const auto frame =
          static_cast<std::size_t>(k) * clip.samples.size() / static_cast<std::size_t>(of_clip);
      skeleton.pose(clip.samples[frame], posed);
      poses.push_back(probe.rest(posed, "clip"));
    }
  }
  std::vector<std::string> names;
  for (const panto::Attachment& a : map.attachments.attachments) names.push_back(a.segment);
  Probe probe(robot, map.attachments, names);
  for (int k = of_clip; k < count; ++k) {
    const bool reachable = k % 2 == 0;
    poses.push_back(probe.rest(drawn(robot, map.attachments, reachable ? 0.0 : 0.6, random),
                               reachable ? "reachable" : "unreachable"));
  }
  const json result{{"urdf", panto::io::write_urdf(robot)},
                    {"joints", robot.joint_names()},
                    {"rest", to_json(robot.rest())},
                    {"rows", rows_json(robot)},
                    {"floating", robot.floating_base()},
                    {"dt", panto::to_seconds(kStep)},
                    {"poses", std::move(poses)}};
  std::puts(result.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
