#include "panto/tracking/refined_sensors.hpp"

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kShown = 0.7;  // share of the prior standard deviation below which a value is shown

Vector3d three(const Eigen::VectorXd& values, std::size_t k) {
  return values.segment<3>(3 * static_cast<Eigen::Index>(k));
}

}  // namespace

RefinedBody refined_body(const InertialTracker& tracker) {
  RefinedBody body;
  const ImuModel& model = tracker.filter().model();
  const ChainShape &shape = tracker.chain().shape, sigma = tracker.filter().shape_deviation(tracker.chain()),
                   before = tracker.filter().shape_deviation(tracker.filter().start(tracker.start_state()));
  for (std::size_t k = 0; shape.place.size() > 0 && k < model.imus().size(); ++k) {
    const ImuMount& mount = model.imus()[k];
    const Vector3d now = three(sigma.place, k), then = three(before.place, k);
    body.places.push_back({mount.name, mount.link, mount.p_LI + three(shape.place, k), three(shape.place, k),
                           now, now.minCoeff() < kShown * then.minCoeff()});
  }
  for (std::size_t k = 0; shape.length.size() > 0 && k < model.lengths().size(); ++k) {
    const ChainLength& length = model.lengths()[k];
    const auto row = static_cast<Eigen::Index>(k);
    body.lengths.push_back({length.link, length.joint, length.nominal, length.nominal + shape.length[row],
                            sigma.length[row], sigma.length[row] < kShown * before.length[row]});
  }
  return body;
}

SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker) {
  const ChainState& chain = tracker.chain();
  const ChainShape sigma = tracker.filter().shape_deviation(chain);
  const Eigen::VectorXd turns = chain.P.diagonal()
                                    .segment(tracker.filter().constants(), chain.mounting.size())
                                    .cwiseMax(0.0)
                                    .cwiseSqrt();
  file.setup.gyro_bias.resize(file.setup.mounts.size());
  for (std::size_t k = 0; k < file.setup.mounts.size(); ++k) {
    ImuMount& mount = file.setup.mounts[k];
    file.setup.gyro_bias[k] = three(chain.bias, k);
    if (chain.shape.place.size() > 0) {
      mount.p_LI += three(chain.shape.place, k);
      mount.position_sigma = three(sigma.place, k).maxCoeff();
    }
    if (chain.mounting.size() > 0) {
      mount.R_LI = mount.R_LI * so3::exp(three(chain.mounting, k));
      mount.turn_sigma = three(turns, k).maxCoeff();
    }
  }
  return file;
}

}  // namespace panto
