#pragma once
// Raw inertial sensors onto a model: `panto track IMUFILE --sensors sensors.toml`.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/sensed_body.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/io/report_page.hpp"
#include "panto/io/state_file.hpp"

namespace panto::app {

struct ImuTrackingOptions {
  SensedBodyOptions body;
  std::vector<std::string> outputs;
  std::string report;  ///< an HTML page beside the outputs; empty: none
  io::AngleConvention angles = io::AngleConvention::Model;
  bool deviations = false;  ///< standard deviations in the outputs
  double settle = 0.5;      ///< [s]
};

struct ImuTrackingResult {
  ReportCard card;
  std::vector<SensorSummary> sensors;
  std::vector<std::string> written;
  bool complete = true;  ///< every output is, with every frame
};

/// A recording of raw sensors, a model and the chain filter, ready to run once.
class ImuTracking {
 public:
  /// Opens and checks everything and says the notes. @throws Error with the reason: FormatError for units
  /// that cannot be right and sensors that never measure.
  explicit ImuTracking(ImuTrackingOptions options);
  ImuTracking(const ImuTracking&) = delete;
  ImuTracking& operator=(const ImuTracking&) = delete;

  /// Tracks to the end, writes the outputs. @throws FormatError when no sample could be followed.
  [[nodiscard]] ImuTrackingResult run();

  [[nodiscard]] const Model& model() const noexcept { return body_->model(); }
  [[nodiscard]] const io::ImuClip& clip() const noexcept { return body_->clip(); }

 private:
  void open_outputs();
  void close_outputs(ImuTrackingResult& result);

  ImuTrackingOptions options_;
  std::optional<SensedBody> body_;
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::unique_ptr<io::ReportPage> page_;
  std::vector<std::string> notes_;
};

/// A JSON array: how each sensor agreed.
[[nodiscard]] std::string sensors_json(const std::vector<SensorSummary>& sensors);
/// The card and, under "sensors", how each of them agreed: one JSON object.
[[nodiscard]] std::string imu_json(const ImuTrackingResult& result);

}  // namespace panto::app
