#include "panto/synthesis/imu_signals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/synthesis/link_motion.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

MotionLaw motion_law(const Synthesis& synthesis) {
  return [synthesis](Time t, State& state, StateAcceleration& acceleration) {
    synthesis.evaluate(t, state);
    acceleration = synthesis.acceleration(t);
  };
}

namespace {

constexpr double kInternalHz = 1000.0;
constexpr int kShortestBurst = 5, kLongestBurst = 30;  // [samples]

struct Kind {
  enum Index : int { Gyro, Acc, Mag };
};
// of `effect_engine`, beyond those of the three kinds
struct Effect {
  enum Index : int { Turn = 100, Shift, Sensitivity, Tissue, Loss, Burst, Delay };
};

void require(bool holds, const char* what) {
  if (!holds) throw ConfigError(std::string("inertial signals: ") + what);
}

bool is_part(double x) { return x >= 0.0 && x <= 1.0; }
bool is_size(double x) { return x >= 0.0 && std::isfinite(x); }

void check(const ImuSignalOptions& o, const std::vector<ImuMount>& mounts) {
  require(is_size(o.g_sensitivity) && is_size(o.mounting.turn) && is_size(o.mounting.shift),
          "`g_sensitivity`, `mounting.turn` and `mounting.shift` must be finite and not negative");
  require(is_part(o.packets.loss) && is_part(o.packets.burst), "`loss` and `burst` must be 0 to 1");
  require(is_size(o.packets.delay) && std::abs(o.packets.clock_skew) <= 0.01,
          "`delay` must not be negative, `clock_skew` within 0.01 of 0");
  if (o.soft_tissue) {
    require(o.soft_tissue->frequency_hz > 0.0 && o.soft_tissue->damping > 0.0 &&
                o.soft_tissue->frequency_hz <= 50.0,
            "the soft tissue's `frequency_hz` must be above 0 and at most 50, its `damping` above 0");
    require(is_size(o.soft_tissue->share) && is_size(o.soft_tissue->turn),
            "the soft tissue's `share` and `turn` must be finite and not negative");
  }
  const auto known = [&mounts](const std::string& name) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const ImuMount& m) { return m.name == name; });
  };
  std::vector<std::string> names;
  names.reserve(mounts.size());
  for (const ImuMount& mount : mounts) names.push_back(mount.name);
  for (const Steel& steel : o.steel) {
    if (!known(steel.sensor)) throw ConfigError(unknown_name("sensor", steel.sensor, "the signals", names));
  }
  if (o.packets.burst_sensor && !known(*o.packets.burst_sensor))
    throw ConfigError(unknown_name("sensor", *o.packets.burst_sensor, "the signals", names));
}

// a mass on a spring and damper in the link's frame, driven by the link's acceleration
class Flesh {
 public:
  Flesh(const SoftTissue& tissue, std::mt19937_64 engine)
      : pull_(power(2.0 * std::numbers::pi * tissue.frequency_hz, 2)),
        drag_(4.0 * std::numbers::pi * tissue.frequency_hz * tissue.damping),
        share_(tissue.share),
        turn_(tissue.turn) {
    do axis_ = normal3(engine);
    while (axis_.norm() < 0.1);
    axis_.normalize();
  }

  // advances by dt with the acceleration of the position in the link's axes
  void shake(const Vector3d& a_L, double dt) noexcept {
    force_ = -share_ * a_L - pull_ * u - drag_ * udot;
    udot += dt * force_;
    u += dt * udot;
  }

  // acceleration relative to a point fixed to the link; w in the link's axes
  [[nodiscard]] Vector3d extra(const Vector3d& w) const noexcept { return force_ + 2.0 * w.cross(udot); }

  [[nodiscard]] Vector3d turn() const noexcept { return turn_ * axis_; }

  Vector3d u = Vector3d::Zero(), udot = Vector3d::Zero();  // [m], [m/s]

 private:
  double pull_, drag_, share_, turn_;
  Vector3d force_ = Vector3d::Zero(), axis_;
};

struct Felt {
  Vector3d gyro, acc, mag;
};

