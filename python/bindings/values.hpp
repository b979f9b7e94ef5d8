#pragma once
// What the parts of the extension share: values that Python holds, and jobs that it can watch and stop.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/io/input.hpp"
#include "panto/io/open_model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/report/report.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto::python {

namespace nb = nanobind;

/// Rows of numbers, one row a frame, as NumPy lays them out.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Quaternions = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

/// Returns a read-only array of `rows` without a copy. Keep `rows` alive with rv_policy::reference_internal.
[[nodiscard]] nb::ndarray<nb::numpy, const double> view(const Rows& rows);
[[nodiscard]] nb::ndarray<nb::numpy, const double> view(const Eigen::VectorXd& column);
/// Returns an array that owns its numbers.
[[nodiscard]] nb::ndarray<nb::numpy, double> owned(std::vector<double> values,
                                                   std::vector<std::size_t> shape);

/// Opens a file, or takes the bytes of one that is called `name`. Hold Python's lock.
[[nodiscard]] io::Input input_of(const std::string& name, const std::optional<nb::bytes>& content);

/// A recording, and whether a job reads it.
struct OpenRecording {
  std::unique_ptr<Recording> recording;
  std::vector<std::string> notes;               ///< of opening it
  std::shared_ptr<const SensedFigures> sensed;  ///< of raw sensors; null: it holds segments
  std::atomic<bool> busy = false;               ///< a job reads it
};

/// Holds a recording for one job, at its beginning. @throws ConfigError while another job reads it.
class Reading {
 public:
  explicit Reading(OpenRecording& recording);
  ~Reading() { recording_->busy = false; }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  [[nodiscard]] Recording& operator*() const { return *recording_->recording; }

 private:
  OpenRecording* recording_;
};

/// A model of a human, of a robot or of a file.
struct OpenModel {
  std::shared_ptr<const Model> model;
  std::vector<std::string> notes;
};

struct OpenRobot {
  Robot robot;
  std::shared_ptr<const io::RobotShapes> shapes;
};

/// A motion, and its numbers as arrays.
struct SolvedMotion {
  SolvedMotion(Motion solved, std::shared_ptr<const Model> of, std::shared_ptr<const Robot> by = nullptr);

  Motion motion;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Robot> robot;                    ///< or character; null: of a human or sensors
  Eigen::VectorXd times;                                 ///< [s]
  Rows base_position, base_quaternion, joint_positions;  ///< (T, 3), (T, 4) wxyz, (T, J)
  Rows base_velocity, base_angular_velocity, joint_velocities;
  std::vector<Eigen::VectorXd> deviation;  ///< of the joints by frame, for files; empty: not asked for
};

/// What a job yields.
struct JobResult {
  std::shared_ptr<SolvedMotion> motion;
  std::string json;
  Verdict verdict;
  std::vector<std::string> notes;
  std::optional<std::string> damage;
};

/// A job that Python watches: `progress(done, of)` may be None. Ctrl-C and errors of `progress` end it.
/// `done` and `of` count the frames of all passes so far: both only grow, and the last call has them equal.
class Watch {
 public:
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}
  [[nodiscard]] Observer observer();
  /// The user's own targets; `update(t, own)` may be None, and its errors end the job.
  [[nodiscard]] OwnTargetsOption own(const OwnTargets* targets, nb::object update);
  /// Runs a job without Python's lock. @throws what ended it: the job's error, that of `progress`,
  /// KeyboardInterrupt.
  template <class Job>
  auto run(const Job& job) {
    try {
      const nb::gil_scoped_release released;
      auto result = job();
      if (!error_ && tell_end()) return result;
    } catch (const Cancelled&) {
      if (!error_) throw;
    }
    std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  [[nodiscard]] bool tell(std::int64_t done, std::optional<std::int64_t> of);
  [[nodiscard]] bool tell_end();

  nb::object progress_, update_;
  std::exception_ptr error_;
  std::int64_t calls_ = 0;
  std::int64_t before_ = 0, pass_ = 0;  // frames of finished passes, and of the one that runs
  std::int64_t of_ = 0;                 // frames known of, at least those done
};

void bind_errors(nb::module_& m);
void bind_recordings(nb::module_& m);
void bind_own_targets(nb::module_& m);
void bind_models(nb::module_& m);
void bind_motions(nb::module_& m);
void bind_jobs(nb::module_& m);
void bind_robot_motions(nb::module_& m);
void bind_sensors(nb::module_& m);
void bind_live(nb::module_& m);
void bind_live_sensors(nb::module_& m);
void bind_streams(nb::module_& m);

}  // namespace panto::python
