// Writes NumPy archives of points and orientations.

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/part_file.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class NpzFile final : public SampleFile {
 public:
  NpzFile(const Destination& to, std::vector<std::string> segments, double rate_hz)
      : names_(std::move(segments)), rate_hz_(rate_hz), file_(to) {
    file_.end_header();
  }

  WriteStatus write(const SegmentSample& sample) noexcept override {
    if (sample.segments.size() != names_.size() || (!times_.empty() && sample.t <= last_))
      return WriteStatus::Dropped;
    try {
      times_.reserve(times_.size() + 1);
      for (const SegmentMotion& segment : sample.segments) {
        const Eigen::Vector4d q = segment.has_orientation ? so3::to_quaternion_wxyz(segment.R_WS)
                                                          : Eigen::Vector4d::Constant(kNone);
        for (const double x : segment.p_WS) positions_.push_back(segment.has_position ? x : kNone);
        for (const double x : q) orientations_.push_back(x);
      }
      times_.push_back(to_seconds(sample.t));
    } catch (const std::bad_alloc&) {
      positions_.resize(3 * names_.size() * times_.size());
      orientations_.resize(4 * names_.size() * times_.size());
      return WriteStatus::Dropped;
    }
    last_ = sample.t;
    return WriteStatus::Written;
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    const std::string frames = std::to_string(times_.size()), points = std::to_string(names_.size());
    const std::string bytes =
        pack_npz({{"keypoints.npy", npy(positions_, frames + ", " + points + ", 3")},
                  {"orientations.npy", npy(orientations_, frames + ", " + points + ", 4")},
                  {"names.npy", npy(names_, points + ",")},
                  {"times.npy", npy(times_, frames + ",")},
                  {"fps.npy", npy(std::vector<double>{rate_hz_}, "")},
                  {"up.npy", npy(std::vector<std::string>{"z"}, "")},
                  {"unit.npy", npy(std::vector<std::string>{"m"}, "")}});
    (void)file_.write(bytes);  // close() throws a failure
    file_.close();
  }

 private:
  std::vector<std::string> names_;
  double rate_hz_;
  PartFile file_;
  Time last_ = 0;
  bool closed_ = false;
  std::vector<double> times_, positions_, orientations_;
};

}  // namespace

std::unique_ptr<SampleFile> create_npz(const Destination& to, const std::vector<std::string>& segments,
                                       const SampleFileOptions& options) {
  if (!(options.rate_hz > 0.0 && std::isfinite(options.rate_hz)))
    throw ConfigError("an .npz file of keypoints needs a rate above 0 Hz");
  return std::make_unique<NpzFile>(to, segments, options.rate_hz);
}

}  // namespace panto::io