// one sensor from the bone to its output
class Imu {
 public:
  Imu(const Model& model, const ImuMount& nominal, const ImuSignalOptions& options, double internal_hz,
      int number)
      : mount(nominal),
        options_(options),
        link_(model.link_index(nominal.link)),
        gyro_("gyroscope", options.gyro, options.rate_hz, options.seed, number, Kind::Gyro),
        acc_("accelerometer", options.acc, options.rate_hz, options.seed, number, Kind::Acc),
        mag_("magnetometer", options.mag, options.rate_hz, options.seed, number, Kind::Mag) {
    const auto engine = [&](int effect) { return effect_engine(options.seed, number, effect); };
    std::mt19937_64 turn = engine(Effect::Turn), shift = engine(Effect::Shift),
                    sensitivity = engine(Effect::Sensitivity);
    mount.R_LI = nominal.R_LI * so3::exp(options.mounting.turn * normal3(turn));
    mount.p_LI += options.mounting.shift * normal3(shift);
    for (int i = 0; i < 3; ++i) sensitivity_.col(i) = options.g_sensitivity * normal3(sensitivity);
    if (options.soft_tissue) flesh_.emplace(*options.soft_tissue, engine(Effect::Tissue));
    if (options.low_pass_hz) {
      low_pass_.assign(2, Butterworth(*options.low_pass_hz, internal_hz));
    }
    hinges_ = hinges_before(model, link_);
  }

  // returns the perfect reading, `dt` after the last one, after its low-pass
  [[nodiscard]] Felt feel(const LinkMotions& links, const State& state, double dt) {
    const LinkMotion motion = links.link(link_);
    const Matrix3d R_LW = motion.R_WL.transpose();
    Matrix3d R_LI = mount.R_LI;
    Vector3d w_L = R_LW * motion.w_WL, p_LI = mount.p_LI, extra = Vector3d::Zero(),
             turning = Vector3d::Zero();
    if (flesh_) {
      flesh_->shake(R_LW * motion.acceleration_at(p_LI), dt);
      p_LI += flesh_->u;
      extra = flesh_->extra(w_L);
      double angle = 0.0, rate = 0.0;
      for (const int hinge : hinges_) angle += state.s[hinge], rate += state.sdot[hinge];
      R_LI = so3::exp(angle * flesh_->turn()) * R_LI;
      turning = rate * flesh_->turn();
    }
    const Vector3d f_L = R_LW * (motion.acceleration_at(p_LI) - options_.surroundings.gravity_W) + extra;
    const Vector3d m_W = field(motion.p_WL + motion.R_WL * p_LI);
    const Matrix3d R_IL = R_LI.transpose();
    Felt felt{R_IL * (w_L + turning), R_IL * f_L, R_IL * (R_LW * m_W)};
    if (!low_pass_.empty()) {
      felt.gyro = low_pass_[0].filter(felt.gyro);
      felt.acc = low_pass_[1].filter(felt.acc);
    }
    return felt;
  }

  [[nodiscard]] ImuReading read(const Felt& felt, double seconds) {
    ImuReading reading;
    reading.gyro = gyro_.read(felt.gyro + sensitivity_ * felt.acc);
    reading.acc = acc_.read(felt.acc);
    Vector3d m = felt.mag;
    for (const Steel& steel : options_.steel) {
      if (steel.sensor == mount.name && seconds >= steel.from && seconds < steel.to) m += steel.field_I;
    }
    reading.has_gyro = reading.has_acc = true;
    if (options_.magnetometers) {
      reading.mag = mag_.read(m);
      reading.has_mag = true;
    }
    return reading;
  }

  [[nodiscard]] Vector3d gyro_bias() const { return gyro_.bias(); }

  ImuMount mount;

 private:
  // returns the joints of the last group of hinges before a link
  static std::vector<int> hinges_before(const Model& model, int link) {
    const Tree& tree = model.tree();
    std::vector<int> hinges;
    int group = -1;
    for (int body = model.frame(link).body; body > 0; body = tree.parent[at(body)]) {
      if (!hinges.empty() && tree.group[at(body)] != group) break;
      if (tree.type[at(body)] != JointType::Revolute) continue;
      group = tree.group[at(body)];
      hinges.push_back(tree.dof[at(body)]);
    }
    return hinges;
  }

  [[nodiscard]] Vector3d field(const Vector3d& p_W) const noexcept {
    Vector3d m = options_.surroundings.field_W;
    for (const Dipole& dipole : options_.dipoles) {
      const Vector3d off = p_W - dipole.p_W;
      const double d = std::max(off.norm(), 0.02);  // no object gets nearer than its size
      const Vector3d u = off / d;
      m += (3.0 * u * u.dot(dipole.moment) - dipole.moment) / (d * d * d);
    }
    return m;
  }

  const ImuSignalOptions& options_;
  int link_;
  std::vector<int> hinges_;
  Triad gyro_, acc_, mag_;
  Matrix3d sensitivity_ = Matrix3d::Zero();
  std::optional<Flesh> flesh_;
  std::vector<Butterworth> low_pass_;
};

