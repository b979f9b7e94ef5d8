#include "panto/synthesis/segments.hpp"

#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/random_numbers.hpp"

namespace panto {

std::vector<std::string> measured_links(const Model& model) {
  for (const std::string& name : human_segment_names()) {
    if (!model.find_link(name)) return model.link_names();
  }
  return human_segment_names();
}

LinkSampler::LinkSampler(const Model& model, std::vector<std::string> links)
    : kinematics_(model), links_(std::move(links)) {
  for (const std::string& link : links_) index_.push_back(model.link_index(link));
}

void LinkSampler::sample(const State& state, SegmentSample& sample) {
  kinematics_.update_with_velocities(state);
  sample.t = state.t;
  sample.segments.resize(index_.size());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    SegmentMotion& segment = sample.segments[i];
    segment.R_WS = kinematics_.R_WL(index_[i]);
    segment.p_WS = kinematics_.p_WL(index_[i]);
    segment.w_WS = kinematics_.w_WL(index_[i]);
    segment.v_WS = kinematics_.v_WL(index_[i]);
    segment.has_orientation = segment.has_position = true;
    segment.has_angular_velocity = segment.has_linear_velocity = true;
  }
}

SegmentSample segment_sample(const Model& model, const State& state) {
  SegmentSample sample;
  LinkSampler(model, measured_links(model)).sample(state, sample);
  return sample;
}

Noise::Noise(const NoiseOptions& options) : options_(options), engine_(options.seed) {
  for (const double level :
       {options.attitude_deg_per_axis, options.angular_velocity, options.position, options.linear_velocity}) {
    if (std::isfinite(level) && level >= 0.0) continue;
    throw ConfigError("noise levels must be finite and >= 0; got " + std::to_string(level));
  }
}

void Noise::add_to(SegmentSample& sample) noexcept {
  const double attitude = options_.attitude_deg_per_axis * std::numbers::pi / 180.0;
  // draws every component, valid or zero or not, so that one level does not change the noise of the others
  const auto draw = [this](double level) {
    const double x = normal(engine_), y = normal(engine_), z = normal(engine_);
    return Eigen::Vector3d(level * x, level * y, level * z);
  };
  for (SegmentMotion& segment : sample.segments) {
    segment.R_WS = segment.R_WS * so3::exp(draw(attitude));
    segment.w_WS += draw(options_.angular_velocity);
    segment.p_WS += draw(options_.position);
    segment.v_WS += draw(options_.linear_velocity);
  }
}

SyntheticSource::SyntheticSource(Synthesis synthesis, const SyntheticSourceOptions& options)
    : synthesis_(std::move(synthesis)),
      sampler_(synthesis_.model(),
               options.links.empty() ? measured_links(synthesis_.model()) : options.links),
      options_(options),
      frames_(frame_count(options.duration, options.rate_hz)),
      state_(synthesis_.state(0)) {
  rewind();
}

ReadStatus SyntheticSource::read(SegmentSample& sample) noexcept {
  if (next_ == frames_) return ReadStatus::EndOfMotion;
  synthesis_.evaluate(frame_time(next_, options_.rate_hz), state_);
  ++next_;
  sampler_.sample(state_, sample);
  if (noise_) noise_->add_to(sample);
  return ReadStatus::Sample;
}

void SyntheticSource::rewind() {
  next_ = 0;
  noise_.reset();
  if (options_.noise) noise_.emplace(*options_.noise);
}

}  // namespace panto