// draws lost readings, sensor by sensor
class Losses {
 public:
  Losses(const PacketErrors& packets, const std::string& sensor, std::uint64_t seed, int number)
      : loss_(packets.loss),
        burst_(!packets.burst_sensor || *packets.burst_sensor == sensor ? packets.burst : 0.0),
        loss_engine_(effect_engine(seed, number, Effect::Loss)),
        burst_engine_(effect_engine(seed, number, Effect::Burst)) {}

  [[nodiscard]] bool next() {
    if (left_ > 0) return --left_, true;
    if (burst_ > 0.0 && uniform(burst_engine_) < burst_) {
      const double length = uniform(burst_engine_, kShortestBurst, kLongestBurst + 1);
      left_ = static_cast<int>(length) - 1;
      return true;
    }
    return loss_ > 0.0 && uniform(loss_engine_) < loss_;
  }

 private:
  double loss_, burst_;
  std::mt19937_64 loss_engine_, burst_engine_;
  int left_ = 0;
};

// samples in the order of arrival, stamped by the sensors' clock
void deliver(const PacketErrors& packets, std::uint64_t seed, std::vector<ImuSample>& samples) {
  std::mt19937_64 engine = effect_engine(seed, -1, Effect::Delay);
  std::vector<std::pair<Time, std::size_t>> arrival;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    arrival.emplace_back(samples[k].t + from_seconds(packets.delay * uniform(engine)), k);
    samples[k].t += from_seconds(packets.clock_skew * to_seconds(samples[k].t));
  }
  if (packets.delay == 0.0) return;
  std::sort(arrival.begin(), arrival.end());
  std::vector<ImuSample> ordered;
  ordered.reserve(samples.size());
  for (const auto& [t, k] : arrival) ordered.push_back(std::move(samples[k]));
  samples = std::move(ordered);
}

// all sensors on one moving body
class Body {
 public:
  Body(const Model& model, const MotionLaw& law, const std::vector<ImuMount>& mounts,
       const ImuSignalOptions& options)
      : law_(law), options_(options), links_(model), state_(rest_state(model)), felt_(mounts.size()) {
    const bool dynamic = options.low_pass_hz || options.soft_tissue;
    if (dynamic) steps_ = std::max(1, static_cast<int>(std::ceil(kInternalHz / options.rate_hz)));
    internal_hz_ = steps_ * options.rate_hz;
    acceleration_.sddot = Eigen::VectorXd::Zero(model.dof());
    for (const ImuMount& mount : mounts) {
      const int number = static_cast<int>(imus_.size());
      imus_.emplace_back(model, mount, options, internal_hz_, number);
      losses_.emplace_back(options.packets, mount.name, options.seed, number);
    }
  }

  void record(std::int64_t frames, ImuSignals& result) {
    for (const Imu& imu : imus_) {
      result.mounts.push_back(imu.mount);
      result.gyro_bias.emplace_back(3, frames);
    }
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      move(frame);
      ImuSample sample;
      sample.t = frame_time(frame, options_.rate_hz);
      for (std::size_t k = 0; k < imus_.size(); ++k) {
        const ImuReading reading = imus_[k].read(felt_[k], to_seconds(sample.t));
        sample.imus.push_back(losses_[k].next() ? ImuReading{} : reading);
        result.gyro_bias[k].col(static_cast<Eigen::Index>(frame)) = imus_[k].gyro_bias();
      }
      result.samples.push_back(std::move(sample));
    }
  }

 private:
  // from the last sample to this one
  void move(std::int64_t frame) {
    for (int step = frame == 0 ? steps_ : 1; step <= steps_; ++step) {
      law_(frame_time((frame - 1) * steps_ + step, internal_hz_), state_, acceleration_);
      links_.update(state_, acceleration_);
      for (std::size_t k = 0; k < imus_.size(); ++k)
        felt_[k] = imus_[k].feel(links_, state_, 1.0 / internal_hz_);
    }
  }

  const MotionLaw& law_;
  const ImuSignalOptions& options_;
  int steps_ = 1;
  double internal_hz_ = 0.0;
  LinkMotions links_;
  State state_;
  StateAcceleration acceleration_;
  std::vector<Imu> imus_;
  std::vector<Losses> losses_;
  std::vector<Felt> felt_;
};

}  // namespace

ImuSignals imu_signals(const Model& model, const MotionLaw& law, const std::vector<ImuMount>& mounts,
                       const ImuSignalOptions& options) {
  check(options, mounts);
  const std::int64_t frames = frame_count(options.duration, options.rate_hz);
  ImuSignals result;
  Body(model, law, mounts, options).record(frames, result);
  deliver(options.packets, options.seed, result.samples);
  return result;
}

}  // namespace panto
